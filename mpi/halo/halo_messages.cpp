#include "mpi/halo/halo_messages.hpp"

#include <algorithm>

#include "mpi/check.hpp"

namespace halocline {
namespace {

void start_all(std::vector<MPI_Request>& requests) {
  if (requests.empty()) return;
  check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall (halo)");
}

void wait_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  if (requests.empty()) return;
  const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (std::size_t r = 0; r < requests.size(); ++r) {
      if (statuses[r].MPI_ERROR != MPI_ERR_PENDING) check_mpi(statuses[r].MPI_ERROR, "MPI_Waitall (halo)");
    }
  }
  check_mpi(code, "MPI_Waitall (halo)");
}

}  // namespace

HaloMessages::~HaloMessages() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (MPI_Request& request : receives_) {
    if (under_way_) MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  for (MPI_Request& request : sends_) MPI_Request_free(&request);
}

void HaloMessages::add_receive(void* data, int count, MPI_Datatype type, int rank, int tag) {
  check_mpi(MPI_Recv_init(data, count, type, rank, tag, comm_, &receives_.emplace_back()), "MPI_Recv_init");
  statuses_.resize(std::max(receives_.size(), sends_.size()));
}

void HaloMessages::add_send(const void* data, int count, MPI_Datatype type, int rank, int tag) {
  check_mpi(MPI_Send_init(data, count, type, rank, tag, comm_, &sends_.emplace_back()), "MPI_Send_init");
  statuses_.resize(std::max(receives_.size(), sends_.size()));
}

void HaloMessages::start_receives() {
  start_all(receives_);
  under_way_ = true;
}

void HaloMessages::start_sends() { start_all(sends_); }

void HaloMessages::wait() {
  wait_all(receives_, statuses_);
  wait_all(sends_, statuses_);
  under_way_ = false;
}

}  // namespace halocline
