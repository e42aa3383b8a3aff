#include "gpu/stream/stream_capture.hpp"

namespace halocline {

cudaError_t end_stream_capture(int device, cudaStream_t stream, std::shared_ptr<void>& graph) {
  cudaGraph_t recorded = nullptr;
  cudaError_t status = cudaStreamEndCapture(stream, &recorded);
  if (status != cudaSuccess) return status;
  cudaGraphExec_t ready = nullptr;
  status = cudaGraphInstantiate(&ready, recorded, 0);
  cudaGraphDestroy(recorded);
  if (status != cudaSuccess) return status;
  graph = std::shared_ptr<void>(ready, [device](void* used) {
    cudaSetDevice(device);
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(used));  // after its last launch has ended
  });
  return cudaSuccess;
}

void drop_stream_capture(cudaStream_t stream) noexcept {
  cudaGraph_t recorded = nullptr;
  cudaStreamEndCapture(stream, &recorded);
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  cudaGetLastError();  // of a capture that had become invalid
}

cudaError_t launch_stream_capture(const std::shared_ptr<void>& graph, cudaStream_t stream) {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.get()), stream);
}

}  // namespace halocline
