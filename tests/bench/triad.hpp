// Bandwidth of the host's memory, the yardstick of the benchmarks, measured in their own run.
#pragma once

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "lib/base/array.hpp"

namespace halocline {

// Bytes per second of a[i] = b[i] + s c[i] on so many threads, best of several passes; 24 bytes per element. Arrays of
// 1 GiB each, at least four times any last-level cache. Measured at the first call.
inline double triad_rate(int threads) {
  static std::map<int, double> rates;
  double& rate = rates[threads];
  if (rate > 0) return rate;
  const Index n = Index{1} << 27;
  const ExecutorPtr host = make_omp_executor(threads);
  Array<double, 1> a(host, {n}), b(host, {n}), c(host, {n});
  double *pa = a.view().data, *pb = b.view().data, *pc = c.view().data;
#pragma omp parallel for num_threads(threads)
  for (Index i = 0; i < n; ++i) pa[i] = 0, pb[i] = 1, pc[i] = 2;
  for (int pass = 0; pass < 5; ++pass) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for num_threads(threads)
    for (Index i = 0; i < n; ++i) pa[i] = pb[i] + 3.0 * pc[i];
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rate = std::max(rate, 24.0 * static_cast<double>(n) / seconds);
  }
  return rate;
}

}  // namespace halocline
