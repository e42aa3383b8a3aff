// DistMatrix: a sparse matrix as an operator on vectors of double. Products overlap with the exchange of ghosts; sums
// come with the product. Results are equal to the bit on any partition whose parts begin at multiples of 1024 rows.
#pragma once

#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/linalg/sparse/formats/column_space.hpp"
#include "lib/linalg/sparse/formats/product_rows.hpp"

namespace halocline::sparse {

class DistMatrix final : public Operator<double> {
 public:
  // A square matrix. Vectors hold unknowns in the order in which rows are stored, order(). Collective.
  explicit DistMatrix(const DistCrs& a, const MatrixFormat& format = {});
  // New values of the same pattern.
  void renew(const DistCrs& a) { rows_.fill(a); }

  const VectorSpacePtr& space() const { return columns_.space(); }  // of the vectors it is applied to
  const ChosenFormat& format() const { return format_; }
  const ColumnSpace& columns() const { return columns_; }
  const Rows<double>& rows() const { return rows_; }

  void apply(const Vector<double>& x, Vector<double>& y) const override;
  void residual(const Vector<double>& b, const Vector<double>& x, Vector<double>& r) const override;
  Dots apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override;
  Dots apply_with_energy(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override;
  EnergySums apply_with_energy_sums(const Vector<double>& u, Vector<double>& w, const Vector<double>& r,
                                    const Vector<double>* q) const override;
  StepSums apply_with_step_sums(const Vector<double>& x, Vector<double>& t, const Vector<double>& s,
                                const Vector<double>& r0) const override;

  Traffic sent() const { return halo_.sent(); }  // by this rank, since construction

  // From values in the natural order of the rows to a vector, and back; one array per part of this rank.
  void enter(const std::vector<Array<double, 1>>& natural, Vector<double>& x) const;
  void leave(const Vector<double>& x, std::vector<Array<double, 1>>& natural) const;

 private:
  template <class MakeEnd>
  void multiply(const char* name, const Vector<double>& x, const MakeEnd& make_end) const;
  template <int K, class MakeEnd>
  std::array<double, K> multiply_summed(const char* name, const Vector<double>& x, const MakeEnd& make_end) const;
  template <class Work>
  void overlapped(const Vector<double>& x, const Work& work) const;
  template <class Body>
  void reorder(const char* name, const Body& make_body) const;

  ChosenFormat format_;
  Rows<double> rows_;
  ColumnSpace columns_;
  mutable VectorHalo<double> halo_;
  mutable std::vector<Array<double, 1>> window_sums_;  // of every part, up to five of every window
};

}  // namespace halocline::sparse
