// Field: one unknown on all cells, in slabs of rows (2D) or planes (3D) over the parts of this rank, with halos, walls
// and records of what walls let in. Two arrays per part, the old state and the new one.
//
// Fields serve any equation: exchange() fills halos, block(part) is what kernels take.
#pragma once

#include <memory>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/stencil.hpp"
#include "lib/problems/diffusion/walls.hpp"
#include "lib/problems/problem.hpp"
#include "lib/time/clock.hpp"
#include "mpi/halo.hpp"

namespace halocline::diffusion {

template <class T>
class Field {
 public:
  // `halo`: rows (planes) beyond open sides; `levels`: steps for which set_walls() may be asked at once; `records`:
  // whether walls keep what they let in.
  Field(const Context& context, const UniformGrid& geometry, const Stencil& stencil, const Walls& walls, Index halo,
        int levels, bool records);
  ~Field();

  const ConvolveBlock<T>& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  Range<1> rows(int part) const { return context_.own(part); }  // global
  // Whether parts have open sides, that is, need exchange().
  bool open() const { return open_; }

  // Values of walls for `levels` steps, the first being clock.step. Does nothing when they are set already and do not
  // change.
  void set_walls(const Clock& clock, int levels);

  // Fills the halos of the old state (`next`: of the new one). In two halves, so that work may run in between.
  void start_exchange(bool next);
  void finish_exchange(bool next);
  void swap(int part) {
    std::swap(blocks_[static_cast<std::size_t>(part)].c, blocks_[static_cast<std::size_t>(part)].next);
  }
  void swap_all();

  // The old state of a part where it lies, (z, y, x) with gaps between rows.
  View<const T, 3> view(int part) const;
  // The same on the host, without gaps.
  std::vector<double> read(int part) const;
  void write(int part, const std::vector<double>& values);

  // What has come in through each side since the start, in units of c times cells: exact sums over positions.
  std::vector<ExactSum> uptake() const;

  // State and records. `name` is a prefix of the names in the archive.
  void archive(StateArchive& state, const std::string& name);

  Traffic traffic() const { return halo_ ? halo_->sent() : Traffic{}; }
  std::size_t bytes(int part) const;  // of device memory

 private:
  struct PartMemory;
  void make_walls(int part, int levels, bool records);
  void fill_wall(int part, int axis, int which, double t, int level);
  void archive_records(StateArchive& state, const std::string& name, int axis, int which, bool carry);

  Context context_;
  UniformGrid geometry_;
  Stencil stencil_;
  Walls walls_;
  Index halo_rows_;
  bool open_;
  std::vector<ConvolveBlock<T>> blocks_;
  std::vector<std::unique_ptr<PartMemory>> memory_;
  std::unique_ptr<Halo<double>> halo_;
  int levels_set_ = 0;
};

}  // namespace halocline::diffusion
