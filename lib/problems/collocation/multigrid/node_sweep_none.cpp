// Stands for node_sweep.cu in a build without CUDA.
#include "lib/base/error.hpp"
#include "lib/problems/collocation/multigrid/node_sweep.hpp"

namespace halocline::collocation {

SweepTile sweep_tile(const Executor&, const NodalProblem<float>&) { return {0, 0}; }
void sweep_in_one_pass(const Executor&, const Label&, const SweepTile&, const HalfSweepBody<float>&) {
  require(false, "no block kernels in this build");
}

}  // namespace halocline::collocation
