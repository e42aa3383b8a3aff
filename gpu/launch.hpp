// Runs kernel bodies on any executor: `launch` for loops over a box, `launch_rows` for lines of nodes, `launch_lanes`
// for interleaved columns, `sum_lanes` and `sum_chunks` for sums that do not depend on partition or threads, `reduce`
// for order-free operations such as max.
//
// A body is a named functor of Views and scalars. Sources that include this file are listed in halocline_kernels() of
// CMake, which makes them CUDA files in a CUDA build.
#pragma once

#if !defined(HALOCLINE_KERNEL_FILE)
#error "list this source in halocline_kernels(target file.cpp), so that a CUDA build compiles it for the GPU as well"
#endif

#include <omp.h>

#include <algorithm>
#include <span>

#include "lib/base/error.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/pack.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/base/view.hpp"

#if defined(__CUDACC__)
#include "gpu/launch_cuda.cuh"
#endif

namespace halocline {

namespace detail {

template <int Rank, class Body>
void run_on_host(int threads, const Range<Rank>& range, const Body& body) {
  if constexpr (Rank == 1) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (Index i = range.lo[0]; i < range.hi[0]; ++i) body(i);
  } else if constexpr (Rank == 2) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (Index i = range.lo[0]; i < range.hi[0]; ++i)
      for (Index j = range.lo[1]; j < range.hi[1]; ++j) body(i, j);
  } else {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (threads > 1)
    for (Index i = range.lo[0]; i < range.hi[0]; ++i)
      for (Index j = range.lo[1]; j < range.hi[1]; ++j)
        for (Index k = range.lo[2]; k < range.hi[2]; ++k) body(i, j, k);
  }
}

template <class Body>
void launch_rows_on_host(const Executor& executor, const Label& label, const Range<2>& range, const Body& body) {
  // A thread is worth waking for some thousand nodes.
  const auto threads = static_cast<int>(std::min<Index>(executor.threads(), 1 + range.size() / 4096));
  run_kernel(executor, label, [=] {
    run_on_host(threads, Range<1>{{range.lo[0]}, {range.hi[0]}},
                [=, &body](Index i) { body.row(i, range.lo[1], range.hi[1]); });
  });
}

// Where a body puts its chunk sums on the host: accumulators of one thread.
struct HostSink {
  ExactSum* sums;
  void add(int which, double value) { sums[which].add(value); }
  void add(int which, const Pack<double>& value) {
    for (int i = 0; i < lanes; ++i) sums[which].add(lane_of(value, i));
  }
  // Adds all lanes as one chunk, pairwise in a fixed order; for columns too short to be chunks of their own.
  void add_joined(int which, const Pack<double>& value) {
    const auto* v = reinterpret_cast<const double*>(value.r);
    sums[which].add(((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])));
  }
};

template <int K, class Call>
void sum_on_host(int threads, Index count, const Call& call, ExactSum* sums) {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    ExactSum own[K];
    HostSink sink{own};
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < count; ++i) call(i, sink);
#pragma omp critical(halocline_exact_sum)
    for (int k = 0; k < K; ++k) sums[k].add(own[k]);
  }
}

}  // namespace detail

