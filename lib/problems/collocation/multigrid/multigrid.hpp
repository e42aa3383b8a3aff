// Multigrid: V(1,1) cycles on the collocation equations, in double or float, as a preconditioner y = B x of the full
// system in double precision. x: equations, y: unknowns, layout of nodal_layout.hpp.
//
// Every level has the problem's equations on its own mesh. Method: the specification's own; no published theory.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::collocation {

template <class T>
class Multigrid final : public Operator<double> {
 public:
  // `space`: of vectors of the finest mesh, `fine`: their equations, one per part of this rank. All outlive this, as
  // does `problem`. `threads`: of the host, to sample coefficients of coarser meshes.
  Multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan,
            const std::vector<const Equations<double>*>& fine, int threads);
  ~Multigrid() override;

  // One cycle from zero for A y = x, both scaled to the range of T. Results do not depend on the number of parts.
  void apply(const Vector<double>& x, Vector<double>& y) const override;
  // Full multigrid: x for A x = b, to about the discretization error of u in double precision (in float to 1e-6 or so),
  // by solving coarser problems first, each from the interpolated coarser solution with two cycles.
  void start(const Vector<double>& b, Vector<double>& x) const;
  Traffic sent() const;
  // Bytes that a cycle must move, all parts together, by the model of docs/performance/collocation.md.
  double bytes_per_cycle() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline::collocation
