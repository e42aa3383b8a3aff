#include "lib/linalg/sparse/row_checks.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"

namespace halocline::sparse {

namespace {

struct CountFilledBody {
  View<const Index, 1> ptr;
  View<Index, 1> counts;
  HALOCLINE_HD void operator()(Index n) const {
    const Index entries = ptr(n + 1) - ptr(n);
    counts(n) = entries > 0 ? entries : 1;
  }
};

struct FillEmptyBody {
  View<const Index, 1> ptr, col;
  View<const double, 1> val;
  Index first;
  View<const Index, 1> to_ptr;
  View<Index, 1> to_col;
  View<double, 1> to_val;
  HALOCLINE_HD void operator()(Index n) const {
    Index to = to_ptr(n);
    if (ptr(n) == ptr(n + 1)) {
      to_col(to) = first + n;
      to_val(to) = 1;
    }
    for (Index e = ptr(n); e < ptr(n + 1); ++e, ++to) {
      to_col(to) = col(e);
      to_val(to) = val(e);
    }
  }
};

struct NegateBody {
  View<double, 1> val;
  HALOCLINE_HD void operator()(Index e) const { val(e) = -val(e); }
};

std::vector<RowTally*> tallies_of(RowFindings& f) {
  return {&f.not_finite, &f.empty, &f.no_diagonal, &f.negative, &f.positive};
}

}  // namespace

RowFindings check_rows(const RowSpace& rows, const std::vector<GlobalRows>& of_parts) {
  std::vector<RowFindings> found(of_parts.size());
  rows.team().each([&](int p) {
    const GlobalRows& part = of_parts[static_cast<std::size_t>(p)];
    const Range<1> own = rows.own(p);
    found[static_cast<std::size_t>(p)] =
        reduce(*rows.team().executor(p), {"check of rows", 16.0 * static_cast<double>(part.col.size())},
               Range<1>{{0}, {own.size()}}, RowFindings{}, JoinFindings{},
               CheckRowBody{part.ptr.view(), part.col.view(), part.val.view(), own.lo[0]});
  });
  RowFindings all;
  for (const RowFindings& part : found) all.join(part);
  std::vector<Index> sums{all.zeros, all.off_diagonal, all.positive_off_diagonal}, lowest;
  for (const RowTally* tally : tallies_of(all)) {
    sums.push_back(tally->count);
    lowest.push_back(tally->first < 0 ? -rows.size() : -tally->first);
  }
  rows.comm().sum(std::span<Index>(sums));
  rows.comm().max(std::span<Index>(lowest));
  all.zeros = sums[0];
  all.off_diagonal = sums[1];
  all.positive_off_diagonal = sums[2];
  std::size_t n = 0;
  for (RowTally* tally : tallies_of(all)) {
    tally->count = sums[3 + n];
    tally->first = tally->count > 0 ? -lowest[n] : -1;
    ++n;
  }
  return all;
}

Index repeated_rows(const RowSpace& rows, const std::vector<GlobalRows>& of_parts, Index group) {
  std::vector<Index> found(of_parts.size(), 0);
  rows.team().each([&](int p) {
    const GlobalRows& part = of_parts[static_cast<std::size_t>(p)];
    found[static_cast<std::size_t>(p)] =
        reduce(*rows.team().executor(p), {"repeated rows", 8.0 * static_cast<double>(part.col.size())},
               Range<1>{{0}, {rows.own_size(p)}}, Index{0}, JoinCounts{},
               RepeatedRowBody{part.ptr.view(), part.col.view(), rows.own(p).lo[0], group});
  });
  Index all = 0;
  for (const Index count : found) all += count;
  rows.comm().sum(std::span(&all, 1));
  return all;
}

Index column_not_finite(const RowSpace& rows, const std::vector<GlobalRows>& of_parts, int part, Index row) {
  const GlobalRows& own = of_parts[static_cast<std::size_t>(part)];
  const Executor& executor = *rows.team().executor(part);
  Index ends[2] = {0, 0};
  executor.copy_out(ends, own.ptr.view().data + (row - rows.own(part).lo[0]), sizeof ends);
  const auto count = static_cast<std::size_t>(ends[1] - ends[0]);
  std::vector<Index> col(count);
  std::vector<double> val(count);
  executor.copy_out(col.data(), own.col.view().data + ends[0], count * sizeof(Index));
  executor.copy_out(val.data(), own.val.view().data + ends[0], count * sizeof(double));
  for (std::size_t n = 0; n < count; ++n)
    if (!std::isfinite(val[n])) return col[n];
  return -1;
}

void fill_empty_rows(const RowSpace& rows, std::vector<GlobalRows>& of_parts) {
  rows.team().each([&](int p) {
    GlobalRows& part = of_parts[static_cast<std::size_t>(p)];
    const ExecutorPtr& executor = rows.team().executor(p);
    const Range<1> own = rows.own(p), all{{0}, {own.size()}};
    GlobalRows made;
    made.ptr = Array<Index, 1>(executor, {own.size() + 1});
    launch(*executor, "count filled rows", all, CountFilledBody{part.ptr.view(), made.ptr.view()});
    const Index entries = scan_counts(executor, made.ptr.view());
    made.col = Array<Index, 1>(executor, {entries});
    made.val = Array<double, 1>(executor, {entries});
    launch(*executor, {"fill empty rows", 32.0 * static_cast<double>(entries)}, all,
           FillEmptyBody{part.ptr.view(), part.col.view(), part.val.view(), own.lo[0], made.ptr.view(), made.col.view(),
                         made.val.view()});
    part = std::move(made);
  });
}

void negate(std::vector<GlobalRows>& of_parts) {
  for (GlobalRows& part : of_parts)
    launch(*part.val.executor(), {"negate", 16.0 * static_cast<double>(part.val.size())},
           Range<1>{{0}, {part.val.size()}}, NegateBody{part.val.view()});
}

}  // namespace halocline::sparse
