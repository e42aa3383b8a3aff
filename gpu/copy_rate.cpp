#include "gpu/copy_rate.hpp"

#include <chrono>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"

namespace halocline {
namespace {

struct CopyBody {
  const double* from;
  double* to;
  HALOCLINE_HD void operator()(Index i) const { to[i] = from[i]; }
};

}  // namespace

double copy_rate(const ExecutorPtr& executor, double seconds) {
  using Clock = std::chrono::steady_clock;
  const bool gpu = executor->backend() == Backend::cuda;
  // Far more than caches hold, and on a GPU so much that starts of copies, a few microseconds each, do not count.
  const Index values = Index{1} << (gpu ? 25 : 23);
  const int rounds = gpu ? 4 : 1;
  const auto bytes = static_cast<std::size_t>(values) * sizeof(double);
  Array<double, 1> a(executor, {values}), b(executor, {values});
  const auto copy = [&](const Array<double, 1>& from, Array<double, 1>& to) {
    if (gpu)
      executor->copy_async(to.view().data, from.view().data, bytes, Queue::compute);
    else
      launch(*executor, "calibration copy", Range<1>{{0}, {values}}, CopyBody{from.view().data, to.view().data});
  };
  const auto copy_there_and_back = [&] {
    for (int round = 0; round < rounds; ++round) {
      copy(a, b);
      copy(b, a);
    }
    executor->synchronize();
  };
  copy_there_and_back();
  double elapsed = 0, copied = 0;
  const Clock::time_point start = Clock::now();
  while (elapsed < seconds) {
    copy_there_and_back();
    copied += rounds * 4 * static_cast<double>(bytes);
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return copied / elapsed;
}

}  // namespace halocline
