#include "mpi/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

#include "mpi/check.hpp"

namespace halocline::detail {
namespace {

// Beyond those of halos (PartRanks::tag).
constexpr int size_tag = 32766, values_tag = 32767;
// Lists up to this go with their size, in one message.
constexpr std::size_t most_with_size = std::size_t{1} << 16;

// Calls work(start, length) for the pieces of so many bytes.
template <class Work>
void each_piece(std::size_t bytes, std::size_t message, const Work& work) {
  for (std::size_t at = 0; at < bytes; at += message) work(at, static_cast<int>(std::min(message, bytes - at)));
}

void check_message(std::size_t message) {
  require(message > 0 && message <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "exchange: size of a message");
}

void check_parcels(const Communicator& comm, const std::vector<Outgoing>& outgoing) {
  std::vector<int> ranks;
  for (const Outgoing& parcel : outgoing) ranks.push_back(parcel.rank);
  std::sort(ranks.begin(), ranks.end());
  require(ranks.empty() || (ranks.front() >= 0 && ranks.back() < comm.size()), "exchange: no such rank");
  require(std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end(), "exchange: two parcels for a rank");
}

// One exchange: who receives learns by probing what is there, until all ranks know that all sizes have been taken. This
// is the nonblocking consensus of Hoefler, Siebert and Lumsdaine (2010): no rank holds a number of every other one, and
// messages follow the parcels, but for two barriers.
class SparseExchange {
 public:
  SparseExchange(const Communicator& comm, const MakeRoom& make_room, std::size_t message)
      : comm_(comm.handle()), make_room_(make_room), message_(message) {}

  void send(const Outgoing& parcel) {
    const auto size = static_cast<Index>(parcel.bytes);
    const bool together = parcel.bytes <= std::min(message_, most_with_size);
    std::vector<char>& first = sent_.emplace_back(sizeof size + (together ? parcel.bytes : 0));
    std::memcpy(first.data(), &size, sizeof size);
    if (together) std::memcpy(first.data() + sizeof size, parcel.data, parcel.bytes);
    check_mpi(MPI_Issend(first.data(), static_cast<int>(first.size()), MPI_BYTE, parcel.rank, size_tag, comm_,
                         &announcements_.emplace_back()),
              "MPI_Issend");
    if (together) return;
    each_piece(parcel.bytes, message_, [&](std::size_t at, int length) {
      check_mpi(MPI_Isend(static_cast<const char*>(parcel.data) + at, length, MPI_BYTE, parcel.rank, values_tag, comm_,
                          &requests_.emplace_back()),
                "MPI_Isend");
    });
  }

  void finish() {
    MPI_Request all_know = MPI_REQUEST_NULL;
    for (bool told = false;;) {
      if (take_one()) continue;
      int done = 0;
      if (told) {
        check_mpi(MPI_Test(&all_know, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) break;
      } else {
        check_mpi(
            MPI_Testall(static_cast<int>(announcements_.size()), announcements_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
        if (done == 0) continue;
        check_mpi(MPI_Ibarrier(comm_, &all_know), "MPI_Ibarrier");
        told = true;
      }
    }
    check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    // A rank that still probes would take a size of the next exchange for one of this.
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
  }

 private:
  bool take_one() {
    int there = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, size_tag, comm_, &there, &status), "MPI_Iprobe");
    if (there == 0) return false;
    int length = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    received_.resize(static_cast<std::size_t>(length));
    check_mpi(MPI_Recv(received_.data(), length, MPI_BYTE, status.MPI_SOURCE, size_tag, comm_, MPI_STATUS_IGNORE),
              "MPI_Recv");
    Index bytes = 0;
    std::memcpy(&bytes, received_.data(), sizeof bytes);
    const auto size = static_cast<std::size_t>(bytes);
    char* room = static_cast<char*>(make_room_(status.MPI_SOURCE, size));
    if (received_.size() > sizeof bytes) {
      std::memcpy(room, received_.data() + sizeof bytes, size);
      return true;
    }
    each_piece(size, message_, [&](std::size_t at, int length) {
      check_mpi(MPI_Irecv(room + at, length, MPI_BYTE, status.MPI_SOURCE, values_tag, comm_, &requests_.emplace_back()),
                "MPI_Irecv");
    });
    return true;
  }

  MPI_Comm comm_;
  const MakeRoom& make_room_;
  std::size_t message_;
  std::deque<std::vector<char>> sent_;  // first messages under way
  std::vector<char> received_;
  std::vector<MPI_Request> announcements_, requests_;
};

}  // namespace

void exchange_bytes(const Communicator& comm, const std::vector<Outgoing>& outgoing, const MakeRoom& make_room,
                    std::size_t message) {
  check_message(message);
  check_parcels(comm, outgoing);
  SparseExchange exchange(comm, make_room, message);
  for (const Outgoing& parcel : outgoing) {
    if (parcel.bytes == 0) continue;
    if (parcel.rank == comm.rank())
      std::memcpy(make_room(parcel.rank, parcel.bytes), parcel.data, parcel.bytes);
    else
      exchange.send(parcel);
  }
  if (comm.size() > 1) exchange.finish();
}

std::vector<Index> gather_starts(const Communicator& comm, Index count) {
  std::vector<Index> starts(static_cast<std::size_t>(comm.size()) + 1, 0);
  check_mpi(MPI_Allgather(&count, 1, MPI_INT64_T, starts.data() + 1, 1, MPI_INT64_T, comm.handle()), "MPI_Allgather");
  for (std::size_t r = 1; r < starts.size(); ++r) starts[r] += starts[r - 1];
  return starts;
}

void gather_bytes(const Communicator& comm, const void* own, const std::vector<Index>& starts, std::size_t unit,
                  void* all, std::size_t message) {
  check_message(message);
  std::vector<std::size_t> begin;
  for (const Index start : starts) begin.push_back(static_cast<std::size_t>(start) * unit);
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::size_t size = begin[rank + 1] - begin[rank];
  if (begin.back() <= message) {  // then every count and displacement is one that MPI takes
    std::vector<int> counts, places;
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
      places.push_back(static_cast<int>(begin[r]));
      counts.push_back(static_cast<int>(begin[r + 1] - begin[r]));
    }
    check_mpi(MPI_Allgatherv(own, static_cast<int>(size), MPI_BYTE, all, counts.data(), places.data(), MPI_BYTE,
                             comm.handle()),
              "MPI_Allgatherv");
    return;
  }
  char* bytes = static_cast<char*>(all);
  if (size > 0) std::memcpy(bytes + begin[rank], own, size);
  for (std::size_t r = 0; r + 1 < begin.size(); ++r)
    each_piece(begin[r + 1] - begin[r], message, [&](std::size_t at, int length) {
      check_mpi(MPI_Bcast(bytes + begin[r] + at, length, MPI_BYTE, static_cast<int>(r), comm.handle()), "MPI_Bcast");
    });
}

}  // namespace halocline::detail
