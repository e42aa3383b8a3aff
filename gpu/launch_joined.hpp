// launch_joined: sums of some terms each, shared by neighboring threads of a GPU. For sources that are listed in
// halocline_kernels().
#pragma once

#include "gpu/launch.hpp"

namespace halocline {

#if defined(__CUDACC__)
namespace detail {

// L neighboring threads for every n; all threads of a warp stay for the shuffles.
template <int L, class T, class Body>
__global__ void run_joined(Index count, Body body) {
  const Index thread = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x, n = thread / L;
  T sum = n < count ? body.share(n, thread % L, L) : T{0};
  for (unsigned half = L / 2; half > 0; half /= 2) sum += __shfl_down_sync(~0U, sum, half, L);
  if (n < count && thread % L == 0) body.finish(n, sum);
}

template <int L, class T, class Body>
void launch_joined_on_cuda(const Executor& executor, const Label& label, Index count, const Body& body) {
  const KernelTimer timer(executor, label);
  run_joined<L, T><<<blocks_for(L * count), threads_per_block, 0, stream_of(executor)>>>(count, body);
  check_launch(executor, label);
}

}  // namespace detail
#endif

// body.share(n, lane, L), of type T, for every n < count and L lanes (4, 8, 16); the shares are joined pairwise, those
// half of the lanes apart first, and body.finish(n, sum) takes their sum.
template <int L, class T, class Body>
void launch_joined(const Executor& executor, const Label& label, Index count, const Body& body) {
  if (count <= 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::launch_joined_on_cuda<L, T>(executor, label, count, body);
#endif
  run_kernel(executor, label, [=, threads = executor.threads()] {
    detail::run_on_host(threads, Range<1>{{0}, {count}}, [=, &body](Index n) {
      T shares[L];
      for (int lane = 0; lane < L; ++lane) shares[lane] = body.share(n, lane, L);
      for (int half = L / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane) shares[lane] += shares[lane + half];
      body.finish(n, shares[0]);
    });
  });
}

}  // namespace halocline
