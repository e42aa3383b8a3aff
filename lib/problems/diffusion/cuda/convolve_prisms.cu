// Explicit steps in space with the star of seven points, several per pass over memory (prism.hpp).
#include <algorithm>

#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/cuda/prism.hpp"

namespace halocline::diffusion {
namespace {

template <class T, int S>
struct StarSteps {
  using Value = T;
  static constexpr int stages = S;
  static constexpr bool flat = false;
  ConvolveMask<T> mask;
  template <class At>
  __device__ T operator()(int /*stage*/, const At& at, T /*before*/) const {
    return update<MaskKind::star7>(mask, at);
  }
};

// Steps of a pass that there is code for.
constexpr int pass_steps[] = {3, 1};

int next_prism_pass(int left, int limit) {
  return *std::find_if(std::begin(pass_steps), std::end(pass_steps),
                       [&](int steps) { return steps <= std::min(left, limit); });
}

// Warps of a block and least blocks on a multiprocessor.
template <int S>
struct Shape {
  static constexpr int rows = 2, warps = S == 1 ? 8 : 16, blocks = S == 1 ? 2 : 1;
};

template <int S, class T>
void start_pass(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& m, const PrismPass& pass) {
  start_prisms<StarSteps<T, S>, Shape<S>::rows, Shape<S>::warps, Shape<S>::blocks>(
      executor, {"convolve prisms", bytes_of_box(b, pass.cells, 2)}, b, {m}, pass);
}

}  // namespace

int plan_prisms(const Executor& executor, int dimensions, MaskKind kind) {
  return runs_block_kernels(executor) && dimensions == 3 && kind == MaskKind::star7 ? pass_steps[0] : 0;
}

int prism_passes(int steps, int limit) {
  int passes = 0;
  for (int left = steps; left > 0; ++passes) left -= next_prism_pass(left, limit);
  return passes;
}

template <class T>
void pass_prisms(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                 int limit, const SlabBox& cells) {
  ConvolveBlock<T> b = block;
  for (int level = 0; level < steps;) {
    const int now = next_prism_pass(steps - level, limit);
    const PrismPass pass{box_of_level(b, mask.radius, cells, level + now - 1, steps), cells.rows, level};
    now == pass_steps[0] ? start_pass<pass_steps[0]>(executor, b, mask, pass)
                         : start_pass<pass_steps[1]>(executor, b, mask, pass);
    level += now;
    std::swap(b.c, b.next);
  }
}

template void pass_prisms<double>(const Executor&, const ConvolveBlock<double>&, const ConvolveMask<double>&, int, int,
                                  const SlabBox&);
template void pass_prisms<float>(const Executor&, const ConvolveBlock<float>&, const ConvolveMask<float>&, int, int,
                                 const SlabBox&);

}  // namespace halocline::diffusion
