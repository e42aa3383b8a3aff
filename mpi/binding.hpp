// Which hardware threads the driving thread of each part runs on: near its device, or an even share of those that the
// process may use. OpenMP threads inherit this from the driving thread, so parts do not wander into one another.
#pragma once

#include <cstdint>
#include <vector>

namespace halocline {

// What a part asks for: `threads` of the host, or to be near a GPU (`near`: hardware threads, empty for host parts).
struct CoreWish {
  int threads = 1;
  std::vector<int> near;
  bool gpu = false;
};

// The hardware threads that the calling thread may use, neighbors in the machine next to each other: by package, by
// core, then by number.
std::vector<int> usable_cores();

// A number that processes of one system have in common and those of other nodes have not, of the name of the host and
// of its start: names alone may repeat.
std::uint64_t node_key();

// Whether the environment tells OpenMP where its threads go, which is then left alone.
bool openmp_is_bound();

// The hardware threads of each part; an empty set leaves it alone, as are all parts when there are fewer `usable` ones
// than parts. Host parts share out `usable` in order, in proportion to their threads and at least one each. GPU parts
// get what is usable and near.
std::vector<std::vector<int>> share_cores(const std::vector<int>& usable, const std::vector<CoreWish>& parts);

// Binds the calling thread to `cores`, if there are any. Returns whether the system did so; a run goes on without.
bool bind_thread(const std::vector<int>& cores);

}  // namespace halocline
