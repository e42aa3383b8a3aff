// Bodies of transpose.cpp. Entries are taken strip by strip, and one after the other in a strip: every row of the
// result gets its entries in the order of the strips, which are those of the rows that they come from.
#pragma once

#include "lib/linalg/sparse/crs_layout.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::sparse {

// An entry on its way to the owner of its column, by global numbers.
struct TravellingEntry {
  Index row, col;
  double value;
};

// Entries of a row whose columns are ghosts.
struct CountForeignBody {
  CrsView<double> rows;
  LocalIndex below, columns;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const {
    Index sum = 0;
    for (Index e = rows.ptr(row); e < rows.ptr(row + 1); ++e)
      sum += rows.col(e) < below || rows.col(e) >= below + columns ? 1 : 0;
    count(row) = sum;
  }
};
struct ListForeignBody {
  CrsView<double> rows;
  GlobalNumbering global;
  Index first_row;
  View<const Index, 1> start;
  View<TravellingEntry, 1> to;
  HALOCLINE_HD void operator()(Index row) const {
    Index at = start(row);
    for (Index e = rows.ptr(row); e < rows.ptr(row + 1); ++e) {
      const LocalIndex col = rows.col(e);
      if (col < global.below || col >= global.below + global.own_size)
        to(at++) = {first_row + row, global(col), rows.val(e)};
    }
  }
};

// Entries whose columns are the part's own, in strips: those that came from parts below, if any, stretches of the
// part's own rows, those that came from parts above, if any.
struct EntryStrips {
  CrsView<double> own;
  LocalIndex below, columns;  // of the own rows: columns below ... below + columns - 1 are the part's own
  const TravellingEntry* received;
  Index received_below, received_all;
  Index first_column;     // global number of the first own column
  Index stretch;          // rows of a stretch
  LocalIndex row_of_own;  // local number of the first own row as a column of the result
  LocalNumbering rows;    // of the others

  HALOCLINE_HD Index leading() const { return received_below > 0 ? 1 : 0; }
  HALOCLINE_HD Index stretches() const { return (own.rows() + stretch - 1) / stretch; }
  HALOCLINE_HD Index count() const { return leading() + stretches() + (received_all > received_below ? 1 : 0); }

  // take(column, row, value) for every entry of a strip; columns count from the first own one.
  template <class Take>
  HALOCLINE_HD void each(Index strip, const Take& take) const {
    if (strip < leading()) return each_received(0, received_below, take);
    if (strip >= leading() + stretches()) return each_received(received_below, received_all, take);
    const Index first = (strip - leading()) * stretch;
    each_own(first, first + stretch < own.rows() ? first + stretch : own.rows(), take);
  }
  template <class Take>
  HALOCLINE_HD void each_own(Index first, Index end, const Take& take) const {
    const Index* ptr = own.ptr.data;
    for (Index row = first; row < end; ++row) {
      for (Index e = ptr[row]; e < ptr[row + 1]; ++e) {
        const LocalIndex column = own.col.data[e] - below;
        if (column >= 0 && column < columns) take(column, static_cast<LocalIndex>(row_of_own + row), own.val.data[e]);
      }
    }
  }
  template <class Take>
  HALOCLINE_HD void each_received(Index first, Index end, const Take& take) const {
    for (Index n = first; n < end; ++n)
      take(static_cast<LocalIndex>(received[n].col - first_column), rows(received[n].row), received[n].value);
  }
};

struct CountEntry {
  LocalIndex* count;
  HALOCLINE_HD void operator()(LocalIndex column, LocalIndex /*row*/, double /*value*/) const { ++count[column]; }
};
struct CountStripBody {
  EntryStrips strips;
  LocalIndex* counts;  // [strip][column]
  HALOCLINE_HD void operator()(Index strip) const {
    LocalIndex* own = counts + strip * strips.columns;
    for (LocalIndex column = 0; column < strips.columns; ++column) own[column] = 0;
    strips.each(strip, CountEntry{own});
  }
};

// From counts of the strips to places within the row, and the length of the row.
struct JoinStripsBody {
  LocalIndex columns;
  Index strips;
  LocalIndex* counts;
  View<Index, 1> length;
  HALOCLINE_HD void operator()(Index column) const {
    LocalIndex sum = 0;
    for (Index strip = 0; strip < strips; ++strip) {
      LocalIndex& count = counts[strip * columns + column];
      const LocalIndex own = count;
      count = sum;
      sum += own;
    }
    length(column) = sum;
  }
};

struct PutEntry {
  const Index* ptr;
  LocalIndex *next, *col;
  double* val;
  HALOCLINE_HD void operator()(LocalIndex column, LocalIndex row, double value) const {
    const Index at = ptr[column] + next[column]++;
    col[at] = row;
    val[at] = value;
  }
};
struct PutStripBody {
  EntryStrips strips;
  LocalIndex* counts;
  const Index* ptr;
  LocalIndex* col;
  double* val;
  HALOCLINE_HD void operator()(Index strip) const {
    strips.each(strip, PutEntry{ptr, counts + strip * strips.columns, col, val});
  }
};

// The same without strips: a thread for every row and for every entry received.
template <class Take>
struct OwnEntriesBody {
  EntryStrips strips;
  Take take;
  HALOCLINE_HD void operator()(Index row) const { strips.each_own(row, row + 1, take); }
};
template <class Take>
struct ReceivedEntriesBody {
  EntryStrips strips;
  Take take;
  HALOCLINE_HD void operator()(Index n) const { strips.each_received(n, n + 1, take); }
};

struct ClearCountsBody {
  Index* count;
  LocalIndex* next;
  HALOCLINE_HD void operator()(Index column) const {
    count[column] = 0;
    next[column] = 0;
  }
};
struct CountByAtomics {
  Index* count;
  HALOCLINE_HD void operator()(LocalIndex column, LocalIndex /*row*/, double /*value*/) const {
    atomic_add(count + column, Index{1});
  }
};
struct PutByAtomics {
  const Index* ptr;
  LocalIndex *next, *col;
  double* val;
  HALOCLINE_HD void operator()(LocalIndex column, LocalIndex row, double value) const {
    const Index at = ptr[column] + atomic_add(next + column, LocalIndex{1});
    col[at] = row;
    val[at] = value;
  }
};

}  // namespace halocline::sparse
