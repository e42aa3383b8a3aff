// A whole sweep of node smoothing in one pass over memory, as a block kernel of GPUs: the second color follows the
// first one a line behind, through shared memory. Its bits are those of two half-sweeps (NodeHalfSweepBody), its
// specification.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/profile/label.hpp"
#include "lib/problems/collocation/multigrid/node_kernels.hpp"

namespace halocline::collocation {

// What a block does: `pairs` of nodes of every line, at most 126, and `lines`. It repeats the first color on a pair
// and a line either side.
struct SweepTile {
  Index pairs, lines;
};
// Tiles that fill the device; lines = 0 where half-sweeps serve better: on small meshes, on the host, and where
// coefficients are neither constant nor of 16 bits.
SweepTile sweep_tile(const Executor& executor, const NodalProblem<float>& problem);

// Color 0, from zero or not as `half` says, then color 1. All lines of the mesh must be own ones.
void sweep_in_one_pass(const Executor& executor, const Label& label, const SweepTile& tile,
                       const HalfSweepBody<float>& half);

}  // namespace halocline::collocation
