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

class Multigrid : public Operator<double> {
 public:
  // begin(), apply(): one cycle from zero for A y = x, both scaled to the range of T. Results do not depend on the
  // number of parts.

  // Full multigrid: x for A x = b, see full_multigrid.hpp.
  virtual void start(const Vector<double>& b, Vector<double>& x) const = 0;
  // After the coefficients of the finest equations have got new values: the levels follow, those of coarser meshes by
  // the restriction of values at Gauss points. Of equations that are not linear alone: levels of others may keep what
  // cannot change. Collective; NumericalError as when made.
  virtual void refresh() = 0;
  virtual Traffic sent() const = 0;
  // Bytes that a cycle must move, all parts together, by the model of docs/performance/collocation.md.
  virtual double bytes_per_cycle() const = 0;
};

// In numbers of type T. `space`: of vectors of the finest mesh, `lines`: of that mesh, which every part of all ranks
// owns, `fine`: its equations, one per part of this rank. `space`, `fine` and `problem` outlive it. `threads`: of the
// host, to sample coefficients of coarser meshes.
template <class T>
std::unique_ptr<Multigrid> make_multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan,
                                          const Partition& lines, const std::vector<const Equations<double>*>& fine,
                                          int threads);

}  // namespace halocline::collocation
