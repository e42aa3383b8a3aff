// Communicators that cost what those of Open MPI 4 do. A name of a new one takes two reductions of an integer, for the
// lowest that is free and whether it is so on all ranks, and starting it one more; splitting gathers the color and the
// key of each rank before. SMPI broadcasts a name alone, and splits by messages of one rank to all others.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/scale/smpi/counted.hpp"
#include "tests/scale/smpi/open_mpi.hpp"

using scale::Handle;

extern "C" int __real_MPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
extern "C" int __real_MPI_Allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

namespace {

constexpr int reductions_of_name = 3;

void agree_on_name(MPI_Comm comm, int reductions) {
  for (int n = 0; n < reductions; ++n) {
    int word = 0;
    __real_MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_MAX, comm);
  }
}

// Of `comm`, by key and then by rank.
std::vector<int> ranks_of_color(MPI_Comm comm, int color, int key) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const int own[2] = {color, key};
  std::vector<int> all(2 * static_cast<std::size_t>(size)), ranks;
  __real_MPI_Allgather(own, 2, MPI_INT, all.data(), 2, MPI_INT, comm);
  for (int rank = 0; rank < size; ++rank)
    if (all[2 * static_cast<std::size_t>(rank)] == color) ranks.push_back(rank);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return all[2 * static_cast<std::size_t>(a) + 1] < all[2 * static_cast<std::size_t>(b) + 1];
  });
  return ranks;
}

// SMPI makes a communicator of a group on its ranks alone, by a broadcast among them.
int make(MPI_Comm comm, const std::vector<int>& ranks, MPI_Comm* part) {
  MPI_Group all, some;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  const int code = MPI_Comm_create(comm, some, part);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return code;
}

}  // namespace

SCALE_WRAP(MPI_Comm_dup, MPI_Comm, MPI_Comm*)(Handle comm, MPI_Comm* copy) {
  return scale::counted("dup", 0, 0, [&] {
    agree_on_name(scale::comm(comm), reductions_of_name - 1);  // a broadcast to all follows
    return __real_MPI_Comm_dup(scale::comm(comm), copy);
  });
}

extern "C" int __wrap_MPI_Comm_split(Handle comm, int color, int key, MPI_Comm* part) {
  return scale::counted("split", 0, 0, [&] {
    const std::vector<int> ranks = ranks_of_color(scale::comm(comm), color, key);
    agree_on_name(scale::comm(comm), reductions_of_name);
    return make(scale::comm(comm), ranks, part);
  });
}

// SMPI puts every host into a node of its own, and all ranks run on one; here some are the devices of one, as on the
// platform.
std::uint64_t wrapped_key() asm("__wrap__ZN9halocline8node_keyEv");
std::uint64_t wrapped_key() { return static_cast<std::uint64_t>(scale::node_of_rank()); }

extern "C" int __wrap_MPI_Comm_split_type(Handle comm, int, int key, Handle, MPI_Comm* part) {
  return __wrap_MPI_Comm_split(comm, scale::node_of_rank(), key, part);
}
