// Stands for the sources that need CUDA in a build without CUDA.
#include "gpu/cuda_executor.hpp"
#include "gpu/devices.hpp"
#include "gpu/doors/make_door.hpp"
#include "gpu/loaded_kernel.hpp"
#include "gpu/phase_marks.hpp"
#include "gpu/vendor.hpp"
#include "lib/base/error.hpp"

namespace halocline {

bool built_with_cuda() { return false; }

CudaDevices cuda_devices() { return {{}, "this build has no CUDA"}; }

ExecutorPtr make_cuda_executor(int device, const Timers*) {
  throw MachineError("device 'cuda:" + std::to_string(device) + "': this build has no CUDA; use omp or auto");
}

std::unique_ptr<Door> make_cuda_door(const Executor&) { return nullptr; }

int architecture_of(const Executor& executor) { throw MachineError(executor.name() + ": this build has no CUDA"); }

// Never reached: there is no CUDA executor.
struct LoadedKernel::Handles {};
LoadedKernel::LoadedKernel(const Executor& executor, const std::string&, const std::string&) : executor_(&executor) {
  throw MachineError("this build has no CUDA");
}
void LoadedKernel::launch(int, int, const void*, double) const {}
int LoadedKernel::resident_threads(int) const { return 0; }

Timers::Listener phase_marks() { return {}; }

struct Cusparse::State {};
Cusparse::Cusparse(ExecutorPtr) { throw MachineError("this build has no CUDA"); }
Cusparse::~Cusparse() = default;
Cusparse::Cusparse(Cusparse&&) noexcept = default;
Cusparse& Cusparse::operator=(Cusparse&&) noexcept = default;
void Cusparse::solve_pentadiagonal(LocalIndex, LocalIndex, double*, double*, double*, double*, double*, double*) {}
void Cusparse::solve_tridiagonal(LocalIndex, LocalIndex, const double*, const double*, const double*, double*) {}

struct Cublas::State {};
Cublas::Cublas(ExecutorPtr) { throw MachineError("this build has no CUDA"); }
Cublas::~Cublas() = default;
Cublas::Cublas(Cublas&&) noexcept = default;
Cublas& Cublas::operator=(Cublas&&) noexcept = default;
void Cublas::multiply(LocalIndex, LocalIndex, LocalIndex, const double*, const double*, double*) {}
void Cublas::multiply(LocalIndex, LocalIndex, LocalIndex, const double*, LocalIndex, const double*, LocalIndex, double,
                      double*, LocalIndex) {}

std::string vendor_versions() { throw MachineError("this build has no CUDA"); }

}  // namespace halocline
