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
#include "mpi/partition.hpp"

namespace halocline::collocation {

template <class T>
class Multigrid final : public Operator<double> {
 public:
  // `space`: of vectors of the finest mesh, `lines`: of that mesh, which every part of all ranks owns, `fine`: its
  // equations, one per part of this rank. `space`, `fine` and `problem` outlive this. `threads`: of the host, to sample
  // coefficients of coarser meshes.
  Multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan, const Partition& lines,
            const std::vector<const Equations<double>*>& fine, int threads);
  ~Multigrid() override;

  // One cycle from zero for A y = x, both scaled to the range of T. Results do not depend on the number of parts.
  void begin(const Vector<double>& r) const override;
  void apply(const Vector<double>& x, Vector<double>& y) const override;
  // Full multigrid: x for A x = b, see full_multigrid.hpp.
  void start(const Vector<double>& b, Vector<double>& x) const;
  Traffic sent() const;
  // Bytes that a cycle must move, all parts together, by the model of docs/performance/collocation.md.
  double bytes_per_cycle() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline::collocation