// body(i...) for every index of the range. Iterations may run in any order and at the same time.
template <int Rank, class Body>
void launch(const Executor& executor, const Label& label, const Range<Rank>& range, const Body& body) {
  if (range.size() == 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::launch_on_cuda(executor, label, range, body);
#endif
  run_kernel(executor, label, [=, threads = executor.threads()] { detail::run_on_host(threads, range, body); });
}

// The same for bodies that GPUs have another one in place of: not compiled for them, and not to be called with one.
template <int Rank, class Body>
void launch_on_host(const Executor& executor, const Label& label, const Range<Rank>& range, const Body& body) {
  if (range.size() == 0) return;
  run_kernel(executor, label, [=, threads = executor.threads()] { detail::run_on_host(threads, range, body); });
}

// Lines of nodes: body.row(i, begin, end) for every line i on the host, which may run along the line in SIMD registers;
// body(i, j), a thread each, on a GPU. Both must give the same up to rounding.
template <class Body>
void launch_rows(const Executor& executor, const Label& label, const Range<2>& range, const Body& body) {
  if (range.size() == 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::launch_rows_on_cuda(executor, label, range, body);
#endif
  detail::launch_rows_on_host(executor, label, range, body);
}

// Lines of at most 128 nodes with K sums each. On the host body.row(i, begin, end) stores the sums of line i itself, at
// body.of(i)[0 ... K - 1]. On a GPU body(i, j, terms) sets the K terms of a node, which are added in a fixed order and
// stored there.
template <int K, class Body>
void launch_summed_rows(const Executor& executor, const Label& label, const Range<2>& range, const Body& body) {
  if (range.size() == 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::launch_summed_rows_on_cuda<K>(executor, label, range, body);
#endif
  detail::launch_rows_on_host(executor, label, range, body);
}

// body.operator()<P>(group, piece, lane) for every group and piece: with P = Pack<double> (lane 0) on the host,
// for every lane with P = double on a GPU. Lanes and pieces must be independent of each other.
template <class Body>
void launch_lanes(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body) {
  if (groups <= 0 || pieces <= 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::launch_lanes_on_cuda(executor, label, groups, pieces, body);
#endif
  run_kernel(executor, label, [=, threads = executor.threads()] {
    detail::run_on_host(threads, Range<1>{{0}, {groups * pieces}},
                        [=, &body](Index n) { body.template operator()<Pack<double>>(n / pieces, n % pieces, 0); });
  });
}

// As launch_lanes, with body.operator()<P>(group, piece, lane, sink): the body calls sink.add(k, value) once for every
// k < K at its end; these chunk sums are added exactly to sums[k] (on a GPU first over some pieces of a lane, in a
// fixed order). Returns when the sums are known.
template <int K, class Body>
void sum_lanes(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body,
               std::span<ExactSum, K> sums) {
  if (groups <= 0 || pieces <= 0) return;
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda)
    return detail::sum_lanes_on_cuda<K>(executor, label, groups, pieces, body, sums);
#endif
  run_kernel(executor, label, [=, threads = executor.threads(), out = sums.data()] {
    detail::sum_on_host<K>(
        threads, groups * pieces,
        [&body, pieces](Index n, detail::HostSink& sink) {
          body.template operator()<Pack<double>>(n / pieces, n % pieces, 0, sink);
        },
        out);
  });
  if (executor.backend() != Backend::omp) executor.wait(executor.record(Queue::compute));
}

// As sum_lanes, but the sums are rounded on the device, as by ExactSum::value(), and then(sums) is called there, once,
// with an array of K doubles: sums that stay on the device. Nothing waits, so a LaunchGraph can hold it.
template <int K, class Body, class Then>
void end_lanes(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body,
               const Then& then) {
  require(groups > 0 && pieces > 0, "end_lanes: nothing to add");
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda)
    return detail::end_lanes_on_cuda<K>(executor, label, groups, pieces, body, then);
#endif
  run_kernel(executor, label, [=, threads = executor.threads()] {
    ExactSum sums[K];
    detail::sum_on_host<K>(
        threads, groups * pieces,
        [&body, pieces](Index n, detail::HostSink& sink) {
          body.template operator()<Pack<double>>(n / pieces, n % pieces, 0, sink);
        },
        sums);
    double rounded[K];
    for (int k = 0; k < K; ++k) rounded[k] = sums[k].value();
    then(rounded);
  });
}

// body(chunk, sink) for every chunk; otherwise as sum_lanes.
template <int K, class Body>
void sum_chunks(const Executor& executor, const Label& label, Index chunks, const Body& body,
                std::span<ExactSum, K> sums) {
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::sum_chunks_on_cuda<K>(executor, label, chunks, body, sums);
#endif
  run_kernel(executor, label, [=, threads = executor.threads(), out = sums.data()] {
    detail::sum_on_host<K>(threads, chunks, body, out);
  });
  if (executor.backend() != Backend::omp) executor.wait(executor.record(Queue::compute));
}

// op over body(i...) of a range, beginning with `initial`. `op` must not depend on order: max, min, logical or.
// Sums go through sum_lanes and sum_chunks.
template <class T, int Rank, class Op, class Body>
T reduce(const Executor& executor, const Label& label, const Range<Rank>& range, T initial, const Op& op,
         const Body& body) {
#if defined(__CUDACC__)
  if (executor.backend() == Backend::cuda) return detail::reduce_on_cuda(executor, label, range, initial, op, body);
#endif
  T result = initial;
  run_kernel(executor, label, [=, threads = executor.threads(), out = &result] {
    T joined = initial;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      T own = initial;
#pragma omp for schedule(static) nowait
      for (Index i = range.lo[0]; i < range.hi[0]; ++i) {
        const auto take = [&own, &op](const T& value) { own = op(own, value); };
        if constexpr (Rank == 1) {
          take(body(i));
        } else {
          for (Index j = range.lo[1]; j < range.hi[1]; ++j)
            if constexpr (Rank == 2) {
              take(body(i, j));
            } else {
              for (Index k = range.lo[2]; k < range.hi[2]; ++k) take(body(i, j, k));
            }
        }
      }
#pragma omp critical(halocline_reduce)
      joined = op(joined, own);
    }
    *out = joined;
  });
  if (executor.backend() != Backend::omp) executor.wait(executor.record(Queue::compute));
  return result;
}

}  // namespace halocline
