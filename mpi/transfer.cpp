#include "mpi/transfer.hpp"

#include <mpi.h>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "lib/base/error.hpp"

namespace halocline {

bool mpi_takes_cuda_pointers() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;  // the library has no such question
#endif
}

bool goes_directly(Transfer transfer, const Executor& executor, bool cuda_pointers) {
  if (transfer == Transfer::staged) return false;
  const bool gpu = executor.backend() == Backend::cuda;
  if (transfer != Transfer::direct) return gpu && cuda_pointers;
  if (gpu && !cuda_pointers)
    throw MachineError("run.transfer: direct: this MPI library does not take pointers to memory of " + executor.name() +
                       " (it is not CUDA-aware); use auto or staged");
  if (executor.backend() == Backend::emulated)
    throw MachineError("run.transfer: direct: MPI cannot read the memory of " + executor.name() +
                       "; use auto or staged");
  return true;
}

}  // namespace halocline
