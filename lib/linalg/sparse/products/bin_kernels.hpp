// Bodies that sort rows of a product into bins by size; see row_bins.hpp.
#pragma once

#include "lib/linalg/sparse/bin_layout.hpp"
#include "lib/linalg/sparse/factor_layout.hpp"

namespace halocline::sparse {

// Products of a row of A B, no fewer than its entries, and what is known of all rows.
struct ProductSizes {
  Index products, largest;  // of all rows together; entries of one row, at most
};
struct JoinSizes {
  HALOCLINE_HD ProductSizes operator()(const ProductSizes& a, const ProductSizes& b) const {
    return {a.products + b.products, a.largest > b.largest ? a.largest : b.largest};
  }
};
// Stores a bound of the entries of every row.
struct BoundBody {
  CrsView<double> a;
  FactorRows b;
  View<Index, 1> bound;
  HALOCLINE_HD ProductSizes operator()(Index row) const {
    Index sum = 0;
    for (Index e = a.ptr(row); e < a.ptr(row + 1); ++e) sum += b.entries(a.col(e));
    bound(row) = sum < b.columns ? sum : b.columns;
    return {sum, bound(row)};
  }
};

// Sizes of rows that are bounds, of which tables are chosen for half.
struct BoundSizes {
  View<const Index, 1> bound;
  HALOCLINE_HD Index operator()(Index row) const { return (bound(row) + 1) / 2; }
};
struct KnownSizes {
  View<const Index, 1> ptr;
  HALOCLINE_HD Index operator()(Index row) const { return ptr(row + 1) - ptr(row); }
};
struct LargestSizeBody {
  KnownSizes size;
  HALOCLINE_HD Index operator()(Index row) const { return size(row); }
};
struct LargerIndex {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return a > b ? a : b; }
};

// Rows of a strip, bin by bin: counts first, then, after a scan over [bin][strip], their numbers.
template <class Size>
struct CountBinsBody {
  Size size;
  Index rows, strips;
  View<Index, 1> counts;  // [bin][strip]
  HALOCLINE_HD void operator()(Index strip) const {
    const Index end = (strip + 1) * strip_rows < rows ? (strip + 1) * strip_rows : rows;
    unsigned long long packed = 0;  // a byte a bin
    for (Index row = strip * strip_rows; row < end; ++row) packed += 1ULL << (8 * bin_of(size(row)));
    for (int bin = 0; bin < bins; ++bin) counts(bin * strips + strip) = static_cast<Index>(packed >> (8 * bin) & 255);
  }
};
template <class Size>
struct ListBinsBody {
  Size size;
  Index rows, strips;
  View<Index, 1> starts;  // [bin][strip]; used up
  LocalIndex* list;
  HALOCLINE_HD void operator()(Index strip) const {
    const Index end = (strip + 1) * strip_rows < rows ? (strip + 1) * strip_rows : rows;
    for (Index row = strip * strip_rows; row < end; ++row)
      list[starts(bin_of(size(row)) * strips + strip)++] = static_cast<LocalIndex>(row);
  }
};
// Where the bins begin.
struct BinBeginBody {
  View<const Index, 1> starts;
  Index strips;
  View<Index, 1> begin;
  HALOCLINE_HD void operator()(Index bin) const { begin(bin) = starts(bin * strips); }
};

}  // namespace halocline::sparse
