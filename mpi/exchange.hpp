// Exchange of lists of unequal length between ranks, for set-up: who sends knows to whom, who receives knows neither
// from whom nor how much. Lists may be longer than one MPI call takes; they travel in pieces. What is exchanged again
// and again belongs to a Halo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "lib/base/types.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// Bytes of the largest message; a count of MPI ends at 2^31 - 1.
inline constexpr std::size_t largest_message = std::size_t{1} << 30;

// Values for a rank, or from it.
template <class T>
struct Parcel {
  int rank;
  std::vector<T> values;
};

// All values of all ranks, those of rank r in starts[r] ... starts[r + 1] - 1.
template <class T>
struct Gathered {
  std::vector<T> values;
  std::vector<Index> starts;  // one more than there are ranks
};

namespace detail {

struct Outgoing {
  int rank;
  const void* data;
  std::size_t bytes;
};
// Gives the memory for what comes from `rank`; called once for each that sends something, in any order.
using MakeRoom = std::function<void*(int rank, std::size_t bytes)>;
void exchange_bytes(const Communicator& comm, const std::vector<Outgoing>& outgoing, const MakeRoom& make_room,
                    std::size_t message);

// `all` has room for every rank's bytes, those of rank r from starts[r] * unit on.
void gather_bytes(const Communicator& comm, const void* own, const std::vector<Index>& starts, std::size_t unit,
                  void* all, std::size_t message);
std::vector<Index> gather_starts(const Communicator& comm, Index count);

}  // namespace detail

// Sends each parcel to its rank, at most one to each, and returns those for this rank by ascending rank of the sender.
// Empty parcels do not arrive; a rank may send to itself. Collective, also for ranks that send nothing; `message`
// (bytes of a piece) is the same on all.
template <class T>
std::vector<Parcel<T>> exchange_lists(const Communicator& comm, const std::vector<Parcel<T>>& outgoing,
                                      std::size_t message = largest_message) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<detail::Outgoing> out;
  for (const Parcel<T>& parcel : outgoing)
    out.push_back({parcel.rank, parcel.values.data(), parcel.values.size() * sizeof(T)});
  std::vector<Parcel<T>> in;
  const auto make_room = [&in](int rank, std::size_t bytes) {
    in.push_back({rank, std::vector<T>(bytes / sizeof(T))});
    return static_cast<void*>(in.back().values.data());
  };
  detail::exchange_bytes(comm, out, make_room, message);
  std::sort(in.begin(), in.end(), [](const Parcel<T>& a, const Parcel<T>& b) { return a.rank < b.rank; });
  return in;
}

// The values of all ranks on every rank, in the order of the ranks. Collective.
template <class T>
Gathered<T> gather_lists(const Communicator& comm, const std::vector<T>& own, std::size_t message = largest_message) {
  static_assert(std::is_trivially_copyable_v<T>);
  Gathered<T> all{{}, detail::gather_starts(comm, static_cast<Index>(own.size()))};
  all.values.resize(static_cast<std::size_t>(all.starts.back()));
  detail::gather_bytes(comm, own.data(), all.starts, sizeof(T), all.values.data(), message);
  return all;
}

}  // namespace halocline
