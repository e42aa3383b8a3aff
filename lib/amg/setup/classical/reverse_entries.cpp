#include "lib/amg/setup/classical/reverse_entries.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/classical/interpolation_kernels.hpp"
#include "mpi/exchange.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::amg {
namespace {

// a_ki by global numbers.
struct Entry {
  Index k, i;
  double value;
};

// Those of the own rows k of a part with ghosts i, on the host.
std::vector<Entry> to_others(const sparse::DistCrs& a, const FineRows& rows, int part) {
  const ExecutorPtr& executor = a.team().executor(part);
  const sparse::Ghosts& ghosts = a.ghosts(part);
  if (ghosts.size() == 0) return {};
  const Range<1> own{{0}, {rows.rows.count}};
  Array<Index, 1> start(executor, {own.size() + 1});
  launch(*executor, "count couplings to ghosts", own, CountGhostCouplingsBody{rows, start.view()});
  const Index count = scan_counts(executor, start.view());
  Array<Index, 1> row(executor, {count}), ghost(executor, {count});
  Array<double, 1> value(executor, {count});
  launch(*executor, "couplings to ghosts", own,
         ListGhostCouplingsBody{rows, std::as_const(start).view(), row.view(), ghost.view(), value.view()});
  const std::vector<Index> k = row.to_host(), i = ghost.to_host();
  const std::vector<double> values = value.to_host();
  std::vector<Entry> entries;
  for (std::size_t n = 0; n < values.size(); ++n)
    entries.push_back({a.rows().own(part).lo[0] + k[n], ghosts.rows[static_cast<std::size_t>(i[n])], values[n]});
  return entries;
}

std::vector<Parcel<Entry>> sorted_by_rank(const sparse::RowSpace& rows,
                                          const std::vector<std::vector<Entry>>& of_parts) {
  const PartRanks ranks(rows.comm(), rows.team());
  std::map<int, std::vector<Entry>> by_rank;
  for (const std::vector<Entry>& entries : of_parts)
    for (const Entry& entry : entries) by_rank[ranks.rank_of(rows.owner(entry.i))].push_back(entry);
  std::vector<Parcel<Entry>> parcels;
  for (auto& [rank, entries] : by_rank) parcels.push_back({rank, std::move(entries)});
  return parcels;
}

}  // namespace

ReverseEntries::ReverseEntries(const sparse::DistCrs& a, const Couplings& couplings)
    : parts_(static_cast<std::size_t>(a.team().parts())) {
  if (a.rows().replicated() || a.team().total_parts() == 1) return;
  std::vector<std::vector<Entry>> of_parts(parts_.size());
  a.team().each([&](int p) { of_parts[p] = to_others(a, couplings.rows(p), p); });
  const auto incoming = exchange_lists(a.rows().comm(), sorted_by_rank(a.rows(), of_parts));
  for (int p = 0; p < a.team().parts(); ++p) {
    const Range<1> own = a.rows().own(p);
    const std::vector<Index>& ghosts = a.ghosts(p).rows;
    std::vector<std::tuple<Index, Index, double>> entries;  // ghost, own row, value
    for (const auto& parcel : incoming)
      for (const Entry& entry : parcel.values) {
        if (entry.i < own.lo[0] || entry.i >= own.hi[0]) continue;
        const auto ghost = std::lower_bound(ghosts.begin(), ghosts.end(), entry.k);
        if (ghost != ghosts.end() && *ghost == entry.k)
          entries.emplace_back(ghost - ghosts.begin(), entry.i - own.lo[0], entry.value);
      }
    std::sort(entries.begin(), entries.end());
    std::vector<Index> ptr(ghosts.size() + 1, 0), row;
    std::vector<double> value;
    for (const auto& [ghost, i, a_ki] : entries) {
      ++ptr[static_cast<std::size_t>(ghost) + 1];
      row.push_back(i);
      value.push_back(a_ki);
    }
    for (std::size_t g = 0; g < ghosts.size(); ++g) ptr[g + 1] += ptr[g];
    const ExecutorPtr& executor = a.team().executor(p);
    parts_[p] = {make_array(executor, ptr), make_array(executor, row), make_array(executor, value)};
  }
}

ReverseLists ReverseEntries::view(int part) const {
  const Part& of = parts_[static_cast<std::size_t>(part)];
  return {of.ptr.view().data, of.row.view().data, of.value.view().data};
}

}  // namespace halocline::amg
