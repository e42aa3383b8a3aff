// fill_rows: launches the bodies that write columns or values of rows in some format. For sources that are listed in
// halocline_kernels().
#pragma once

#include "gpu/launch.hpp"
#include "lib/linalg/sparse/formats/pattern_kernels.hpp"
#include "lib/linalg/sparse/formats/row_pattern.hpp"

namespace halocline::sparse {

inline StoredRows stored_rows(const DistCrs& a, const RowOrders& orders, int part) {
  return {a.view(part).ptr.data, orders.stored->row_at(part), a.rows().own_size(part)};
}

// Rows that are not long.
template <class Put>
void fill_rows(const Executor& executor, const Label& label, FormatKind kind, const RowPattern::Part& part,
               const StoredRows& rows, const Put& put) {
  const Index stored = (part.rows + window_rows - 1) / window_rows * window_rows;
  const Index* start = part.start.view().data;
  if (kind == FormatKind::crs) {
    launch(executor, label, Range<1>{{0}, {stored}}, FillCompressedBody<Put>{rows, start, put});
  } else if (kind == FormatKind::four) {
    launch(executor, label, Range<1>{{0}, {stored}}, FillFourBody<Put>{rows, put});
  } else {
    launch_rows(executor, label, Range<2>{{0, 0}, {stored / slice_rows, slice_rows}},
                FillSliceBody<Put>{rows, start, put});
  }
}

template <class Put>
void fill_long_rows(const Executor& executor, const char* name, const LongRows& longs, const Index* ptr,
                    const Put& put) {
  launch(executor, name, Range<1>{{0}, {longs.count}},
         FillLongBody<Put>{ptr, longs.start.view().data, longs.row.view().data, put});
}

}  // namespace halocline::sparse
