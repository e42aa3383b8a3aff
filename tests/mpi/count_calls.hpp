// Counts what this process hands to MPI. Linked into a test program, count_calls.cpp stands before the library's own
// functions, which it calls by their other names.
#pragma once

#include <cstddef>

namespace halocline {

struct MpiCalls {
  std::size_t messages = 0, collectives = 0;  // sends between two ranks; reductions, gathers and the like
  std::size_t bytes = 0;                      // of all buffers of these, also those that a collective call fills
};
// Of this process until now.
MpiCalls mpi_calls();
MpiCalls operator-(const MpiCalls& after, const MpiCalls& before);

}  // namespace halocline
