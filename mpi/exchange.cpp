#include "mpi/exchange.hpp"

#include <cstring>
#include <limits>

#include "mpi/check.hpp"

namespace halocline::detail {
namespace {

// Beyond those of halos (PartRanks::tag).
constexpr int size_tag = 32766, values_tag = 32767;

// Calls work(start, length) for the pieces of so many bytes.
template <class Work>
void each_piece(std::size_t bytes, std::size_t message, const Work& work) {
  for (std::size_t at = 0; at < bytes; at += message) work(at, static_cast<int>(std::min(message, bytes - at)));
}

void check_message(std::size_t message) {
  require(message > 0 && message <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "exchange: size of a message");
}

// How many ranks send something to this one. No rank learns its number before every rank has called, that is, has
// received all that an earlier exchange sent to it: sizes can be taken from any source without mixing up exchanges.
int count_senders(const Communicator& comm, const std::vector<Outgoing>& outgoing) {
  std::vector<int> sends(static_cast<std::size_t>(comm.size()), 0);
  for (const Outgoing& parcel : outgoing) {
    require(parcel.rank >= 0 && parcel.rank < comm.size(), "exchange: no such rank");
    require(sends[parcel.rank]++ == 0, "exchange: two parcels for a rank");
  }
  for (const Outgoing& parcel : outgoing)
    if (parcel.bytes == 0 || parcel.rank == comm.rank()) sends[parcel.rank] = 0;
  int senders = 0;
  check_mpi(MPI_Reduce_scatter_block(sends.data(), &senders, 1, MPI_INT, MPI_SUM, comm.handle()),
            "MPI_Reduce_scatter_block");
  return senders;
}

}  // namespace

void exchange_bytes(const Communicator& comm, const std::vector<Outgoing>& outgoing, const MakeRoom& make_room,
                    std::size_t message) {
  check_message(message);
  const int senders = count_senders(comm, outgoing);
  std::vector<MPI_Request> requests;
  std::vector<Index> sizes;
  sizes.reserve(outgoing.size());  // messages under way point into it
  for (const Outgoing& parcel : outgoing) {
    if (parcel.bytes == 0) continue;
    if (parcel.rank == comm.rank()) {
      std::memcpy(make_room(parcel.rank, parcel.bytes), parcel.data, parcel.bytes);
      continue;
    }
    sizes.push_back(static_cast<Index>(parcel.bytes));
    check_mpi(MPI_Isend(&sizes.back(), 1, MPI_INT64_T, parcel.rank, size_tag, comm.handle(), &requests.emplace_back()),
              "MPI_Isend");
    each_piece(parcel.bytes, message, [&](std::size_t at, int length) {
      check_mpi(MPI_Isend(static_cast<const char*>(parcel.data) + at, length, MPI_BYTE, parcel.rank, values_tag,
                          comm.handle(), &requests.emplace_back()),
                "MPI_Isend");
    });
  }
  for (int sender = 0; sender < senders; ++sender) {
    Index bytes = 0;
    MPI_Status status;
    check_mpi(MPI_Recv(&bytes, 1, MPI_INT64_T, MPI_ANY_SOURCE, size_tag, comm.handle(), &status), "MPI_Recv");
    const auto size = static_cast<std::size_t>(bytes);
    char* room = static_cast<char*>(make_room(status.MPI_SOURCE, size));
    each_piece(size, message, [&](std::size_t at, int length) {
      check_mpi(MPI_Irecv(room + at, length, MPI_BYTE, status.MPI_SOURCE, values_tag, comm.handle(),
                          &requests.emplace_back()),
                "MPI_Irecv");
    });
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
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
