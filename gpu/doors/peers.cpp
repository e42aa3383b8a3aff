#include "gpu/doors/peers.hpp"

#include "gpu/cuda_executor.hpp"

namespace halocline {

void open_peers(const std::vector<ExecutorPtr>& executors) {
  for (const ExecutorPtr& one : executors) {
    for (const ExecutorPtr& other : executors) {
      const auto* user = dynamic_cast<const CudaExecutor*>(one.get());
      const auto* owner = dynamic_cast<const CudaExecutor*>(other.get());
      if (user != nullptr && owner != nullptr) user->open_peer(*owner);
    }
  }
}

}  // namespace halocline
