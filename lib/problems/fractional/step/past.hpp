// Past: which level the steps have reached, and the history of the field up to it, block by block.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/space/media_field.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// Numbers: a precision of precision_layout.hpp.
template <class Numbers>
class Past {
 public:
  using Field = typename Numbers::Field;
  using Slot = typename Numbers::Slot;

  /// Formulation and weights outlive this. The slabs are of increments alone, whose ghosts may thus be under way while
  /// those of other fields are. Collective.
  Past(const Formulation& formulation, const std::shared_ptr<Slabs<Slot>>& slabs, const MediumField& media,
       const Weights& weights);

  Index level() const { return level_; }
  /// Back to level 0.
  void reset() { level_ = start_ = 0; }
  /// Before the step from level(): begins a block where one ended, and the sums that its sub-blocks share.
  void open_step();
  /// The slot of the step from level(), that open_step() has opened, and its field: a far value before the step, the
  /// increment behind it.
  int slot_number() const { return static_cast<int>(level_ - start_); }
  SlabField<Slot>& slot() { return history_->slot(slot_number()); }
  /// What the step from level() adds to its far value.
  NearSum<Slot> near_sum(int part);
  /// The increment is in its slot: level() is the next.
  void close_step() { ++level_; }
  /// The increment of level(), above 0.
  SlabField<Slot>& last() { return level_ > start_ ? history_->slot(slot_number() - 1) : history_->first(); }

  /// Saves or restores level and history, and the field c of that level. Collective.
  void archive(StateArchive& archive, SlabField<Field>& c);
  const History<Slot>& history() const { return *history_; }
  Traffic traffic() const { return slabs_->traffic(); }

 private:
  void begin_block(Index at);
  void set_tables();
  void near_pass(int begin, int from);
  int sub() const { return sub_block(history_->block()); }

  std::shared_ptr<Slabs<Slot>> slabs_;
  const Weights* weights_;
  std::unique_ptr<History<Slot>> history_;
  std::vector<DeviceTable<Slot>> near_, near_first_;
  NearTables tables_;
  Index level_ = 0, start_ = 0;  // start_: of the block
};

}  // namespace halocline::fractional
