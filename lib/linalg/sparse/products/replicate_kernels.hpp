// Bodies of replicate.cpp.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::sparse {

// Own rows between fetched ones.
struct AllRows {
  CrsView<double> own, fetched;
  Index first;  // of the own ones
  HALOCLINE_HD const CrsView<double>& rows(Index row) const {
    return row >= first && row < first + own.rows() ? own : fetched;
  }
  HALOCLINE_HD Index place(Index row) const {
    return row < first ? row : row < first + own.rows() ? row - first : row - own.rows();
  }
};

struct LengthOfRowBody {
  AllRows all;
  View<Index, 1> length;
  HALOCLINE_HD void operator()(Index row) const {
    const Index place = all.place(row);
    length(row) = all.rows(row).ptr(place + 1) - all.rows(row).ptr(place);
  }
};

struct CopyRowBody {
  AllRows all;
  GlobalNumbering global;
  View<const Index, 1> ptr;
  View<LocalIndex, 1> col;
  View<double, 1> val;
  HALOCLINE_HD void operator()(Index row) const {
    const CrsView<double>& from = all.rows(row);
    const Index first = from.ptr(all.place(row));
    for (Index e = ptr(row); e < ptr(row + 1); ++e) {
      col(e) = static_cast<LocalIndex>(global(from.col(first + e - ptr(row))));
      val(e) = from.val(first + e - ptr(row));
    }
  }
};

struct GlobalColumnBody {
  View<const LocalIndex, 1> from;
  GlobalNumbering global;
  View<LocalIndex, 1> to;
  HALOCLINE_HD void operator()(Index e) const { to(e) = static_cast<LocalIndex>(global(from(e))); }
};

}  // namespace halocline::sparse
