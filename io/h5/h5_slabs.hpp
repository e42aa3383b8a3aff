// Deals a distributed array out anew, so that every rank holds whole slabs of its slowest axis: one contiguous piece of
// the dataset each.
//
// Ranks exchange values before anyone writes, and writes are independent, so that a failure is the writing rank's own
// and can be agreed upon; CONTRIBUTING.md says why not by MPI-IO.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/h5/h5.hpp"
#include "mpi/communicator.hpp"

namespace halocline::h5 {

struct Slabs {
  std::vector<std::uint64_t> storage;  // of any type with 8 bytes
  std::vector<Source> boxes;
};

// Whether every box, on all ranks, is a slab already: whole along the axes behind the first one that has several
// indices. Does not look at values. Collective.
bool are_slabs(const Communicator& comm, const Extent& shape, std::span<const Source> boxes);

// Values of an array of `shape` in front of the slab of `rank`; of the rank behind the last one: all.
Index slab_begin(const Extent& shape, int rank, int ranks);

// The boxes of all ranks tile an array of `shape` (8-byte values). Collective.
Slabs to_slabs(const Communicator& comm, const Extent& shape, std::span<const Source> boxes);

}  // namespace halocline::h5
