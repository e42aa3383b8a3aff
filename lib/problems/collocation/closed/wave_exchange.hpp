// WaveExchange: memory for the ends of strips of a chunk of modes, and their way between the parts of the run. What the
// nodes of a part leave behind goes up, to the part that joins the rest of the tree for this mode; what arrives at the
// nodes comes back down. A turn takes its steps one by one, so that those of other chunks are under way meanwhile.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/closed/wave_kernels.hpp"
#include "mpi/halo/turn.hpp"

namespace halocline::collocation {

// How many chunks the modes take where each of several parts has so many lines, of so many nodes: more than one where
// they hide more than they add. The same for all parts of a run (wave_chunks.cpp).
Index wave_chunks(Index lines, Index columns);
// `modes` in at most so many chunks, whole groups of eight, all of one size but the last, which may be smaller.
Partition modes_in_chunks(Index modes, Index chunks);
constexpr int most_buffers = 5;  // chunks under way at once: one in every step of a way in two stages

// What each part of this rank has of a chunk, and the whole run has of it.
struct WaveShape {
  Partition strips, nodes;  // of the parts of the run, nodes of the tree that parts hold whole
  Partition modes;          // of a chunk, that parts join the rest for
};

class WaveExchange {
 public:
  // With a single part there is memory alone. The team outlives this. Collective.
  WaveExchange(const Communicator& comm, const Team& team, const WaveShape& shape);

  double* slots(int part) { return parts_[part].slots.view().data; }        // of own strips, modes of the chunk
  double* above(int part) { return parts_[part].above.view().data; }        // slots of nodes of all parts, own modes
  double* rows(int part) { return parts_[part].rows.view().data; }          // [own node][a, b][mode of the chunk]
  double* all_rows(int part) { return parts_[part].all_rows.view().data; }  // [node][a, b][own mode]

  int stages() const { return up_ ? up_->stages() : 0; }
  void pack_up();    // rows to send
  void finish_up();  // to all rows
  void pack_down();
  void finish_down();
  Turn<double>& up() { return *up_; }
  Turn<double>& down() { return *down_; }
  Traffic sent() const { return up_ ? up_->sent() + down_->sent() : Traffic{}; }

 private:
  struct Part {
    Array<double, 1> slots, above, rows, all_rows;
  };
  std::vector<Part> parts_;
  std::optional<Turn<double>> up_, down_;
  std::vector<View<const double, 1>> from_rows_, from_all_;
  std::vector<View<double, 1>> to_rows_, to_all_;
};

}  // namespace halocline::collocation
