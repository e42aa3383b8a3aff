// The messages of a halo: the same ones at every exchange.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/communicator.hpp"

namespace halocline {

class HaloMessages {
 public:
  explicit HaloMessages(const Communicator& comm) : comm_(comm.handle()) {}
  ~HaloMessages();
  HaloMessages(const HaloMessages&) = delete;
  HaloMessages& operator=(const HaloMessages&) = delete;

  // At set-up; `count` numbers at `data`, which stays where it is.
  void add_receive(void* data, int count, MPI_Datatype type, int rank, int tag);
  void add_send(const void* data, int count, MPI_Datatype type, int rank, int tag);

  void start_receives();
  void start_sends();
  void wait();  // for all

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> receives_, sends_;  // persistent
  std::vector<MPI_Status> statuses_;
  bool under_way_ = false;
};

}  // namespace halocline
