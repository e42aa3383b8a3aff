// A build without CUDA has no blocks of threads; a test may give it closed_blocks.cu.
#include "lib/base/error.hpp"
#include "lib/problems/collocation/direct/closed_blocks.hpp"

namespace halocline::collocation {

bool closed_blocks_fit(const Executor&, const FourierView&) { return false; }
void analyze_by_blocks(const Executor&, const FourierView&, const ClosedView&, Index, const ColumnPair&,
                       const ColumnPair&) {
  require(false, "no block kernels in this build");
}
void synthesize_by_blocks(const Executor&, const FourierView&, const ClosedView&, Index, const ColumnPair&) {
  require(false, "no block kernels in this build");
}
void solve_across_by_blocks(const Executor&, const FourierView&, const ClosedView&, Index, const ColumnPair&,
                            const double*, Index) {
  require(false, "no block kernels in this build");
}

std::optional<SplitView> split_for_blocks(const Executor&, const FourierView&) { return std::nullopt; }
Index lines_at_a_time(const SplitView&) { return 0; }
void analyze_split(const Executor&, const SplitView&, const ClosedView&, Index, const ColumnPair&, const ColumnPair&,
                   double*) {}
void synthesize_split(const Executor&, const SplitView&, const ClosedView&, Index, const ColumnPair&, double*) {}

}  // namespace halocline::collocation
