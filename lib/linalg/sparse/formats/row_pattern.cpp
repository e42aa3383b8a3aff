#include "lib/linalg/sparse/formats/row_pattern.hpp"

#include <algorithm>
#include <utility>

#include "gpu/primitives/scan.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/formats/fill_rows.hpp"

namespace halocline::sparse {
namespace {

constexpr Index piece_entries = 4096;  // of a long row

Index windows_of(Index rows) { return (rows + window_rows - 1) / window_rows; }

// The rows of one part while their pattern is made.
struct Source {
  const ExecutorPtr& executor;
  StoredRows rows;
  const LocalIndex* col;
  ColumnPlaces places;
  const StorageOrder& order;
  int part;
};

std::vector<Index> find_long_rows(const Source& source) {
  const Index count =
      reduce(*source.executor, "long rows", up_to(source.rows.rows), Index{0}, Plus{}, IsLong{source.rows.ptr});
  std::vector<Index> found;
  if (count == 0) return found;
  std::vector<Index> ptr(static_cast<std::size_t>(source.rows.rows) + 1);
  source.executor->copy_out(ptr.data(), source.rows.ptr, ptr.size() * sizeof(Index));
  for (Index row = 0; row < source.rows.rows; ++row)
    if (IsLong{ptr.data()}(row) != 0) found.push_back(row);
  return found;
}

LongRows make_long_rows(const Source& source) {
  std::vector<Index> rows = find_long_rows(source);
  LongRows longs;
  longs.count = static_cast<Index>(rows.size());
  if (rows.empty()) return longs;
  const std::vector<LocalIndex> places = source.order.places_on_host(source.part);
  const auto place_of = [&](Index row) { return places.empty() ? static_cast<LocalIndex>(row) : places[row]; };
  std::sort(rows.begin(), rows.end(), [&](Index a, Index b) { return place_of(a) < place_of(b); });
  std::vector<Index> ptr(static_cast<std::size_t>(source.rows.rows) + 1);
  source.executor->copy_out(ptr.data(), source.rows.ptr, ptr.size() * sizeof(Index));

  std::vector<LocalIndex> row, place, piece_begin{0};
  std::vector<Index> start{0}, piece_first;
  std::vector<LocalIndex> window_begin(static_cast<std::size_t>(windows_of(source.rows.rows)) + 1, 0);
  for (const Index r : rows) {
    row.push_back(static_cast<LocalIndex>(r));
    place.push_back(place_of(r));
    const Index first = start.back(), end = first + ptr[r + 1] - ptr[r];
    for (Index at = first; at < end; at += piece_entries) piece_first.push_back(at);
    piece_begin.push_back(static_cast<LocalIndex>(piece_first.size()));
    start.push_back(end);
    ++window_begin[place.back() / window_rows + 1];
  }
  piece_first.push_back(start.back());
  for (std::size_t w = 1; w < window_begin.size(); ++w) window_begin[w] += window_begin[w - 1];
  longs.row = make_array(source.executor, row);
  longs.place = make_array(source.executor, place);
  longs.start = make_array(source.executor, start);
  longs.piece_first = make_array(source.executor, piece_first);
  longs.piece_begin = make_array(source.executor, piece_begin);
  longs.window_begin = make_array(source.executor, window_begin);
  longs.col = Array<LocalIndex, 1>(source.executor, {start.back()});
  fill_long_rows(*source.executor, "columns of long rows", longs, source.rows.ptr,
                 PutColumn{source.col, source.places, longs.col.view().data});
  return longs;
}

WindowSets make_windows(const Source& source, const LongRows& longs, Index others) {
  const Index windows = windows_of(source.rows.rows);
  Array<Index, 1> entries(source.executor, {windows});
  Array<unsigned char, 1> has_ghosts(source.executor, {windows});
  launch(*source.executor, "entries of windows", up_to(windows),
         WindowEntriesBody{source.rows, source.col, source.places.below, source.places.own, entries.view(),
                           has_ghosts.view()});
  std::vector<unsigned char> late = has_ghosts.to_host();
  if (longs.count > 0) {
    const std::vector<LocalIndex> begin = longs.window_begin.to_host();
    for (std::size_t w = 0; w < late.size(); ++w) late[w] = late[w] != 0 || begin[w] < begin[w + 1] ? 1 : 0;
  }
  return divide_windows(source.executor, {source.rows.rows - others, source.rows.rows}, entries.to_host(), late);
}

// Room for the entries, by format; returns how much.
Index make_starts(const Source& source, FormatKind kind, Index width, RowPattern::Part& part) {
  const Index stored = windows_of(part.rows) * window_rows;
  const Executor& executor = *source.executor;
  if (kind == FormatKind::four) return 4 * stored;
  if (kind == FormatKind::crs) {
    part.start = Array<Index, 1>(source.executor, {stored + 1});
    launch(executor, "length of rows", up_to(stored), RowSizeBody{source.rows, part.start.view()});
    return scan_counts(source.executor, part.start.view());
  }
  part.length = Array<unsigned char, 1>(source.executor, {stored});
  launch(executor, "length of rows", up_to(stored), LengthBody{source.rows, part.length.view().data});
  part.start = Array<Index, 1>(source.executor, {stored / slice_rows + 1});
  launch(executor, "size of slices", up_to(stored / slice_rows),
         SliceSizeBody{{source.rows, width}, part.start.view()});
  return scan_counts(source.executor, part.start.view());
}

}  // namespace

RowPattern::RowPattern(const DistCrs& a, FormatKind kind, RowOrders orders, int lanes,
                       const std::vector<PlacesOfOthers>& others)
    : kind_(kind),
      lanes_(lanes),
      orders_(std::move(orders)),
      team_(&a.team()),
      parts_(static_cast<std::size_t>(a.team().parts())) {
  require(kind != FormatKind::automatic, "RowPattern: a format must be chosen");
  require(lanes == 1 || (kind == FormatKind::crs && (lanes == 4 || lanes == 8 || lanes == 16)),
          "RowPattern: 4, 8 or 16 lanes share compressed rows");
  const Index width = kind == FormatKind::ell ? longest_short_row(a) : 0;
  team_->each([&](int p) {
    const ExecutorPtr& executor = team_->executor(p);
    const CrsView<double> rows = a.view(p);
    const Source source{executor,        stored_rows(a, orders_, p),
                        rows.col.data,   {orders_.columns->place(p), a.ghosts(p).below, a.columns().own_size(p)},
                        *orders_.stored, p};
    Part& part = parts_[p];
    part.rows = a.rows().own_size(p);
    part.col = Array<LocalIndex, 1>(executor, {make_starts(source, kind, width, part)});
    fill_rows(*executor, {"columns of rows", 8.0 * static_cast<double>(part.stored())}, kind, part, source.rows,
              PutColumn{source.col, source.places, part.col.view().data});
    part.longs = make_long_rows(source);
    part.others = others.empty() ? 0 : static_cast<Index>(others[p].size());
    part.windows = make_windows(source, part.longs, part.others);
    const bool own_too = orders_.stored != orders_.rows;
    const Index own = own_too ? part.rows - part.others : 0;
    if (own + part.others == 0) return;
    part.target = Array<LocalIndex, 1>(executor, {own + part.others});
    launch(*executor, "places of rows", up_to(own),
           TargetBody{orders_.stored->row_at(p), orders_.rows->place(p), part.target.view().data});
    if (part.others > 0)
      executor->copy_in(part.target.view().data + own, others[p].data(), others[p].size() * sizeof(LocalIndex));
  });
}

Index RowPattern::stored_of_own(int part) const {
  const Part& p = this->part(part);
  if (p.others == 0) return p.stored_with_longs();
  const Index own = p.own();
  Index all = 0;
  if (p.longs.count > 0) {
    const auto row = p.longs.row.to_host();
    const auto start = p.longs.start.to_host();
    for (std::size_t n = 0; n < row.size(); ++n) all += row[n] < own ? start[n + 1] - start[n] : 0;
  }
  if (kind_ == FormatKind::four) return all + 4 * windows_of(own) * window_rows;
  const std::vector<Index> start = p.start.to_host();
  if (kind_ == FormatKind::crs) return all + start[static_cast<std::size_t>(own)];
  const Index whole = own / slice_rows, rest = own % slice_rows;
  all += start[static_cast<std::size_t>(whole)];
  if (rest == 0) return all;
  if (kind_ == FormatKind::ell)
    return all + start[static_cast<std::size_t>(whole) + 1] - start[static_cast<std::size_t>(whole)];
  const std::vector<unsigned char> length = p.length.to_host();
  const auto first = length.begin() + whole * slice_rows;
  return all + slice_rows * *std::max_element(first, first + rest);
}

}  // namespace halocline::sparse
