// Bodies of fetch_rows.cpp.
#pragma once

#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::sparse {

// Where the entries of listed rows begin and end.
struct ListedRowBody {
  const Index* ptr;
  View<const Index, 1> rows;
  View<Index, 1> bounds;  // two of every row
  HALOCLINE_HD void operator()(Index n) const {
    bounds(2 * n) = ptr[rows(n)];
    bounds(2 * n + 1) = ptr[rows(n) + 1];
  }
};

// Global columns of listed entries.
struct ListedColumnBody {
  const LocalIndex* col;
  View<const Index, 1> entries;
  GlobalNumbering global;
  View<Index, 1> to;
  HALOCLINE_HD void operator()(Index n) const { to(n) = global(col[entries(n)]); }
};

struct RangeOfColumnBody {
  View<const Index, 1> columns;
  HALOCLINE_HD ColumnRange operator()(Index n) const { return {columns(n), columns(n) + 1}; }
};

struct MarkForeignBody {
  View<const Index, 1> columns;
  GhostMarks marks;
  HALOCLINE_HD void operator()(Index n) const {
    if (!marks.own(columns(n))) marks.mark(columns(n));
  }
};

// From one numbering of a part to another that knows all its columns.
struct RenumberBody {
  View<const LocalIndex, 1> from;
  GlobalNumbering global;
  LocalNumbering local;
  View<LocalIndex, 1> to;
  HALOCLINE_HD void operator()(Index n) const {
    const Index own = from(n) - global.below;
    const bool inside = own >= 0 && own < global.own_size;
    to(n) = inside ? static_cast<LocalIndex>(local.below + own) : local(global(from(n)));
  }
};

}  // namespace halocline::sparse
