// MemoryModel: what a problem takes, per part and step, before anything is allocated.
#pragma once

#include <cstddef>
#include <string>

#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/formulation.hpp"

namespace halocline::fractional {

class MemoryModel {
 public:
  explicit MemoryModel(const Formulation& formulation);

  /// Of device memory, ghosts included.
  std::size_t bytes(const PartSize& part) const;
  /// That a part between others sends in a step: ghosts of the increment, ends of strips.
  std::size_t message_bytes(const PartSize& part) const;
  double operations_per_node() const;
  /// Bytes that a step reads and writes per node, on average over the run.
  double traffic_per_node() const;
  /// Of a checkpoint, inside of a block, where it is largest.
  double checkpoint_bytes() const;
  /// "history by 28 exponentials, ..." for people.
  std::string text() const;
  int terms() const { return terms_; }

 private:
  bool series() const { return f_.history.engine == Engine::series; }
  bool direct() const { return f_.history.engine == Engine::direct; }
  bool halves() const { return f_.precision == Precision::fp16_history; }
  // In values of eight bytes: a number of c, of a slot, of a state.
  double field_value() const;
  double slot_value() const;
  double state_value() const;
  double history_values() const;  // of a node: slots, first, states
  double steps() const { return static_cast<double>(f_.levels->steps()); }

  const Formulation& f_;
  int terms_ = 0;    // exponentials, or of the series
  Index pitch_ = 0;  // values of a line along x, padding included
  double kernel_error_ = 0;
  Index varying_ = 0;  // coefficients that differ from node to node
  double fields_ = 0;  // values of eight bytes per node
};

}  // namespace halocline::fractional
