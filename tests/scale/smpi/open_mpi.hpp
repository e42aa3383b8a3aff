// From Open MPI, whose headers the program is compiled with, to SMPI: what a handle, a number or a place of the one is
// to the other. Handles of both are pointers, so that those which SMPI makes pass through the program unchanged;
// predefined ones of Open MPI are the addresses of objects of its library, here of a byte each (open_mpi_objects in
// calls.cpp).
#pragma once

#include <mpi.h>

#include <cstddef>

namespace scale {

// Handles as the program holds them.
using Handle = void*;

// As Open MPI lays it out.
struct ProgramStatus {
  int source, tag, error, cancelled;
  std::size_t bytes;
};

MPI_Comm comm(Handle handle);
MPI_Datatype type(Handle handle);
MPI_Op operation(Handle handle);
Handle no_comm();
int node_of_rank();  // where this rank is
Handle no_request();

inline MPI_Request request(Handle handle) {
  return handle == no_request() ? MPI_REQUEST_NULL : static_cast<MPI_Request>(handle);
}
inline Handle program_request(MPI_Request request) { return request == MPI_REQUEST_NULL ? no_request() : request; }

inline int source(int rank) { return rank == -1 ? MPI_ANY_SOURCE : rank == -2 ? MPI_PROC_NULL : rank; }
inline int tag(int number) { return number == -1 ? MPI_ANY_TAG : number; }

// Where a collective operation finds its own part.
inline const void* from(const void* data) { return data == reinterpret_cast<const void*>(1) ? MPI_IN_PLACE : data; }

void tell(ProgramStatus* to, const MPI_Status& status);

double bytes_of(int count, MPI_Datatype type);

}  // namespace scale
