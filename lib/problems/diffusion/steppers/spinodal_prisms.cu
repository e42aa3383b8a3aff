// A step of Cahn and Hilliard's equation in one pass over memory: the chemical potential and what comes of it are two
// stages of a prism (lib/problems/diffusion/cuda/prism.hpp), and the potential is never stored.
#include "lib/problems/diffusion/cuda/prism.hpp"
#include "lib/problems/diffusion/steppers/spinodal_passes.hpp"

namespace halocline::diffusion {
namespace {

// Stars in space, or in a plane that was set upright.
template <MaskKind K>
struct SpinodalStages {
  using Value = double;
  static constexpr int stages = 2;
  static constexpr bool upright = K != MaskKind::star7, flat = upright;
  ConvolveMask<double> mask, outer;
  DoubleWell well;
  // The second stage is around a potential, `before` the c there. As PotentialBody and EvolveBody have it.
  template <class At>
  __device__ double operator()(int stage, const At& at, double before) const {
    const auto around = [&](int dz, int dy, int dx) { return upright ? at(dy, 0, dx) : at(dz, dy, dx); };
    const double middle = at(0, 0, 0);
    if (stage == 0) return (update<K>(mask, around) - middle) + well.slope(middle);
    return before + (update<K>(outer, around) - middle);
  }
};

// A plane as planes of one row each: its rows.
ConvolveBlock<double> upright(const ConvolveBlock<double>& flat) {
  ConvolveBlock<double> b = flat;
  b.dimensions = 3;
  b.extent[1] = 1, b.extent[2] = flat.extent[1];
  b.plane = flat.pitch;
  for (int side = 0; side < 2; ++side) {
    b.walls[0][side].slow = 1;
    b.walls[2][side] = flat.walls[1][side];
    b.walls[1][side] = {.kind = WallKind::open};
  }
  return b;
}

}  // namespace

bool plan_spinodal(const Executor& executor, MaskKind kind) {
  return runs_block_kernels(executor) &&
         (kind == MaskKind::star7 || kind == MaskKind::star5 || kind == MaskKind::star5_xy);
}

void pass_spinodal(const Executor& executor, const ConvolveBlock<double>& b, const SpinodalMasks& m,
                   const SlabBox& cells) {
  const Label label{"spinodal step", bytes_of_box(b, cells, 2)};
  const PrismPass pass{cells, cells.rows, 0};
  if (b.dimensions == 3) {
    start_prisms<SpinodalStages<MaskKind::star7>, 2, 8, 2>(executor, label, b, {m.inner, m.outer, m.well}, pass);
  } else if (m.inner.kind == MaskKind::star5) {
    start_prisms<SpinodalStages<MaskKind::star5>, 1, 1, 24>(executor, label, upright(b), {m.inner, m.outer, m.well},
                                                            pass);
  } else {
    start_prisms<SpinodalStages<MaskKind::star5_xy>, 1, 1, 24>(executor, label, upright(b), {m.inner, m.outer, m.well},
                                                               pass);
  }
}

}  // namespace halocline::diffusion
