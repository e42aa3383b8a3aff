// RowPattern: where the entries of a matrix stand for products, without their values, which may be there in several
// precisions; see row_layout.hpp for the formats.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/sparse/formats/matrix_format.hpp"
#include "lib/linalg/sparse/formats/windows.hpp"

namespace halocline::sparse {

// Rows of more than 255 entries, kept apart, in the order in which they are stored. Their sums are made in pieces of
// 4096 entries.
struct LongRows {
  Index count = 0;
  Array<LocalIndex, 1> row, place;  // by their natural numbers; where they are stored
  Array<Index, 1> start;            // of the entries of every row, and the end
  Array<LocalIndex, 1> col;
  Array<Index, 1> piece_first;        // entries of every piece, and the end
  Array<LocalIndex, 1> piece_begin;   // pieces of every row, and the end
  Array<LocalIndex, 1> window_begin;  // rows of every window, and the end
  Index pieces() const { return piece_first.size() - 1; }
};

// Rows of other parts that a part stores behind its own ones, as the last of the matrix's, in the order in which they
// are stored: where vectors hold them, counted from the part's first number.
using PlacesOfOthers = std::vector<LocalIndex>;

// In what order rows are stored, and in what order vectors hold rows and columns of the matrix. `stored` differs from
// `rows` where the unknowns of the rows are sorted by the lengths of another matrix.
struct RowOrders {
  StorageOrderPtr stored, rows, columns;
};

class RowPattern {
 public:
  struct Part {
    Index rows = 0, others = 0;      // all; those of other parts among them
    Array<Index, 1> start;           // of slices or of rows, by the format
    Array<LocalIndex, 1> col;        // places of columns in vectors, counted from the first ghost below
    Array<unsigned char, 1> length;  // of rows in slices
    Array<LocalIndex, 1> target;     // where vectors hold the last rows that are stored; those before: as stored
    LongRows longs;
    WindowSets windows;
    Index own() const { return rows - others; }
    Index stored() const { return col.size(); }
    Index stored_with_longs() const { return stored() + longs.col.size(); }
  };

  // `kind` is not automatic; `lanes`: see ChosenFormat; `others`: of every part, or empty. Collective.
  RowPattern(const DistCrs& a, FormatKind kind, RowOrders orders, int lanes = 1,
             const std::vector<PlacesOfOthers>& others = {});
  // Of a square matrix whose vectors take the order of its rows.
  RowPattern(const DistCrs& a, const ChosenFormat& format)
      : RowPattern(a, format.kind, {format.order, format.order, format.order}, format.lanes) {}

  FormatKind kind() const { return kind_; }
  int lanes() const { return lanes_; }
  const RowOrders& orders() const { return orders_; }
  const Team& team() const { return *team_; }
  const Part& part(int part) const { return parts_[static_cast<std::size_t>(part)]; }
  // Entries that a part would store, padding among them, without rows of other parts, whatever the layout.
  Index stored_of_own(int part) const;

 private:
  FormatKind kind_;
  int lanes_;
  RowOrders orders_;
  const Team* team_;
  std::vector<Part> parts_;
};

using RowPatternPtr = std::shared_ptr<const RowPattern>;

}  // namespace halocline::sparse
