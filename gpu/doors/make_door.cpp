#include "gpu/doors/make_door.hpp"

#include "lib/base/emulated/emulated_door.hpp"

namespace halocline {

std::unique_ptr<Door> make_door(const Executor& executor) {
  return executor.backend() == Backend::cuda ? make_cuda_door(executor) : make_emulated_door(executor);
}

}  // namespace halocline
