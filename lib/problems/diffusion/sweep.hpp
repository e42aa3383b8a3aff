// Sweep: how a part is advanced by several steps at once. The problem exchanges halos and counts time; a sweep only
// computes. All sweeps give the same bits on the host; see lib/problems/diffusion/convolve_kernels.hpp for the data and
// the update.
//
// A new implementation derives from Sweep and gets its lines in make_sweep (sweep.cpp).
#pragma once

#include <memory>
#include <optional>

#include "lib/base/executor.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/kernel_choice.hpp"

namespace halocline::diffusion {

template <class T>
class Sweep {
 public:
  virtual ~Sweep() = default;
  virtual const char* name() const = 0;  // for the log: "fused", "blocked"

  // Most steps of one call of run(), for a part with open sides (there the problem chooses the smaller of this and
  // steps_per_sweep, and the halo is that deep) and for one without (the whole domain; may be thousands).
  virtual int most_steps(bool open) const = 0;

  // Whether a run of `steps` reads block.c and writes block.next alone, own rows only (halo of `next` untouched), so
  // that the problem may compute cells in several calls, edges first. Otherwise a call gets all own cells and may use
  // both arrays and their halos.
  virtual bool splits(int steps) const = 0;

  // Whether the result of a run of `steps` lies in block.next (else in block.c).
  virtual bool in_next(int steps) const = 0;

  // Puts the work on the executor's compute queue: own `cells` of the state `steps` steps later. Cells outside, up to
  // radius * steps away, are read from the halo. Step n of the call uses walls at level n.
  virtual void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                      const SlabBox& cells) = 0;
  // The same for `rows` (planes in 3D), all their cells.
  void run(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps, Rows rows) {
    run_on(executor, block, mask, steps, block.box(rows));
  }
};

// What a sweep is chosen from; the same for all parts but `backend` and `threads`.
struct SweepShape {
  KernelChoice kernel = KernelChoice::automatic;
  int steps = 0;  // steps_per_sweep; 0: auto
  int dimensions = 2;
  Index extent[3] = {0, 0, 1};  // of this part: x, y, z
  int radius = 1;               // the largest over axes
  MaskKind kind = MaskKind::star5;
  bool cut_across = false;  // has neighbors along y, 3D, or along x, 2D
  bool open = false;        // has neighbors (or is its own, periodic along the slow axis)
  Index thinnest = 0;       // rows (planes) of the thinnest part, also along the other axis where that is cut: radius *
                            // steps may not exceed it
  bool moving_walls = false;  // wall values change with time
  std::size_t value_bytes = 8;
};

// Steps per sweep for a part where the deck says auto: 1 unless an implementation for this device profits from more.
// Parts may differ; the problem takes the smallest of all parts, so that halos match.
int automatic_steps(const SweepShape& shape, const Executor& executor);

// The sweep of a part; null when the kernel does not exist for this device or shape (the problem then reports which).
template <class T>
std::unique_ptr<Sweep<T>> make_sweep(const SweepShape& shape, const Executor& executor);

}  // namespace halocline::diffusion
