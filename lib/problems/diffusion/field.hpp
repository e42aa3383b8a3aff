// Field: one unknown on all cells in slabs, old state and new one, with walls and records of what walls let in.
//
// Fields serve any equation: exchange() fills halos, block(part) is what kernels take.
#pragma once

#include <memory>
#include <vector>

#include "lib/fields/slab_field.hpp"
#include "lib/problems/diffusion/balance/source_records.hpp"
#include "lib/problems/diffusion/convolve_kernels.hpp"
#include "lib/problems/diffusion/stencil.hpp"
#include "lib/problems/diffusion/walls.hpp"
#include "lib/problems/problem.hpp"
#include "lib/time/clock.hpp"

namespace halocline::diffusion {

template <class T>
class Field {
 public:
  // `boxes`: how the grid is cut; `halo`: rows (planes) beyond open sides; `levels`: steps for which set_walls() may be
  // asked at once; `records`: whether walls keep what they let in.
  Field(const Context& context, const BoxPartition& boxes, const UniformGrid& geometry, const Stencil& stencil,
        const Walls& walls, Index halo, int levels, bool records);
  // The same on slabs and in memory that are given: one of several fields, see SlabField::together.
  Field(const Context& context, const Stencil& stencil, const Walls& walls, std::shared_ptr<Slabs<T>> slabs,
        SlabField<T> old_state, SlabField<T> new_state, int levels, bool records);
  ~Field();

  const ConvolveBlock<T>& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  // Whether parts have open sides, that is, need exchange().
  bool open() const { return slabs_->open(); }
  const std::shared_ptr<Slabs<T>>& slabs() const { return slabs_; }
  // Where values lie; steps go from the blocks' c to their next.
  SlabField<T>& old_state() { return old_; }
  const SlabField<T>& old_state() const { return old_; }

  // Values of walls for `levels` steps, the first being clock.step. Does nothing when they are set already and do not
  // change.
  void set_walls(const Clock& clock, int levels);

  // Fills the halos of the old state (`next`: of the new one). In two halves, so that work may run in between.
  void start_exchange(bool next);
  void finish_exchange(bool next);
  void swap(int part) {
    old_.swap(new_, part);
    std::swap(blocks_[static_cast<std::size_t>(part)].c, blocks_[static_cast<std::size_t>(part)].next);
  }
  void swap_all();
  // The new state takes the memory of a field on the same slabs, which takes its.
  void swap_new(SlabField<T>& other, int part) {
    new_.swap(other, part);
    blocks_[static_cast<std::size_t>(part)].next = new_.data(part);
  }

  // From now on the field keeps what its source adds; steppers record it.
  void keep_source();
  // Null: it is not kept.
  SourceRecords* source() { return source_.get(); }
  const SourceRecords* source() const { return source_.get(); }

  // Copies what walls of a part and the source have recorded aside, or back. On the compute queue.
  void keep_records(int part);
  void restore_records(int part);

  // What has come in through each side since the start, in units of c times cells: exact sums over positions.
  std::vector<ExactSum> uptake() const;

  // State and records. `name` is a prefix of the names in the archive. A checkpoint without a source that is kept here
  // is refused.
  void archive(StateArchive& state, const std::string& name);

  Traffic traffic() const { return slabs_->traffic(); }

 private:
  struct PartWalls;
  Field(const Context& context, const Stencil& stencil, const Walls& walls, const std::shared_ptr<Slabs<T>>& slabs,
        int levels, bool records);
  void make_walls(int part, int levels, bool records);
  void fill_wall(int part, int axis, int which, double t, int level);
  // Whether parts have neighbors along an axis.
  bool cut(int axis) const {
    const BoxPartition& boxes = slabs_->boxes();
    const int slow = geometry_.slow_axis();
    return axis == slow ? boxes.cut_along_z() : axis == slow - 1 && boxes.cut_along_y();
  }
  void archive_records(StateArchive& state, const std::string& name, int axis, int which, bool carry);

  Context context_;
  UniformGrid geometry_;
  Stencil stencil_;
  Walls walls_;
  std::shared_ptr<Slabs<T>> slabs_;
  SlabField<T> old_, new_;
  std::vector<ConvolveBlock<T>> blocks_;
  std::vector<std::unique_ptr<PartWalls>> walls_of_;
  std::unique_ptr<SourceRecords> source_;
  int levels_set_ = 0;
};

}  // namespace halocline::diffusion
