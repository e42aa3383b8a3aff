// What a tile of prism_thread.hpp knows of the walls across x and y beside it: values of the tables of the walls and
// their records, plane by plane, copied to shared memory ahead as the planes themselves. Read where they are needed,
// they would hold up the stages for a round trip to memory each.
#pragma once

#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/cuda/prism_cut.hpp"

namespace halocline::diffusion {

template <class T>
struct PrismWalls {
  const ConvolveBlock<T>& b;
  const Prisms& prisms;
  int stages;
  bool at[2][2];    // [axis][side]: whether the tile has cells there
  int first[2][2];  // the number of the first place: one per row of the tile at x, one per column at y
  double* records;  // [slot][uptake, carry][place]
  T* ghosts;        // [slot][alpha, beta][place]

  __device__ PrismWalls(const ConvolveBlock<T>& block, const Prisms& cut, int number_of_stages, Index kx, Index ky,
                        unsigned char* memory)
      : b(block), prisms(cut), stages(number_of_stages) {
    at[0][0] = affine(0, 0) && kx == 0, at[0][1] = affine(0, 1) && kx == cut.x.count - 1;
    at[1][0] = affine(1, 0) && ky == 0, at[1][1] = affine(1, 1) && ky == cut.y.count - 1;
    const int height = static_cast<int>(cut.y.length), width = static_cast<int>(cut.x.length);
    first[0][0] = 0, first[0][1] = cut.x.count == 1 ? height : 0;
    first[1][0] = prism_wall_places(affine(0, 0) || affine(0, 1), cut.x, height);
    first[1][1] = first[1][0] + (cut.y.count == 1 ? width : 0);
    records = reinterpret_cast<double*>(memory);
    ghosts = reinterpret_cast<T*>(records + prism_wall_slots(stages) * 2 * cut.places);
  }
  __device__ bool affine(int axis, int side) const { return b.walls[axis][side].kind == WallKind::affine; }
  __device__ double* record_at(int slot, int what, int place) const {
    return records + (slot * 2 + what) * prisms.places + place;
  }
  __device__ T* ghost_at(int slot, int what, int place) const {
    return ghosts + (slot * 2 + what) * prisms.places + place;
  }

  // Starts the copy of what belongs to one cell at a wall; `own`: it will record.
  __device__ void fetch(const WallRule<T>& wall, Index slow, Index fast, int slot, int place, bool own) const {
    const Index from = wall.at(0, slow, fast);
    __pipeline_memcpy_async(ghost_at(slot, 0, place), wall.alpha + from, sizeof(T));
    if (wall.beta_level == 0) __pipeline_memcpy_async(ghost_at(slot, 1, place), wall.beta + from, sizeof(T));
    if (!own || !wall.uptake) return;
    __pipeline_memcpy_async(record_at(slot, 0, place), wall.uptake + from, sizeof(double));
    __pipeline_memcpy_async(record_at(slot, 1, place), wall.carry + from, sizeof(double));
  }

  // The ghost beyond a cell; level: of the step.
  __device__ T ghost(const WallRule<T>& wall, Index level, Index slow, Index fast, int slot, int place, T cell) const {
    const T beta =
        wall.beta_level == 0 ? *ghost_at(slot, 1, place) : wall.beta[level * wall.beta_level + wall.at(0, slow, fast)];
    return fma(*ghost_at(slot, 0, place), cell, beta);
  }
  // Adds to a record, and after the last stage writes it back.
  __device__ void record(const WallRule<T>& wall, Index slow, Index fast, int slot, int place, double gain,
                         bool last) const {
    double &uptake = *record_at(slot, 0, place), &carry = *record_at(slot, 1, place);
    add_compensated(uptake, carry, gain);
    if (!last) return;
    const Index to = wall.at(0, slow, fast);
    wall.uptake[to] = uptake, wall.carry[to] = carry;
  }
};

}  // namespace halocline::diffusion
