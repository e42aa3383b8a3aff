// Products with rows of one part: launches the bodies of row_kernels.hpp with an end of the caller's. For sources that
// are listed in halocline_kernels().
#pragma once

#include "gpu/launch_joined.hpp"
#include "lib/linalg/sparse/formats/product_rows.hpp"
#include "lib/linalg/sparse/formats/row_kernels.hpp"

namespace halocline::sparse {

namespace detail {

// What the product reads and writes: each value once, x and what the end has as one number a row.
template <class T, class End>
Label product_label(const char* name, const RowPattern& pattern, int part, const WindowSet& set) {
  const RowPattern::Part& shape = pattern.part(part);
  const Index windows = (shape.rows + window_rows - 1) / window_rows;
  const double rows = windows == 0 ? 0 : static_cast<double>(shape.rows * set.count) / static_cast<double>(windows);
  const double entries = pattern.kind() == FormatKind::four ? 4 * rows : static_cast<double>(set.entries);
  const double of_row = pattern.kind() == FormatKind::crs ? sizeof(Index) : pattern.kind() == FormatKind::four ? 0 : 1;
  return {name, entries * (sizeof(T) + sizeof(LocalIndex)) + rows * (of_row + sizeof(T) * (1 + End::vectors))};
}

template <class Form, class T, class End>
WindowBody<Form, T, End> window_body(const Form& form, const Rows<T>& rows, int part, const WindowSet& set, const T* x,
                                     const End& end) {
  const RowPattern::Part& shape = rows.pattern().part(part);
  const LongRows& longs = shape.longs;
  LongSums<T> sums{nullptr, nullptr, nullptr};
  if (longs.count > 0)
    sums = {longs.window_begin.view().data, longs.place.view().data, rows.part(part).long_sums.view().data};
  const auto data = [](const Array<LocalIndex, 1>& list) { return list.size() > 0 ? list.view().data : nullptr; };
  return {form, x, sums, data(set.list), data(shape.target), shape.rows - shape.target.size(), set.rows, end};
}

// Rows shared by lanes of a GPU.
template <class T, class End>
void multiply_by_lanes(const Executor& executor, const Label& label, const Rows<T>& rows, int part,
                       const WindowSet& set, const T* x, const End& end) {
  const RowPattern::Part& shape = rows.pattern().part(part);
  const CompressedRows<T> form{{shape.start.view().data, shape.col.view().data, rows.part(part).values.view().data}};
  const LanesBody<T, End> body{window_body(form, rows, part, set, x, end)};
  const Index count = set.count * window_rows;
  switch (rows.pattern().lanes()) {
    case 4:
      return launch_joined<4, T>(executor, label, count, body);
    case 8:
      return launch_joined<8, T>(executor, label, count, body);
    default:
      return launch_joined<16, T>(executor, label, count, body);
  }
}

// Calls work(form) with the rows in the format they are in.
template <class T, class Work>
void with_form(const Rows<T>& rows, int part, const Work& work) {
  const RowPattern::Part& shape = rows.pattern().part(part);
  const LocalIndex* col = shape.col.view().data;
  const T* val = rows.part(part).values.view().data;
  switch (rows.pattern().kind()) {
    case FormatKind::crs:
      return work(CompressedRows<T>{{shape.start.view().data, col, val}});
    case FormatKind::four:
      return work(FourRows<T>{col, val});
    default:
      return work(SliceRows<T>{{shape.start.view().data, col, val, shape.length.view().data}});
  }
}

template <class Body>
void launch_pieces(const Executor& executor, const Label& label, const WindowSet& set, const Body& body) {
  launch_on_host(executor, label, Range<1>{{0}, {set.pieces()}}, PieceBody<Body>{body, set.piece_begin.view().data});
}

}  // namespace detail

// Sums of the long rows, which the windows `with_ghosts` need.
template <class T>
void multiply_long_rows(const Rows<T>& rows, int part, const T* x) {
  const LongRows& longs = rows.pattern().part(part).longs;
  if (longs.count == 0) return;
  const Executor& executor = *rows.team().executor(part);
  const auto& own = rows.part(part);
  const auto entries = static_cast<double>(longs.col.size());
  launch_summed_rows<1>(executor, {"long rows", entries * (2 * sizeof(T) + sizeof(LocalIndex))},
                        Range<2>{{0, 0}, {longs.pieces(), window_rows}},
                        LongPieceBody<T>{longs.piece_first.view().data, longs.col.view().data,
                                         own.long_values.view().data, x, own.piece_sums.view().data});
  launch(executor, "join long rows", Range<1>{{0}, {longs.count}},
         JoinPiecesBody<T>{longs.piece_begin.view().data, own.piece_sums.view().data, own.long_sums.view().data});
}

// end(place, sum) for every row of these windows; x points to what belongs to local column 0. Rows of windows that are
// done `inside` may run while ghosts of x travel; before all others comes multiply_long_rows().
template <class T, class End>
void multiply_windows(const char* name, const Rows<T>& rows, int part, Windows which, const T* x, const End& end) {
  const Executor& executor = *rows.team().executor(part);
  const WindowSet& set = rows.pattern().part(part).windows.of(which);
  const Label label = detail::product_label<T, End>(name, rows.pattern(), part, set);
  if (rows.pattern().lanes() > 1) return detail::multiply_by_lanes(executor, label, rows, part, set, x, end);
  detail::with_form(rows, part, [&](const auto& form) {
    const auto body = detail::window_body(form, rows, part, set, x, end);
    if (set.piece_begin.size() > 0) return detail::launch_pieces(executor, label, set, body);
    launch_rows(executor, label, Range<2>{{0, 0}, {set.count, window_rows}}, body);
  });
}

// The same for ends with sums: those of window w go to sums[w * End::sums ...]. Vectors hold rows as they are stored,
// and no lanes share them.
template <class T, class End>
void multiply_windows_summed(const char* name, const Rows<T>& rows, int part, Windows which, const T* x, const End& end,
                             double* sums) {
  const Executor& executor = *rows.team().executor(part);
  const WindowSet& set = rows.pattern().part(part).windows.of(which);
  const Label label = detail::product_label<T, End>(name, rows.pattern(), part, set);
  detail::with_form(rows, part, [&](const auto& form) {
    const auto product = detail::window_body(form, rows, part, set, x, end);
    const SummedWindowBody<std::decay_t<decltype(form)>, T, End> body{product, sums};
    if (set.piece_begin.size() > 0) return detail::launch_pieces(executor, label, set, body);
    launch_summed_rows<End::sums>(executor, label, Range<2>{{0, 0}, {set.count, window_rows}}, body);
  });
}

}  // namespace halocline::sparse
