#include "lib/linalg/sparse/products/spgemm.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/hash_product.hpp"
#include "lib/linalg/sparse/products/host_product.hpp"
#include "lib/linalg/sparse/products/spgemm_kernels.hpp"

namespace halocline::sparse {
namespace {

FactorRows factor_rows(const DistCrs& a, const DistCrs& b, const RowFetch& fetch, int p) {
  return {fetch.own(b, p), fetch.view(p), a.ghosts(p).below, b.columns().own_size(p) + fetch.ghosts(p).size()};
}

// Ghosts that occur, and the numbers of ghosts: from old ones to new ones and back, own columns not counted.
struct Kept {
  Ghosts ghosts;
  std::vector<LocalIndex> new_number, old_number;
};
Kept keep_used(const Ghosts& all, const std::vector<Bits>& used) {
  Kept kept;
  for (Index n = 0; n < all.size(); ++n) {
    kept.new_number.push_back(static_cast<LocalIndex>(kept.old_number.size()));
    if ((used[n / 64] >> (n % 64) & 1) == 0) continue;
    kept.ghosts.rows.push_back(all.rows[n]);
    kept.ghosts.below += n < all.below ? 1 : 0;
    kept.old_number.push_back(static_cast<LocalIndex>(n));
  }
  return kept;
}

// Leaves out ghosts that no row of the product has; returns the old numbers of the columns, if they changed.
Array<LocalIndex, 1> leave_out_unused(const ExecutorPtr& executor, Index own, LocalRows& c) {
  const Ghosts all = c.ghosts;
  if (all.size() == 0) return {};
  const GhostNumber ghost{all.below, own};
  Array<Bits, 1> used = make_array(executor, std::vector<Bits>(static_cast<std::size_t>(all.size() / 64 + 1), 0));
  const View<LocalIndex, 1> col = c.rows.col.view();
  launch(*executor, {"mark ghosts", 4.0 * static_cast<double>(col.size())}, up_to(col.size()),
         MarkUsedBody{col, ghost, used.view().data});
  Kept kept = keep_used(all, used.to_host());
  if (kept.ghosts.size() == all.size()) return {};
  const Array<LocalIndex, 1> new_number = make_array(executor, kept.new_number),
                             old_number = make_array(executor, kept.old_number);
  const GhostNumber fewer{kept.ghosts.below, own};
  launch(*executor, {"renumber columns", 8.0 * static_cast<double>(col.size())}, up_to(col.size()),
         LeaveOutBody{col, ghost, fewer, new_number.view()});
  Array<LocalIndex, 1> column_of_b(executor, {own + kept.ghosts.size()});
  launch(*executor, "old numbers of columns", up_to(column_of_b.size()),
         OldColumnBody{column_of_b.view(), fewer, ghost, old_number.view()});
  executor->synchronize();  // the numbers are in use until then
  c.ghosts = std::move(kept.ghosts);
  return column_of_b;
}

}  // namespace

DistCrs multiply(const DistCrs& a, const DistCrs& b, Order order, ProductPlan* keep) {
  require(a.columns_pointer() == b.rows_pointer(), "multiply: columns of A are the rows of B");
  const Team& team = a.team();
  auto fetch = std::make_unique<RowFetch>(b, a);
  std::vector<LocalRows> parts(static_cast<std::size_t>(team.parts()));
  std::vector<Array<LocalIndex, 1>> column_of_b(parts.size());
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const auto product = executor->backend() == Backend::cuda ? hash_product : host_product;
    parts[p].rows = product(executor, a.view(p), factor_rows(a, b, *fetch, p), order == Order::sorted);
    parts[p].ghosts = fetch->ghosts(p);
    column_of_b[p] = leave_out_unused(executor, b.columns().own_size(p), parts[p]);
  });
  if (keep != nullptr) *keep = {std::move(fetch), std::move(column_of_b)};
  return {a.rows_pointer(), b.columns_pointer(), std::move(parts)};
}

void multiply_again(const ProductPlan& plan, const DistCrs& a, const DistCrs& b, DistCrs& c) {
  plan.fetch->again(b);
  const Team& team = a.team();
  team.each([&](int p) {
    const CrsView<double> rows = c.view(p);
    const LocalIndex* column_of_b = plan.column_of_b[p].size() > 0 ? plan.column_of_b[p].view().data : nullptr;
    const ExecutorPtr& executor = team.executor(p);
    const auto again = executor->backend() == Backend::cuda ? hash_product_again : host_product_again;
    again(executor, a.view(p), factor_rows(a, b, *plan.fetch, p), {rows.ptr, rows.col, column_of_b, c.values(p)});
  });
}

}  // namespace halocline::sparse
