#include "lib/linalg/sparse/products/transpose.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/rank_rows.hpp"
#include "lib/linalg/sparse/products/transpose_kernels.hpp"
#include "mpi/parcels.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::sparse {
namespace {

// Entries of a part whose columns others own, row by row.
std::vector<TravellingEntry> list_foreign(const DistCrs& a, int p) {
  if (a.ghosts(p).size() == 0) return {};
  const ExecutorPtr& executor = a.team().executor(p);
  const CrsView<double> rows = a.view(p);
  const GlobalNumbers global = global_numbers(executor, a.columns().own(p), a.ghosts(p));
  Array<Index, 1> start(executor, {rows.rows() + 1});
  launch(*executor, "count foreign entries", up_to(rows.rows()),
         CountForeignBody{rows, static_cast<LocalIndex>(global.below), static_cast<LocalIndex>(global.own_size),
                          start.view()});
  Array<TravellingEntry, 1> entries(executor, {scan_counts(executor, start.view())});
  launch(*executor, "list foreign entries", up_to(rows.rows()),
         ListForeignBody{rows, global.view(), a.rows().own(p).lo[0], std::as_const(start).view(), entries.view()});
  return entries.to_host();
}

// What the parts of this rank get from others, by ascending rows.
std::vector<std::vector<TravellingEntry>> send_to_owners(const DistCrs& a) {
  const Team& team = a.team();
  const RowSpace& columns = a.columns();
  const PartRanks ranks(columns.comm(), team);
  std::vector<std::vector<TravellingEntry>> of_parts(static_cast<std::size_t>(team.parts())), received(of_parts.size());
  team.each([&](int p) { of_parts[p] = list_foreign(a, p); });
  Parcels<TravellingEntry> outgoing;
  for (const auto& entries : of_parts)
    for (const TravellingEntry& entry : entries) outgoing.to(ranks.rank_of(columns.owner(entry.col))).push_back(entry);
  for (const Parcel<TravellingEntry>& parcel : outgoing.send(columns.comm()))
    for (const TravellingEntry& entry : parcel.values)
      received[columns.owner(entry.col) - team.first_part()].push_back(entry);
  return received;
}

double moved(const EntryStrips& strips) { return static_cast<double>(strips.own.entries() + strips.received_all); }

void make_room(const ExecutorPtr& executor, Crs<double>& rows) {
  const Index size = scan_counts(executor, rows.ptr.view());
  rows.col = Array<LocalIndex, 1>(executor, {size});
  rows.val = Array<double, 1>(executor, {size});
}

// Every strip counts and puts its own entries, in order.
void put_by_strips(const ExecutorPtr& executor, const EntryStrips& strips, Crs<double>& rows) {
  const LocalIndex columns = strips.columns;
  Array<LocalIndex, 1> counts(executor, {strips.count() * columns});
  launch(*executor, {"count columns", 4 * moved(strips)}, up_to(strips.count()),
         CountStripBody{strips, counts.view().data});
  launch(*executor, {"join counts", 8.0 * static_cast<double>(counts.size())}, up_to(columns),
         JoinStripsBody{columns, strips.count(), counts.view().data, rows.ptr.view()});
  make_room(executor, rows);
  launch(*executor, {"transpose", 24 * moved(strips)}, up_to(strips.count()),
         PutStripBody{strips, counts.view().data, rows.ptr.view().data, rows.col.view().data, rows.val.view().data});
  executor->synchronize();  // counts are in use until then
}

// take(column, row, value) for every entry, in any order.
template <class Take>
void take_all(const Executor& executor, const char* name, double bytes, const EntryStrips& strips, const Take& take) {
  launch(executor, {name, bytes}, up_to(strips.own.rows()), OwnEntriesBody<Take>{strips, take});
  launch(executor, name, up_to(strips.received_all), ReceivedEntriesBody<Take>{strips, take});
}

// Entries are counted and put by many threads in any order; then every row is sorted.
void put_by_atomics(const ExecutorPtr& executor, const EntryStrips& strips, Crs<double>& rows) {
  const Index columns = strips.columns;
  Array<LocalIndex, 1> next(executor, {columns});
  launch(*executor, "clear counts", up_to(columns), ClearCountsBody{rows.ptr.view().data, next.view().data});
  take_all(*executor, "count columns", 4 * moved(strips), strips, CountByAtomics{rows.ptr.view().data});
  make_room(executor, rows);
  Crs<double> mixed;
  mixed.col = Array<LocalIndex, 1>(executor, {rows.col.size()});
  mixed.val = Array<double, 1>(executor, {rows.val.size()});
  const Index* ptr = rows.ptr.view().data;
  take_all(*executor, "transpose", 24 * moved(strips), strips,
           PutByAtomics{ptr, next.view().data, mixed.col.view().data, mixed.val.view().data});
  rank_rows(executor,
            {std::as_const(rows.ptr).view(), std::as_const(mixed.col).view(), std::as_const(mixed.val).view()},
            rows.col.view().data, rows.val.view().data);
  executor->synchronize();  // mixed entries are in use until then
}

// The rows of one part of the result.
LocalRows transpose_part(const DistCrs& a, int p, const std::vector<TravellingEntry>& received, Scatter scatter) {
  const ExecutorPtr& executor = a.team().executor(p);
  const Range<1> own_rows = a.rows().own(p), own_columns = a.columns().own(p);
  std::vector<Index> others;
  Index below = 0;
  for (const TravellingEntry& entry : received) {
    others.push_back(entry.row);
    below += entry.row < own_rows.lo[0] ? 1 : 0;
  }
  const Array<Index, 1> list = make_array(executor, others);
  const GhostSet set(executor, own_rows, others.empty() ? own_rows : Range<1>{{others.front()}, {others.back() + 1}},
                     [&](const GhostMarks& marks) { mark_list(*executor, list, marks); });
  LocalRows result{{}, set.ghosts()};
  const Array<TravellingEntry, 1> entries = make_array(executor, received);
  const CrsView<double> rows = a.view(p);
  const EntryStrips strips{rows,
                           static_cast<LocalIndex>(a.ghosts(p).below),
                           static_cast<LocalIndex>(own_columns.size()),
                           entries.view().data,
                           below,
                           static_cast<Index>(received.size()),
                           own_columns.lo[0],
                           std::max<Index>(1024, rows.rows() / executor->threads() + 1),
                           static_cast<LocalIndex>(result.ghosts.below),
                           set.numbering()};
  result.rows.ptr = Array<Index, 1>(executor, {own_columns.size() + 1});
  if (scatter == Scatter::automatic)
    scatter = executor->backend() == Backend::cuda ? Scatter::atomics : Scatter::strips;
  (scatter == Scatter::strips ? put_by_strips : put_by_atomics)(executor, strips, result.rows);
  return result;
}

}  // namespace

DistCrs transpose(const DistCrs& a, Scatter scatter) {
  require(!a.columns().replicated() || a.rows().replicated(), "transpose: rows of the result would be replicated");
  const Team& team = a.team();
  std::vector<std::vector<TravellingEntry>> received(static_cast<std::size_t>(team.parts()));
  if (team.total_parts() > 1 && !a.columns().replicated()) received = send_to_owners(a);
  std::vector<LocalRows> parts(received.size());
  team.each([&](int p) { parts[p] = transpose_part(a, p, received[p], scatter); });
  return {a.columns_pointer(), a.rows_pointer(), std::move(parts)};
}

}  // namespace halocline::sparse
