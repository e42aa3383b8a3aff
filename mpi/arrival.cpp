#include "mpi/arrival.hpp"

#include <mpi.h>

#include <thread>

#include "mpi/check.hpp"

namespace halocline {

bool all_arrive(const Communicator& comm, std::chrono::milliseconds patience) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm.handle(), &request), "MPI_Ibarrier");
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int done = 0;
  for (;;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0 || std::chrono::steady_clock::now() >= deadline) return done != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace halocline
