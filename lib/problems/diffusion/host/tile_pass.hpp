// TilePass: several steps of one tile of cells in one pass over its rows (planes in 3D).
//
// The tile is a strip of columns in 2D, strip by strip in 3D, and the pass goes along the slow axis: when row j of the
// old state comes in, step n computes row j - n r (r: radius of the mask) from rows of step n - 1, of which a ring of
// 2 r + 2 is kept: two rows are computed at once in 2D, which share what they read. Only step 0 reads the old array and
// only the last step writes the new one, so memory is passed once for all steps. The columns that a step computes
// shrink by r per step on sides where no wall is: neighboring tiles compute them too, to the same bits. After each row
// the ghosts beyond walls are put next to it, as value() would give them. Equal to step-by-step updates to the
// last bit.
#pragma once

#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/host/rows.hpp"
#include "lib/problems/diffusion/host/wall_records.hpp"

namespace halocline::diffusion {

// Half-open box of cells. x_lo is a multiple of line_cells; `m` is the middle axis, y in 3D, [0, 1) in 2D.
struct Tile {
  Index x_lo, x_hi, m_lo, m_hi;
  Rows rows;
};

constexpr int most_pass_steps = 32;

// What the tiles of a sweep have in common.
template <class T>
struct TilePassSetup {
  const ConvolveBlock<T>& block;
  const ConvolveMask<T>& mask;
  const WallRecords<T>& records;
  RowKernels<T> kernels;
  int steps;         // 1 .. most_pass_steps
  bool past_caches;  // results are written past the caches
  Index ahead;       // rows of the arrays fetched ahead into the caches, 2D; 0: none
};

template <class T>
class TilePass {
 public:
  // `scratch`: zeros, or left by a pass before, of at least scratch_bytes(); aligned to 64 bytes.
  TilePass(const TilePassSetup<T>& setup, const Tile& tile, void* scratch);
  void run();

  static std::size_t scratch_bytes(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps, Index width,
                                   Index height);

 private:
  // The cells of a level (level n: n steps after the old state) that results depend on.
  struct Level {
    Index x_lo, x_hi, m_lo, m_hi;
    Rows rows;
    bool wall_x[2], wall_m[2];  // whether they touch the wall there, beyond which are ghosts
    bool at_wall;               // any of them
    int slot;                   // of the newest row (plane) in its ring
    T* ring;                    // slot 0
  };
  // Rows (planes) of cells: the row m begins, with column x = 0, at origin + m stride.
  struct Plane {
    T* origin;
    Index stride;
    T* row(Index m) const { return origin + m * stride; }
  };

  void make_levels();
  bool reads_in_place() const;
  bool held_plane(Index j) const;
  Plane scratch_plane(Index number) const;
  Plane plane(int level, Index j, Index newest) const;
  Plane ghost_plane(int level, int side, Index ring) const;
  void load(Index j, int age);
  void fetch_ahead(Index row, int n) const;
  void gather(int n, Index j, int count, Index newest, Plane* from) const;
  void advance(int n, Index j, int count, Index newest);
  void compute_rows(int n, const Plane* from, const Plane* to, Index m, int count) const;
  void record(int n, const Plane* from, Index j) const;
  void make_ghosts_for(int n, Index j, int count, Index newest) const;
  void finish(int level, Index j, const Plane& p) const;
  void hold(int level, Index j, const Plane& p) const;
  void make_ghosts(int level, int side, Index newest) const;
  Index slow_place(Index j) const;
  Index middle_place(Index m) const;
  template <class F>
  void each_run(Index x_lo, Index x_hi, const F& f) const;

  const TilePassSetup<T>& s_;
  const ConvolveBlock<T>& b_;
  const Tile tile_;
  const int steps_, reach_x_, reach_m_, reach_s_, at_once_, ring_;
  const Index extent_s_, stride_s_;
  Index x_base_, m_base_, row_length_, plane_size_;
  Index fetch_ = 0;  // columns fetched with a row of one level
  T* scratch_;
  double* gains_;
  bool in_place_ = false, records_ = false;
  Level levels_[most_pass_steps + 1];
};

}  // namespace halocline::diffusion
