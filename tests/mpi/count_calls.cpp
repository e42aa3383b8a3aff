#include "tests/mpi/count_calls.hpp"

#include <mpi.h>

namespace halocline {
namespace {

MpiCalls calls;

std::size_t bytes_of(std::size_t count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * static_cast<std::size_t>(size);
}

std::size_t ranks_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

void message(int count, MPI_Datatype type) {
  ++calls.messages;
  calls.bytes += bytes_of(static_cast<std::size_t>(count), type);
}

void collective(std::size_t values, MPI_Datatype type) {
  ++calls.collectives;
  calls.bytes += bytes_of(values, type);
}

}  // namespace

MpiCalls mpi_calls() { return calls; }

MpiCalls operator-(const MpiCalls& after, const MpiCalls& before) {
  return {after.messages - before.messages, after.collectives - before.collectives, after.bytes - before.bytes};
}

}  // namespace halocline

using halocline::collective, halocline::message, halocline::ranks_of;

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* request) {
  message(count, type);
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* request) {
  message(count, type);
  return PMPI_Issend(data, count, type, rank, tag, comm, request);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  collective(static_cast<std::size_t>(count), type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int count_to, MPI_Datatype type_to,
                  MPI_Comm comm) {
  collective(static_cast<std::size_t>(count) * (ranks_of(comm) + 1), type);
  return PMPI_Allgather(from, count, type, to, count_to, type_to, comm);
}
int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int counts[], const int places[],
                   MPI_Datatype type_to, MPI_Comm comm) {
  std::size_t values = static_cast<std::size_t>(count);
  for (std::size_t r = 0; r < ranks_of(comm); ++r) values += static_cast<std::size_t>(counts[r]);
  collective(values, type);
  return PMPI_Allgatherv(from, count, type, to, counts, places, type_to, comm);
}
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int count_to, MPI_Datatype type_to,
                 MPI_Comm comm) {
  collective(static_cast<std::size_t>(count) * 2 * ranks_of(comm), type);
  return PMPI_Alltoall(from, count, type, to, count_to, type_to, comm);
}
int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  collective(static_cast<std::size_t>(count) * (ranks_of(comm) + 1), type);
  return PMPI_Reduce_scatter_block(from, to, count, type, op, comm);
}
}
