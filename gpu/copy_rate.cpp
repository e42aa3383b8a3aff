#include "gpu/copy_rate.hpp"

#include <chrono>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"

namespace halocline {
namespace {

constexpr Index values = Index{1} << 23;

struct CopyBody {
  const double* from;
  double* to;
  HALOCLINE_HD void operator()(Index i) const { to[i] = from[i]; }
};

}  // namespace

double copy_rate(const ExecutorPtr& executor, double seconds) {
  using Clock = std::chrono::steady_clock;
  Array<double, 1> a(executor, {values}), b(executor, {values});
  const int rounds = executor->backend() == Backend::cuda ? 8 : 1;  // launches last 0.03 ms on a GPU
  const auto copy_there_and_back = [&] {
    for (int round = 0; round < rounds; ++round) {
      launch(*executor, "calibration copy", Range<1>{{0}, {values}}, CopyBody{a.view().data, b.view().data});
      launch(*executor, "calibration copy", Range<1>{{0}, {values}}, CopyBody{b.view().data, a.view().data});
    }
    executor->synchronize();
  };
  copy_there_and_back();
  double elapsed = 0, bytes = 0;
  const Clock::time_point start = Clock::now();
  while (elapsed < seconds) {
    copy_there_and_back();
    bytes += static_cast<double>(rounds) * 4 * static_cast<double>(values * sizeof(double));
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return bytes / elapsed;
}

}  // namespace halocline
