// The last level of a hierarchy: inverted where it is small, else swept over.
#pragma once

#include <memory>
#include <vector>

#include "lib/amg/level.hpp"
#include "lib/amg/setup/coarsening.hpp"
#include "lib/multigrid/coarsest.hpp"

namespace halocline::amg {

// Eight sweeps of Jacobi's method, symmetric as the matrix is.
template <class T>
class SweepSolver final : public multigrid::CoarsestSolver<T> {
 public:
  // `level`: the last of the hierarchy, which outlives the solver.
  explicit SweepSolver(Level<T>& level) : level_(&level) {}
  void solve(const Vector<T>& /*f*/, Vector<T>& /*u*/) override { level_->sweep_from_zero(8); }
  bool repeats() const override { return level_->repeats(); }

 private:
  Level<T>* level_;
};

template <class T>
using Levels = std::vector<std::unique_ptr<multigrid::Level<T>>>;

// Adds the last level, which every part holds whole. `u_space`: of its solution. Collective.
template <class T>
void add_inverted_level(const Stage& stage, const VectorSpacePtr& u_space, Levels<T>& levels);

// The same where the finest level is the last; its parts hold rows of their own. `ends`: see Level. Returns the space
// of its vectors, which hold all rows. Collective.
template <class T>
VectorSpacePtr add_only_level(const Stage& stage, EndsPtr ends, Levels<T>& levels);

// The solver with the inverse of the last level's scaled matrix; `space`: of its solution. Collective.
template <class T>
std::unique_ptr<multigrid::CoarsestSolver<T>> inverse_of(const Stage& stage, const VectorSpacePtr& space);

}  // namespace halocline::amg
