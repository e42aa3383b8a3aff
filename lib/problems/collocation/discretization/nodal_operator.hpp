// NodalOperator: y = A x for the collocation equations, matrix-free. x: unknowns, y: equations, both in the layout of
// nodal_layout.hpp; a vector's group is a line.
//
// Arithmetic by sum factorization: 12 multiply-adds per equation along x and 30 along y on the host (66 in all on a
// GPU, where every thread contracts for itself). Traffic: x, y and six coefficients per equation, 8 vectors.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"
#include "lib/problems/collocation/discretization/nodal_vectors.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::collocation {

class NodalOperator final : public Operator<double> {
 public:
  // `equations`: of every part of this rank; outlive the operator. `x`, `y`: the mesh's.
  NodalOperator(VectorSpacePtr space, std::vector<const Equations<double>*> equations, const Axis& x, const Axis& y);
  ~NodalOperator() override;

  // One exchange of a line per part and neighbor, overlapped with the lines that need none.
  void apply(const Vector<double>& x, Vector<double>& y) const override;
  void residual(const Vector<double>& b, const Vector<double>& x, Vector<double>& r) const override;
  Traffic sent() const { return halo_ ? halo_->sent() : Traffic{}; }

 private:
  struct Part;
  void run(const Vector<double>* b, const Vector<double>& x, Vector<double>& y) const;

  VectorSpacePtr space_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<Halo<double>> halo_;
  mutable std::vector<View<const double, 1>> owned_;
  std::vector<View<double, 1>> received_;
};

}  // namespace halocline::collocation
