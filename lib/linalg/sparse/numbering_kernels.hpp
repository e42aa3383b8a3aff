// Between global and local numbers of columns, and bodies that number the columns of rows; see ghosts.hpp.
#pragma once

#include "lib/base/atomics.hpp"
#include "lib/base/view.hpp"

namespace halocline::sparse {

// Places of the columns begin ... own_begin - 1 and own_end ... end - 1 in a field of bits.
struct GhostSpan {
  Index begin, own_begin, own_end, end;
  HALOCLINE_HD Index size() const { return own_begin - begin + (end - own_end); }
  HALOCLINE_HD Index place(Index column) const {
    return column < own_begin ? column - begin : own_begin - begin + (column - own_end);
  }
  HALOCLINE_HD Index column(Index place) const {
    return place < own_begin - begin ? begin + place : own_end + (place - (own_begin - begin));
  }
};

HALOCLINE_HD inline void mark(Bits* words, Index place) { atomic_or(words + place / 64, Bits{1} << (place % 64)); }

// How many marks lie before a place. `starts`: how many before each word.
HALOCLINE_HD inline Index marked_before(const Bits* words, const Index* starts, Index place) {
  return starts[place / 64] + count_bits(words[place / 64] & ((Bits{1} << (place % 64)) - 1));
}

// The field in pages, of which those alone are held that have marks.
struct GhostPages {
  static constexpr Index size =
      1024;  // bits of a page: rows of a piece of a bisected box, so that few are nearly empty
  static constexpr Index words = size / 64;
  const Bits* used;  // pages
  const Index* starts;
  // Where in the pages that are held the bit of a place is.
  HALOCLINE_HD Index held(Index place) const { return size * marked_before(used, starts, place / size) + place % size; }
};

// Marks columns, or before that their pages.
struct GhostMarks {
  GhostSpan span;
  GhostPages pages;
  Bits* used;   // null: pages are marked already
  Bits* words;  // of pages that are held
  HALOCLINE_HD bool own(Index column) const { return column >= span.own_begin && column < span.own_end; }
  HALOCLINE_HD void mark(Index column) const {
    const Index place = span.place(column);
    if (used != nullptr) {
      sparse::mark(used, place / GhostPages::size);
    } else {
      sparse::mark(words, pages.held(place));
    }
  }
};

// From global to local: of own columns, and of those that were marked.
struct LocalNumbering {
  GhostSpan span;
  GhostPages pages;
  const Bits* words;
  const Index* starts;
  Index below;
  HALOCLINE_HD LocalIndex operator()(Index column) const {
    if (column >= span.own_begin && column < span.own_end)
      return static_cast<LocalIndex>(below + (column - span.own_begin));
    const Index before = marked_before(words, starts, pages.held(span.place(column)));
    return static_cast<LocalIndex>(column < span.own_begin ? before : before + (span.own_end - span.own_begin));
  }
};

// From local to global.
struct GlobalNumbering {
  View<const Index, 1> ghosts;
  Index below, own_begin, own_size;
  HALOCLINE_HD Index operator()(LocalIndex local) const {
    const Index own = local - below;
    if (own < 0) return ghosts(local);
    return own < own_size ? own_begin + own : ghosts(local - own_size);
  }
};

struct ClearMarksBody {
  Bits* words;
  HALOCLINE_HD void operator()(Index n) const { words[n] = 0; }
};

struct CountMarksBody {
  const Bits* words;
  View<Index, 1> counts;
  HALOCLINE_HD void operator()(Index word) const { counts(word) = count_bits(words[word]); }
};

// The places of marks, ascending.
struct ListMarksBody {
  const Bits* words;
  const Index* starts;
  View<Index, 1> places;
  HALOCLINE_HD void operator()(Index word) const {
    Index at = starts[word];
    for (int bit = 0; bit < 64; ++bit)
      if ((words[word] >> bit & 1) != 0) places(at++) = 64 * word + bit;
  }
};

// From places in the pages that are held to columns.
struct GhostColumnBody {
  GhostSpan span;
  View<const Index, 1> pages;  // that are held
  View<Index, 1> columns;
  HALOCLINE_HD void operator()(Index n) const {
    const Index held = columns(n);
    columns(n) = span.column(GhostPages::size * pages(held / GhostPages::size) + held % GhostPages::size);
  }
};

struct MarkListBody {
  View<const Index, 1> columns;
  GhostMarks marks;
  HALOCLINE_HD void operator()(Index n) const { marks.mark(columns(n)); }
};

struct NumberListBody {
  View<const Index, 1> from;
  LocalNumbering local;
  View<LocalIndex, 1> to;
  HALOCLINE_HD void operator()(Index n) const { to(n) = local(from(n)); }
};

// Columns first ... end - 1 hold all of some rows.
struct ColumnRange {
  Index first, end;
};
struct JoinRanges {
  HALOCLINE_HD ColumnRange operator()(const ColumnRange& a, const ColumnRange& b) const {
    return {a.first < b.first ? a.first : b.first, a.end > b.end ? a.end : b.end};
  }
};

// Columns of a row ascend: its first and its last tell the range.
struct RangeOfRowBody {
  View<const Index, 1> ptr, col;
  ColumnRange none;
  HALOCLINE_HD ColumnRange operator()(Index row) const {
    if (ptr(row) == ptr(row + 1)) return none;
    return {col(ptr(row)), col(ptr(row + 1) - 1) + 1};
  }
};

// Ghosts stand at the ends of a row.
struct MarkRowBody {
  View<const Index, 1> ptr, col;
  GhostMarks marks;
  HALOCLINE_HD void operator()(Index row) const {
    Index first = ptr(row), end = ptr(row + 1);
    for (; first < end && col(first) < marks.span.own_begin; ++first) marks.mark(col(first));
    for (; first < end && col(end - 1) >= marks.span.own_end; --end) marks.mark(col(end - 1));
  }
};

struct NumberRowBody {
  const Index *ptr, *from;
  LocalIndex* to;
  LocalNumbering local;
  HALOCLINE_HD void operator()(Index row) const {
    for (Index e = ptr[row]; e < ptr[row + 1]; ++e) to[e] = local(from[e]);
  }
};

// Where no row has ghosts.
struct ShiftColumnBody {
  const Index* from;
  LocalIndex* to;
  Index own_begin;
  HALOCLINE_HD void operator()(Index e) const { to[e] = static_cast<LocalIndex>(from[e] - own_begin); }
};

}  // namespace halocline::sparse
