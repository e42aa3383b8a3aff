// Bodies that bring rows into the formats of row_layout.hpp; see row_pattern.hpp.
#pragma once

#include "lib/linalg/sparse/formats/row_layout.hpp"
#include "lib/linalg/sparse/formats/storage_kernels.hpp"

namespace halocline::sparse {

// Rows of a part by the order in which they are stored.
struct StoredRows {
  const Index* ptr;
  const LocalIndex* row_at;  // null: natural order
  Index rows;
  HALOCLINE_HD Index row(Index stored) const { return row_at != nullptr ? row_at[stored] : stored; }
  HALOCLINE_HD int length(Index stored) const { return stored < rows ? short_length(ptr, row(stored)) : 0; }
};

// From local columns to places in vectors.
struct ColumnPlaces {
  const LocalIndex* place;  // of own columns; null: natural order
  Index below, own;
  HALOCLINE_HD LocalIndex operator()(LocalIndex column) const {
    const Index n = column - below;
    return place != nullptr && n >= 0 && n < own ? static_cast<LocalIndex>(below + place[n]) : column;
  }
  // One that exists where any does.
  HALOCLINE_HD LocalIndex any() const { return static_cast<LocalIndex>(own > 0 ? below : 0); }
};

struct LengthBody {
  StoredRows rows;
  unsigned char* length;
  HALOCLINE_HD void operator()(Index stored) const { length[stored] = static_cast<unsigned char>(rows.length(stored)); }
};

// How wide slices are: as their longest row, or all as `fixed`, if that is not 0.
struct SliceWidth {
  StoredRows rows;
  Index fixed;
  HALOCLINE_HD Index operator()(Index slice) const {
    if (fixed > 0) return slice * slice_rows < rows.rows ? fixed : 0;
    Index width = 0;
    for (Index n = slice * slice_rows; n < (slice + 1) * slice_rows; ++n)
      if (rows.length(n) > width) width = rows.length(n);
    return width;
  }
};
struct SliceSizeBody {
  SliceWidth width;
  View<Index, 1> size;
  HALOCLINE_HD void operator()(Index slice) const { size(slice) = slice_rows * width(slice); }
};
struct RowSizeBody {
  StoredRows rows;
  View<Index, 1> size;
  HALOCLINE_HD void operator()(Index stored) const { size(stored) = rows.length(stored); }
};

// Where entries go: put(at, row, entry), and put.pad(at, entry) for what repeats an entry, or no entry (-1), as
// padding.
struct PutColumn {
  const LocalIndex* from;
  ColumnPlaces places;
  LocalIndex* to;
  HALOCLINE_HD void operator()(Index at, Index /*row*/, Index entry) const { to[at] = places(from[entry]); }
  HALOCLINE_HD void pad(Index at, Index entry) const { to[at] = entry < 0 ? places.any() : places(from[entry]); }
};

// left_i a_ij right_j, computed in double; null: 1.
template <class T>
struct PutValue {
  const double* from;
  const LocalIndex* col;
  const double *left, *right;
  T* to;
  HALOCLINE_HD void operator()(Index at, Index row, Index entry) const {
    double value = from[entry];
    if (left != nullptr) value = left[row] * value;
    if (right != nullptr) value *= right[col[entry]];
    to[at] = static_cast<T>(value);
  }
  HALOCLINE_HD void pad(Index at, Index /*entry*/) const { to[at] = 0; }
};

// Writes the entries of the row stored at n to the places `at`, `at` + step, ...
template <class Put>
HALOCLINE_HD inline void put_row(const StoredRows& rows, const Put& put, Index n, Index at, Index step, Index width) {
  const int length = rows.length(n);
  const Index row = length > 0 ? rows.row(n) : -1;
  const Index first = length > 0 ? rows.ptr[row] : 0;
  for (Index j = 0; j < length; ++j, at += step) put(at, row, first + j);
  for (Index j = length; j < width; ++j, at += step) put.pad(at, length > 0 ? first + length - 1 : -1);
}

template <class Put>
struct FillSliceBody {
  StoredRows rows;
  const Index* start;
  Put put;
  HALOCLINE_HD void operator()(Index slice, Index lane) const {
    put_row(rows, put, slice * slice_rows + lane, start[slice] + lane, slice_rows,
            (start[slice + 1] - start[slice]) / slice_rows);
  }
  void row(Index slice, Index begin, Index end) const {
    for (Index lane = begin; lane < end; ++lane) (*this)(slice, lane);
  }
};

template <class Put>
struct FillCompressedBody {
  StoredRows rows;
  const Index* start;
  Put put;
  HALOCLINE_HD void operator()(Index stored) const {
    put_row(rows, put, stored, start[stored], 1, start[stored + 1] - start[stored]);
  }
};

template <class Put>
struct FillFourBody {
  StoredRows rows;
  Put put;
  HALOCLINE_HD void operator()(Index stored) const { put_row(rows, put, stored, 4 * stored, 1, 4); }
};

template <class Put>
struct FillLongBody {
  const Index *ptr, *start;
  const LocalIndex* row;
  Put put;
  HALOCLINE_HD void operator()(Index n) const {
    const Index first = ptr[row[n]];
    for (Index j = 0; j < start[n + 1] - start[n]; ++j) put(start[n] + j, row[n], first + j);
  }
};

// What a window works on; entries of rows that are not long. Columns of a row ascend: ghosts stand at its ends.
struct WindowEntriesBody {
  StoredRows rows;
  const LocalIndex* col;
  Index below, own;
  View<Index, 1> entries;
  View<unsigned char, 1> has_ghosts;
  HALOCLINE_HD bool ghost(LocalIndex column) const { return column < below || column >= below + own; }
  HALOCLINE_HD void operator()(Index window) const {
    Index sum = 0;
    bool any = false;
    for (Index n = window * window_rows; n < (window + 1) * window_rows && n < rows.rows; ++n) {
      const Index row = rows.row(n), first = rows.ptr[row], end = rows.ptr[row + 1];
      sum += rows.length(n);
      any = any || (first < end && (ghost(col[first]) || ghost(col[end - 1])));
    }
    entries(window) = sum;
    has_ghosts(window) = any ? 1 : 0;
  }
};

// Where vectors hold what is stored n-th.
struct TargetBody {
  const LocalIndex *row_at, *place;
  LocalIndex* target;
  HALOCLINE_HD void operator()(Index n) const {
    const Index row = row_at != nullptr ? row_at[n] : n;
    target[n] = place != nullptr ? place[row] : static_cast<LocalIndex>(row);
  }
};

struct RowLength {
  StoredRows rows;
  HALOCLINE_HD Index operator()(Index row) const { return rows.length(row); }
};

// Of all rows, long ones too.
struct RowEntries {
  const Index* ptr;
  HALOCLINE_HD Index operator()(Index row) const { return ptr[row + 1] - ptr[row]; }
};

struct IsLong {
  const Index* ptr;
  HALOCLINE_HD Index operator()(Index row) const { return ptr[row + 1] - ptr[row] > most_entries ? 1 : 0; }
};

struct Plus {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return a + b; }
};
struct Largest {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return a > b ? a : b; }
};

}  // namespace halocline::sparse
