// The CUDA kernels of this folder, for what a single-source twin does as well, only slower. Where one does not
// apply its plan says so: other devices, shapes it has no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

// What the plans need to know of a part.
struct PlanePart {
  int dimensions = 2;
  Index nx = 0, ny = 0;  // own cells
  MaskKind kind = MaskKind::star5;
};

// Steps on a plane, several in one pass over memory (convolve_strips.cu). `most`: steps of a pass where the caller has
// no other wish; 0 where it does not apply: masks of kind `general`, fewer than 136 columns, three dimensions.
struct StripPlan {
  int most = 0;
};
StripPlan plan_strips(const Executor& executor, const PlanePart& part);

// Passes that `steps` steps take when none has more than `limit` steps (at least 1).
int strip_passes(MaskKind kind, int steps, int limit);

// A box of cells of the state `steps` steps later, from block.c to block.next: in block.c after an even number of
// passes. The passes before the last write halos of both arrays too. Walls are taken at levels 0 to steps - 1. A box
// that is not as wide as the part begins and ends at pieces of lines.
template <class T>
void pass_strips(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                 int limit, const SlabBox& cells);

// Steps on a plane that stays in registers of the device (convolve_resident.cu): parts without neighbors, from 64 x 32
// cells to what the chip holds (1024 x 1024 doubles on 132 multiprocessors); masks star5 and box9; walls that do not
// change with time.
struct ResidentPlan {
  bool applies = false;
  int shape = 0, depth = 0;  // of its windows, see the kernel
  bool in_next(int steps) const { return (steps + depth - 1) / depth % 2 == 1; }
};
template <class T>
ResidentPlan plan_resident(const Executor& executor, const PlanePart& part);

// All rows of the state `steps` (any number) steps later, in block.next or block.c as the plan says.
template <class T>
void resident(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const ResidentPlan& plan);

// A step in space (convolve_planes.cu): tiles of columns pass plane by plane. Masks with a name but for star7, which
// goes by prisms, and others of radius 1 along all axes.
template <class T>
bool plan_planes(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask);

// The next state of a box (z, y, x) of cells that no wall reaches, from block.c into block.next.
template <class T>
void pass_planes(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask,
                 const Range<3>& box);

// Steps in space, several in one pass over memory (convolve_prisms.cu): the mask star7 between any walls. Most steps of
// a pass; 0 where it does not apply.
int plan_prisms(const Executor& executor, int dimensions, MaskKind kind);

// Passes that `steps` steps take when none has more than `limit` steps (at least 1).
int prism_passes(int steps, int limit);

// As pass_strips().
template <class T>
void pass_prisms(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                 int limit, const SlabBox& cells);

// One step as the HiPerC CUDA code makes it (convolve_tiled.cu), in three kernels: any mask on a plane. `rows` of the
// next state into block.next; `work` is memory of the device like that of block.c, with cell (0, 0) at its start. Equal
// to the twin but for rounding.
bool plan_tiled(const Executor& executor, const PlanePart& part);
template <class T>
void tiled(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, T* work, Rows rows);

}  // namespace halocline::diffusion
