// Amg: one cycle of algebraic multigrid from zero, y = M x. A preconditioner, for a symmetric matrix a fixed symmetric
// one.
#pragma once

#include <memory>

#include "lib/amg/hierarchy.hpp"
#include "lib/linalg/operator.hpp"

namespace halocline::amg {

enum class Precision { fp32, fp64 };

struct AmgOptions {
  HierarchyOptions hierarchy;
  multigrid::CycleKind cycle = multigrid::CycleKind::v;
  Precision precision = Precision::fp32;  // of levels and cycle; the set-up computes in fp64
};

class Amg final : public Operator<double> {
 public:
  // See make_hierarchy(); `matrix` is not needed afterwards. Collective.
  Amg(const sparse::DistCrs& a, const sparse::DistMatrix& matrix, const AmgOptions& options,
      std::span<const double> weights, RowKinds kinds = {});
  ~Amg() override;

  // New values of the same pattern, if CoarseningOptions::keep: see refresh.hpp. What keep() has kept is lost.
  // Collective.
  void refresh(const sparse::DistCrs& a);

  const HierarchyFacts& facts() const { return facts_; }
  Traffic sent() const;  // by this rank in cycles
  double bytes() const;  // that a cycle must move at least

  void begin(const Vector<double>& r) const override;
  void apply(const Vector<double>& x, Vector<double>& y) const override;
  // In the precision of the cycle; results are the same to the bit as they were given.
  void keep(int slot, const Vector<double>& y) const override;
  void add_kept(std::span<const double> coefficients, Vector<double>& x) const override;

 private:
  class Cycle;
  template <class T>
  class CycleIn;

  HierarchyFacts facts_;
  std::unique_ptr<Cycle> cycle_;
};

}  // namespace halocline::amg
