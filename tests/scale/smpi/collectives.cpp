// Collective operations. Bytes are what a rank gives; what the library sends for it stands in the time of the call. An
// exchange of all with all counts its messages.
#include <mpi.h>

#include "tests/scale/smpi/compute.hpp"
#include "tests/scale/smpi/counted.hpp"
#include "tests/scale/smpi/open_mpi.hpp"

using scale::bytes_of;
using scale::counted;
using scale::from;
using scale::Handle;

namespace {

int size_of(Handle comm) {
  int size = 0;
  MPI_Comm_size(scale::comm(comm), &size);
  return size;
}

double given(int count, Handle type) { return bytes_of(count, scale::type(type)); }

}  // namespace

SCALE_WRAP(MPI_Allreduce, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)
(const void* in, void* out, int count, Handle type, Handle operation, Handle comm) {
  scale::compute("(wait for a sum)", 0);
  return counted("reduction", 0, given(count, type), [&] {
    return __real_MPI_Allreduce(from(in), out, count, scale::type(type), scale::operation(operation),
                                scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Iallreduce, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*)
(const void* in, void* out, int count, Handle type, Handle operation, Handle comm, MPI_Request* request) {
  return counted("reduction", 0, given(count, type), [&] {
    return __real_MPI_Iallreduce(from(in), out, count, scale::type(type), scale::operation(operation),
                                 scale::comm(comm), request);
  });
}

SCALE_WRAP(MPI_Reduce_scatter_block, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)
(const void* in, void* out, int count, Handle type, Handle operation, Handle comm) {
  return counted("reduction", 0, given(count, type) * size_of(comm), [&] {
    return __real_MPI_Reduce_scatter_block(from(in), out, count, scale::type(type), scale::operation(operation),
                                           scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Exscan, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)
(const void* in, void* out, int count, Handle type, Handle operation, Handle comm) {
  return counted("reduction", 0, given(count, type), [&] {
    return __real_MPI_Exscan(from(in), out, count, scale::type(type), scale::operation(operation), scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm)
(const void* in, int n, Handle type, void* out, int m, Handle to, Handle comm) {
  const int others = size_of(comm) - 1;
  return counted("all to all", others, given(n, type) * others, [&] {
    return __real_MPI_Alltoall(from(in), n, scale::type(type), out, m, scale::type(to), scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Allgather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm)
(const void* in, int n, Handle type, void* out, int m, Handle to, Handle comm) {
  return counted("gather to all", 0, given(m, to), [&] {
    return __real_MPI_Allgather(from(in), n, scale::type(type), out, m, scale::type(to), scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Allgatherv, const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm)
(const void* in, int n, Handle type, void* out, const int* counts, const int* starts, Handle to, Handle comm) {
  return counted("gather to all", 0, given(n, to), [&] {
    return __real_MPI_Allgatherv(from(in), n, scale::type(type), out, counts, starts, scale::type(to),
                                 scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Gather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm)
(const void* in, int n, Handle type, void* out, int m, Handle to, int root, Handle comm) {
  return counted("gather", 0, given(n, type), [&] {
    return __real_MPI_Gather(from(in), n, scale::type(type), out, m, scale::type(to), root, scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Gatherv, const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, int, MPI_Comm)
(const void* in, int n, Handle type, void* out, const int* counts, const int* starts, Handle to, int root,
 Handle comm) {
  return counted("gather", 0, given(n, type), [&] {
    return __real_MPI_Gatherv(from(in), n, scale::type(type), out, counts, starts, scale::type(to), root,
                              scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Bcast, void*, int, MPI_Datatype, int, MPI_Comm)
(void* data, int count, Handle type, int root, Handle comm) {
  return counted("broadcast", 0, given(count, type),
                 [&] { return __real_MPI_Bcast(data, count, scale::type(type), root, scale::comm(comm)); });
}

SCALE_WRAP(MPI_Barrier, MPI_Comm)(Handle comm) {
  return counted("barrier", 0, 0, [&] { return __real_MPI_Barrier(scale::comm(comm)); });
}

SCALE_WRAP(MPI_Ibarrier, MPI_Comm, MPI_Request*)(Handle comm, MPI_Request* request) {
  return counted("barrier", 0, 0, [&] { return __real_MPI_Ibarrier(scale::comm(comm), request); });
}
