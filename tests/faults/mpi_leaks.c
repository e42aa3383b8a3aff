// Preloaded into a program: counts what it makes of MPI and does not give back, and says so for every rank in
// MPI_Finalize: "mpi_leaks: rank 1: 2 requests, 1 communicators", or "mpi_leaks: rank 1: nothing", so that nobody takes
// silence for a good end. Messages are those that a rank has sent to this one in MPI_COMM_WORLD and nobody received.
//
// A number below 0 means that the program makes such things by a call that is missing here. A request is given back
// when a call sets it to MPI_REQUEST_NULL; a persistent one when it is freed.
#include <mpi.h>
#include <stdio.h>

static long requests, communicators, types, groups, infos, operations, windows;

static int made(int code, long* count, int is) {
  if (code == MPI_SUCCESS && is) ++*count;
  return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* fresh) {
  const int code = PMPI_Comm_dup(comm, fresh);
  return made(code, &communicators, *fresh != MPI_COMM_NULL);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* fresh) {
  const int code = PMPI_Comm_split(comm, color, key, fresh);
  return made(code, &communicators, *fresh != MPI_COMM_NULL);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* fresh) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, fresh);
  return made(code, &communicators, *fresh != MPI_COMM_NULL);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* fresh) {
  const int code = PMPI_Comm_create(comm, group, fresh);
  return made(code, &communicators, *fresh != MPI_COMM_NULL);
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (*comm != MPI_COMM_NULL) --communicators;
  return PMPI_Comm_free(comm);
}

// Kinds of things of which the program makes none today.
int MPI_Type_commit(MPI_Datatype* type) { return made(PMPI_Type_commit(type), &types, 1); }
int MPI_Type_free(MPI_Datatype* type) { return --types, PMPI_Type_free(type); }
int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) { return made(PMPI_Comm_group(comm, group), &groups, 1); }
int MPI_Group_free(MPI_Group* group) { return --groups, PMPI_Group_free(group); }
int MPI_Info_create(MPI_Info* info) { return made(PMPI_Info_create(info), &infos, 1); }
int MPI_Info_free(MPI_Info* info) { return --infos, PMPI_Info_free(info); }
int MPI_Op_create(MPI_User_function* work, int commutes, MPI_Op* made_one) {
  return made(PMPI_Op_create(work, commutes, made_one), &operations, 1);
}
int MPI_Op_free(MPI_Op* operation) { return --operations, PMPI_Op_free(operation); }
int MPI_Win_free(MPI_Win* window) { return --windows, PMPI_Win_free(window); }
int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) {
  return made(PMPI_Win_create(base, size, unit, info, comm, window), &windows, 1);
}

#define STARTS(name, parameters, ...)                           \
  int MPI_##name parameters {                                   \
    const int code = PMPI_##name(__VA_ARGS__);                  \
    return made(code, &requests, *request != MPI_REQUEST_NULL); \
  }
STARTS(Isend, (const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request), from,
       n, type, to, tag, comm, request)
STARTS(Issend, (const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request), from,
       n, type, to, tag, comm, request)
STARTS(Ibcast, (void* values, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request), values, n, type,
       root, comm, request)
STARTS(Irecv, (void* into, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request), into, n,
       type, from, tag, comm, request)
STARTS(Send_init, (const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
       from, n, type, to, tag, comm, request)
STARTS(Recv_init, (void* into, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request), into,
       n, type, from, tag, comm, request)
STARTS(Ibarrier, (MPI_Comm comm, MPI_Request* request), comm, request)
STARTS(Iallreduce,
       (const void* from, void* into, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request), from,
       into, n, type, op, comm, request)

static long open_ones(int count, const MPI_Request* list) {
  long open = 0;
  for (int i = 0; i < count; ++i) open += list[i] != MPI_REQUEST_NULL;
  return open;
}

int MPI_Request_free(MPI_Request* request) {
  if (*request != MPI_REQUEST_NULL) --requests;
  return PMPI_Request_free(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const long before = open_ones(1, request);
  const int code = PMPI_Wait(request, status);
  requests -= before - open_ones(1, request);
  return code;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const long before = open_ones(1, request);
  const int code = PMPI_Test(request, done, status);
  requests -= before - open_ones(1, request);
  return code;
}

int MPI_Waitall(int count, MPI_Request* list, MPI_Status* statuses) {
  const long before = open_ones(count, list);
  const int code = PMPI_Waitall(count, list, statuses);
  requests -= before - open_ones(count, list);
  return code;
}

int MPI_Testall(int count, MPI_Request* list, int* done, MPI_Status* statuses) {
  const long before = open_ones(count, list);
  const int code = PMPI_Testall(count, list, done, statuses);
  requests -= before - open_ones(count, list);
  return code;
}

int MPI_Waitany(int count, MPI_Request* list, int* which, MPI_Status* status) {
  const long before = open_ones(count, list);
  const int code = PMPI_Waitany(count, list, which, status);
  requests -= before - open_ones(count, list);
  return code;
}

// Messages that nobody has received, which MPI may keep or drop without a word.
static long unreceived(void) {
  int found = 0;
  MPI_Status status;
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
  return found;
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const struct {
    long count;
    const char* name;
  } all[] = {
      {requests, "requests"}, {communicators, "communicators"}, {types, "types"},     {groups, "groups"},
      {infos, "infos"},       {operations, "operations"},       {windows, "windows"}, {unreceived(), "messages"}};
  char text[512] = "";
  int length = 0;
  for (unsigned i = 0; i < sizeof(all) / sizeof(*all); ++i)
    if (all[i].count != 0)
      length +=
          snprintf(text + length, sizeof(text) - length, "%s%ld %s", length > 0 ? ", " : "", all[i].count, all[i].name);
  fprintf(stderr, "mpi_leaks: rank %d: %s\n", rank, length > 0 ? text : "nothing");
  return PMPI_Finalize();
}
