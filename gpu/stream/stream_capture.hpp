// Capture of the work of a CUDA stream, as a graph that is launched.
#pragma once

#include <cuda_runtime.h>

#include <memory>

namespace halocline {

// Ends the capture of `stream`, on the current device `device`, and makes it a graph to launch. Errors of CUDA are left
// to the caller, with nothing in `graph`; the stream is usable thereafter.
cudaError_t end_stream_capture(int device, cudaStream_t stream, std::shared_ptr<void>& graph);
void drop_stream_capture(cudaStream_t stream) noexcept;
cudaError_t launch_stream_capture(const std::shared_ptr<void>& graph, cudaStream_t stream);

}  // namespace halocline
