#include "gpu/primitives/scan.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan_kernels.hpp"
#include "lib/base/array.hpp"

namespace halocline {

using namespace scan_kernels;

void exclusive_scan(const ExecutorPtr& executor, View<Index, 1> values) {
  const Index n = values.size();
  const bool gpu = executor->backend() == Backend::cuda;
  // A GPU wants many strips; the host a few per thread, each worth waking it.
  const Index length = gpu ? 64 : std::max<Index>(8192, n / (4 * executor->threads()) + 1);
  const Strips strips{values, length};
  const Range<1> all{{0}, {strips.count()}};
  if (strips.count() <= 1) return launch(*executor, "scan", all, ScanStripBody{strips, {}});
  Array<Index, 1> sums(executor, {strips.count()});
  launch(*executor, {"sums of strips", 8.0 * static_cast<double>(n)}, all, SumStripBody{strips, sums.view()});
  exclusive_scan(executor, sums.view());
  launch(*executor, {"scan", 16.0 * static_cast<double>(n)}, all, ScanStripBody{strips, sums.view()});
  executor->wait(executor->record(Queue::compute));  // the sums are in use until then
}

Index scan_counts(const ExecutorPtr& executor, View<Index, 1> counts) {
  exclusive_scan(executor, counts);
  Index total = 0;
  executor->copy_out(&total, counts.data + counts.size() - 1, sizeof total);
  return total;
}

}  // namespace halocline
