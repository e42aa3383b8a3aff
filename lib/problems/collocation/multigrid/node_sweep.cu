// The kernel of node_sweep.hpp.
#include "lib/problems/collocation/multigrid/node_sweep.hpp"

#include <algorithm>

#include "gpu/block_kernel.hpp"

namespace halocline::collocation {
namespace {

constexpr int sweep_threads = 128, most_pairs = sweep_threads - 2;

// Lines around the one in work, after the first color, even and odd nodes apart.
struct LineRing {
  float value[4][4][2][sweep_threads];  // [line mod 4][component][parity of the node][thread]
};

// A pair of nodes of every line, for a thread.
template <Stored Storage, bool Uniform>
class PairOfTile {
 public:
  __device__ PairOfTile(const HalfSweepBody<float>& half, LineRing& ring, Index pair, bool inside, bool writes)
      : half_(half), ring_(ring), pair_(pair), inside_(inside), writes_(writes) {}

  // The first color at own line i, one of those next to the mesh included, then the second color at line i - 1 if it is
  // one of the block's. In between all threads meet.
  __device__ void step(Index i, bool second) const {
    const NodalBlock& block = half_.problem.view.block;
    // Of the first color at line i, and of the second one at line i - 1.
    const Index parity = (block.first_line + i) & 1;
    const Index j = 2 * pair_ + parity;
    const bool there = j >= 0 && j <= block.ny;
    NodeData<float, Storage> behind;
    if (second && writes_ && there) behind.read(half_, i - 1, j, false);
    first_color(i, j, there, parity);
    __syncthreads();
    if (second && writes_) second_color(i - 1, j, there, parity, behind);
  }

 private:
  __device__ float* of_ring(Index line, int c, Index parity) const {
    return ring_.value[line & 3][c][parity] + threadIdx.x;
  }

  __device__ void first_color(Index i, Index j, bool there, Index parity) const {
    const NodalBlock& block = half_.problem.view.block;
    const bool line = inside_ && i >= 0 && i < block.lines();
    float values[4] = {0, 0, 0, 0}, kept[4] = {0, 0, 0, 0};
    if (line && there) {
      NodeData<float, Storage> data;
      NodeValues<float> node;
      data.read(half_, i, j, half_.from_zero);
      if (!half_.from_zero) read_values(block, half_.u, i, j, node);
      correct_node<Uniform>(half_, data, half_.from_zero, i, j, node, values);
    }
    const Index other = 2 * pair_ + 1 - parity;
    if (line && !half_.from_zero && other >= 0 && other <= block.ny)
      for (int c = 0; c < 4; ++c) kept[c] = read_only(half_.u.own + i * block.line_size() + block.place(c, other));
    for (int c = 0; c < 4; ++c) {
      *of_ring(i, c, parity) = values[c];
      *of_ring(i, c, 1 - parity) = kept[c];
    }
  }

  __device__ void second_color(Index i, Index j, bool there, Index parity, const NodeData<float, Storage>& data) const {
    float values[4] = {0, 0, 0, 0};
    if (there) {
      NodeValues<float> node;
      for (int l = 0; l < 3; ++l)
        for (int c = 0; c < 4; ++c) {
          const float* others = of_ring(i - 1 + l, c, 1 - parity);
          node.u[l][0][c] = others[parity - 1];
          node.u[l][1][c] = *of_ring(i - 1 + l, c, parity);
          node.u[l][2][c] = others[parity];
        }
      correct_node<Uniform>(half_, data, false, i, j, node, values);
    }
    for (int c = 0; c < 4; ++c) write_pair(half_, i, pair_, c, parity, values[c], *of_ring(i, c, 1 - parity));
  }

  const HalfSweepBody<float>& half_;
  LineRing& ring_;
  Index pair_;
  bool inside_, writes_;
};

template <Stored Storage, bool Uniform>
__global__ void __launch_bounds__(sweep_threads, 4) sweep_tiles(const HalfSweepBody<float> half, const SweepTile tile) {
  __shared__ LineRing ring;
  const NodalBlock& block = half.problem.view.block;
  const Index thread = threadIdx.x, pair = blockIdx.x * tile.pairs + thread - 1;
  const bool inside = thread <= tile.pairs + 1 && pair >= 0 && 2 * pair <= block.ny;
  const PairOfTile<Storage, Uniform> own(half, ring, pair, inside, inside && thread >= 1 && thread <= tile.pairs);
  const Index begin = blockIdx.y * tile.lines;
  const Index end = begin + tile.lines < block.lines() ? begin + tile.lines : block.lines();
  for (Index i = begin - 1; i <= end; ++i) own.step(i, i > begin);
}

}  // namespace

SweepTile sweep_tile(const Executor& executor, const NodalProblem<float>& problem) {
  const NodalBlock& block = problem.view.block;
  if (!runs_block_kernels(executor) || problem.view.sampled != nullptr) return {0, 0};
  const Index pairs = block.ny / 2 + 1, across = (pairs + most_pairs - 1) / most_pairs;
  const Index strips = std::max<Index>(1, 4 * block_limits(executor).multiprocessors / across);
  const Index lines = (block.lines() + strips - 1) / strips;
  return {(pairs + across - 1) / across, lines < 8 ? 0 : lines};
}

void sweep_in_one_pass(const Executor& executor, const Label& label, const SweepTile& tile,
                       const HalfSweepBody<float>& half) {
  const NodalBlock& block = half.problem.view.block;
  require(tile.pairs > 0 && tile.pairs <= most_pairs && tile.lines > 0 && block.lines() == block.nx + 1,
          "sweep_in_one_pass: tiles of a whole mesh");
  const Blocks blocks{dim3(static_cast<unsigned>((block.ny / 2 + tile.pairs) / tile.pairs),
                           static_cast<unsigned>((block.lines() + tile.lines - 1) / tile.lines)),
                      dim3(sweep_threads)};
  with_kind(half.problem, [&](auto stored, auto uniform) {
    if constexpr (stored() != Stored::sampled)
      launch_blocks(executor, label, blocks, sweep_tiles<stored(), uniform()>, half, tile);
  });
}

}  // namespace halocline::collocation
