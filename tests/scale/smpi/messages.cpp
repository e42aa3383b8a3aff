// Messages between two ranks. Those counted are a rank's own sends.
#include <mpi.h>

#include <unordered_map>
#include <vector>

#include "tests/scale/smpi/compute.hpp"
#include "tests/scale/smpi/counted.hpp"
#include "tests/scale/smpi/open_mpi.hpp"

using scale::bytes_of;
using scale::counted;
using scale::Handle;
using scale::ProgramStatus;

namespace {

// Bytes of persistent sends; receives are not in it.
std::unordered_map<MPI_Request, double>& persistent_sends() {
  static std::unordered_map<MPI_Request, double> sends;
  return sends;
}

// A list of the program's requests as SMPI takes it.
struct Requests {
  Requests(int count, const Handle* requests) : real(static_cast<std::size_t>(count)), ends(real.size()) {
    for (std::size_t i = 0; i < real.size(); ++i) real[i] = scale::request(requests[i]);
  }
  void give_back(Handle* requests, ProgramStatus* statuses) const {
    for (std::size_t i = 0; i < real.size(); ++i) {
      requests[i] = scale::program_request(real[i]);
      if (statuses != nullptr) scale::tell(&statuses[i], ends[i]);
    }
  }
  std::vector<MPI_Request> real;
  std::vector<MPI_Status> ends;
};

}  // namespace

SCALE_WRAP(MPI_Send, const void*, int, MPI_Datatype, int, int, MPI_Comm)
(const void* data, int count, Handle type, int to, int tag, Handle comm) {
  return counted("send", 1, bytes_of(count, scale::type(type)), [&] {
    return __real_MPI_Send(data, count, scale::type(type), scale::source(to), tag, scale::comm(comm));
  });
}

SCALE_WRAP(MPI_Isend, const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
(const void* data, int count, Handle type, int to, int tag, Handle comm, MPI_Request* request) {
  return counted("send", 1, bytes_of(count, scale::type(type)), [&] {
    return __real_MPI_Isend(data, count, scale::type(type), scale::source(to), tag, scale::comm(comm), request);
  });
}

SCALE_WRAP(MPI_Issend, const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
(const void* data, int count, Handle type, int to, int tag, Handle comm, MPI_Request* request) {
  return counted("send", 1, bytes_of(count, scale::type(type)), [&] {
    return __real_MPI_Issend(data, count, scale::type(type), scale::source(to), tag, scale::comm(comm), request);
  });
}

SCALE_WRAP(MPI_Send_init, const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
(const void* data, int count, Handle type, int to, int tag, Handle comm, MPI_Request* request) {
  const int code =
      __real_MPI_Send_init(data, count, scale::type(type), scale::source(to), tag, scale::comm(comm), request);
  persistent_sends()[*request] = bytes_of(count, scale::type(type));
  return code;
}

SCALE_WRAP(MPI_Recv_init, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
(void* data, int count, Handle type, int from, int tag, Handle comm, MPI_Request* request) {
  return __real_MPI_Recv_init(data, count, scale::type(type), scale::source(from), scale::tag(tag), scale::comm(comm),
                              request);
}

SCALE_WRAP(MPI_Recv, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*)
(void* data, int count, Handle type, int from, int tag, Handle comm, ProgramStatus* status) {
  MPI_Status real;
  const int code = counted("receive", 0, 0, [&] {
    return __real_MPI_Recv(data, count, scale::type(type), scale::source(from), scale::tag(tag), scale::comm(comm),
                           &real);
  });
  scale::tell(status, real);
  return code;
}

SCALE_WRAP(MPI_Irecv, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
(void* data, int count, Handle type, int from, int tag, Handle comm, MPI_Request* request) {
  return __real_MPI_Irecv(data, count, scale::type(type), scale::source(from), scale::tag(tag), scale::comm(comm),
                          request);
}

SCALE_WRAP(MPI_Iprobe, int, int, MPI_Comm, int*, MPI_Status*)
(int from, int tag, Handle comm, int* found, ProgramStatus* status) {
  MPI_Status real;
  const int code = __real_MPI_Iprobe(scale::source(from), scale::tag(tag), scale::comm(comm), found, &real);
  if (*found != 0) scale::tell(status, real);
  return code;
}

extern "C" int __wrap_MPI_Get_count(const ProgramStatus* status, Handle type, int* count) {
  *count = static_cast<int>(static_cast<double>(status->bytes) / bytes_of(1, scale::type(type)));
  return MPI_SUCCESS;
}

SCALE_WRAP(MPI_Startall, int, MPI_Request*)(int count, MPI_Request* requests) {
  double messages = 0, bytes = 0;
  for (int i = 0; i < count; ++i) {
    const auto send = persistent_sends().find(requests[i]);
    if (send == persistent_sends().end()) continue;
    ++messages;
    bytes += send->second;
  }
  if (messages > 0) scale::compute("(exchange)", 0);
  return counted(messages > 0 ? "halo" : "halo receives", messages, bytes,
                 [&] { return __real_MPI_Startall(count, requests); });
}

SCALE_WRAP(MPI_Test, MPI_Request*, int*, MPI_Status*)(Handle* request, int* done, ProgramStatus* status) {
  MPI_Request real = scale::request(*request);
  MPI_Status end;
  const int code = __real_MPI_Test(&real, done, &end);
  *request = scale::program_request(real);
  if (*done != 0) scale::tell(status, end);
  return code;
}

SCALE_WRAP(MPI_Wait, MPI_Request*, MPI_Status*)(Handle* request, ProgramStatus* status) {
  MPI_Request real = scale::request(*request);
  MPI_Status end;
  const int code = counted("wait", 0, 0, [&] { return __real_MPI_Wait(&real, &end); });
  *request = scale::program_request(real);
  scale::tell(status, end);
  return code;
}

SCALE_WRAP(MPI_Waitall, int, MPI_Request*, MPI_Status*)(int count, Handle* requests, ProgramStatus* statuses) {
  Requests all(count, requests);
  const int code = counted("wait", 0, 0, [&] { return __real_MPI_Waitall(count, all.real.data(), all.ends.data()); });
  all.give_back(requests, statuses);
  return code;
}

SCALE_WRAP(MPI_Testall, int, MPI_Request*, int*, MPI_Status*)
(int count, Handle* requests, int* done, ProgramStatus* statuses) {
  Requests all(count, requests);
  const int code = __real_MPI_Testall(count, all.real.data(), done, all.ends.data());
  all.give_back(requests, *done != 0 ? statuses : nullptr);
  return code;
}

SCALE_WRAP(MPI_Cancel, MPI_Request*)(Handle* request) {
  MPI_Request real = scale::request(*request);
  return __real_MPI_Cancel(&real);
}

SCALE_WRAP(MPI_Request_free, MPI_Request*)(Handle* request) {
  MPI_Request real = scale::request(*request);
  persistent_sends().erase(real);
  *request = scale::no_request();
  return __real_MPI_Request_free(&real);
}
