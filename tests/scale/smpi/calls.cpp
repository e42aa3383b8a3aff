// Start, end and communicators.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/scale/smpi/counted.hpp"
#include "tests/scale/smpi/open_mpi.hpp"
#include "tests/scale/smpi/report.hpp"

// Whose addresses the program takes for handles.
extern "C" {
char ompi_mpi_comm_world[1], ompi_mpi_comm_null[1], ompi_mpi_info_null[1], ompi_mpi_errors_return[1];
char ompi_mpi_byte[1], ompi_mpi_char[1], ompi_mpi_double[1], ompi_mpi_float[1];
char ompi_mpi_int[1], ompi_mpi_int32_t[1], ompi_mpi_int64_t[1], ompi_mpi_uint64_t[1];
char ompi_mpi_op_max[1], ompi_mpi_op_min[1], ompi_mpi_op_sum[1], ompi_request_null[1];
}

namespace scale {
namespace {

constexpr int in_node = 4;  // as on the platform

Ledgers& ledgers() {
  static Ledgers of_ranks;
  return of_ranks;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

template <class T>
struct Pair {
  Handle handle;
  T real;
};

template <class T, std::size_t N>
T find(const char* what, const Pair<T> (&pairs)[N], Handle handle) {
  for (const Pair<T>& pair : pairs)
    if (pair.handle == handle) return pair.real;
  std::fprintf(stderr, "scale: a predefined %s that tests/scale/smpi/calls.cpp does not know\n", what);
  std::abort();
}

}  // namespace

Ledger& ledger() {
  if (ledgers().empty()) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ledgers().resize(static_cast<std::size_t>(size));
  }
  std::unique_ptr<Ledger>& own = ledgers()[static_cast<std::size_t>(world_rank())];
  if (!own) own = std::make_unique<Ledger>();
  return *own;
}

MPI_Comm comm(Handle handle) {
  if (handle == ompi_mpi_comm_world) return MPI_COMM_WORLD;
  return handle == ompi_mpi_comm_null ? MPI_COMM_NULL : static_cast<MPI_Comm>(handle);
}

MPI_Datatype type(Handle handle) {
  const Pair<MPI_Datatype> pairs[] = {{ompi_mpi_double, MPI_DOUBLE},   {ompi_mpi_int64_t, MPI_INT64_T},
                                      {ompi_mpi_float, MPI_FLOAT},     {ompi_mpi_int, MPI_INT},
                                      {ompi_mpi_char, MPI_CHAR},       {ompi_mpi_byte, MPI_BYTE},
                                      {ompi_mpi_int32_t, MPI_INT32_T}, {ompi_mpi_uint64_t, MPI_UINT64_T}};
  return find("type", pairs, handle);
}

MPI_Op operation(Handle handle) {
  const Pair<MPI_Op> pairs[] = {{ompi_mpi_op_sum, MPI_SUM}, {ompi_mpi_op_max, MPI_MAX}, {ompi_mpi_op_min, MPI_MIN}};
  return find("operation", pairs, handle);
}

int node_of_rank() { return world_rank() / in_node; }

Handle no_comm() { return ompi_mpi_comm_null; }
Handle no_request() { return ompi_request_null; }

void tell(ProgramStatus* to, const MPI_Status& status) {
  if (to != nullptr)
    *to = {status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR, 0, static_cast<std::size_t>(status.count)};
}

double bytes_of(int count, MPI_Datatype type) {
  int width = 0;
  MPI_Type_size(type, &width);
  return static_cast<double>(count) * width;
}

}  // namespace scale

using scale::Handle;

// SMPI says that it has no threads, as it cannot know that only one of a rank calls it.
SCALE_WRAP(MPI_Init_thread, int*, char***, int, int*)(int* argc, char*** argv, int wanted, int* provided) {
  const int code = __real_MPI_Init_thread(argc, argv, wanted, provided);
  *provided = wanted;
  return code;
}

extern "C" int __real_MPI_Barrier(MPI_Comm);
SCALE_WRAP(MPI_Finalize, )() {
  __real_MPI_Barrier(MPI_COMM_WORLD);
  if (scale::world_rank() == 0) scale::write_report(scale::ledgers());
  return __real_MPI_Finalize();
}

extern "C" int __wrap_MPI_Abort(Handle, int code) {
  std::fflush(nullptr);
  std::_Exit(code);  // the whole cluster is this process
}

SCALE_WRAP(MPI_Comm_rank, MPI_Comm, int*)(Handle comm, int* rank) {
  return __real_MPI_Comm_rank(scale::comm(comm), rank);
}

SCALE_WRAP(MPI_Comm_size, MPI_Comm, int*)(Handle comm, int* size) {
  return __real_MPI_Comm_size(scale::comm(comm), size);
}

extern "C" int __wrap_MPI_Comm_set_errhandler(Handle, Handle) { return MPI_SUCCESS; }

SCALE_WRAP(MPI_Comm_free, MPI_Comm*)(Handle* comm) {
  MPI_Comm real = scale::comm(*comm);
  *comm = scale::no_comm();
  return __real_MPI_Comm_free(&real);
}

extern "C" int __wrap_MPI_Get_library_version(char* version, int* length) {
  std::strcpy(version, "SMPI of SimGrid");
  *length = static_cast<int>(std::strlen(version));
  return MPI_SUCCESS;
}

extern "C" int MPIX_Query_cuda_support() { return 0; }
