// Halo: exchanges boundary values between neighboring parts, by peer copy inside a rank and by messages between ranks.
// Buffers, counts and peers are fixed at construction; start() and finish() allocate nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/types.hpp"
#include "lib/base/view.hpp"
#include "mpi/communicator.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline {

// Positions in a part's data: a strided box, or a list.
struct IndexSet {
  Index offset = 0;
  Index extent[3] = {0, 1, 1};
  Index stride[3] = {1, 1, 1};  // extent[2], stride[2] run fastest
  std::vector<Index> list;      // used instead of the box when not empty; copied to the device
  Index size() const { return list.empty() ? extent[0] * extent[1] * extent[2] : static_cast<Index>(list.size()); }
  static IndexSet run(Index offset, Index count) { return {offset, {1, 1, count}, {0, 0, 1}, {}}; }
};

// What one part exchanges with `part` (a global part number): it sends its `send` positions and receives into `recv`.
// Links of a pair of parts match in order and size.
struct Link {
  int part;
  IndexSet send, recv;
};

struct Traffic {
  Index messages = 0;
  Index bytes = 0;
};

class Halo {
 public:
  // links_of_part: for every part of this rank, in order. Global part numbers map to ranks through the team layouts.
  Halo(const Communicator& comm, const Team& team, std::vector<std::vector<Link>> links_of_part);
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  // Packs and sends from `owned` (one view per part of this rank, in device memory). Called by the rank's main thread.
  // Work on the data that `finish` fills must wait; interior work may run in between.
  void start(std::span<const View<const double, 1>> owned);
  // Receives and unpacks into `ghosts` (one view per part; may be the same memory as `owned`).
  void finish(std::span<const View<double, 1>> ghosts);

  const Traffic& sent() const;  // by this rank to others, since construction

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Links of slabs of a row-major array: a part owns rows `partition.block(part)` of `row_size` values each and stores
// `width` ghost rows on either side, so row r of part p lies at (r - block.lo + width) * row_size.
std::vector<std::vector<Link>> slab_links(const Partition& partition, const Team& team, Index row_size, int width,
                                          bool periodic = false);

}  // namespace halocline
