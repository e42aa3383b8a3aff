// Body for gpu/launch.hpp: what is remarkable about one row of a matrix.
#pragma once

#include "lib/base/view.hpp"

namespace halocline::sparse {

// How many rows have a property, and the lowest of them.
struct RowTally {
  Index count = 0, first = -1;
  HALOCLINE_HD void note(Index row) {
    ++count;
    first = row;
  }
  HALOCLINE_HD void join(const RowTally& other) {
    count += other.count;
    if (first < 0 || (other.first >= 0 && other.first < first)) first = other.first;
  }
};

struct RowFindings {
  RowTally not_finite;                                // an entry is infinite or no number
  RowTally empty;                                     // no entries
  RowTally no_diagonal;                               // entries, but none on the diagonal or a zero there
  RowTally negative;                                  // a negative diagonal
  RowTally positive;                                  // a positive diagonal
  Index zeros = 0;                                    // entries given as zero
  Index off_diagonal = 0, positive_off_diagonal = 0;  // entries
  HALOCLINE_HD void join(const RowFindings& other) {
    not_finite.join(other.not_finite);
    empty.join(other.empty);
    no_diagonal.join(other.no_diagonal);
    negative.join(other.negative);
    positive.join(other.positive);
    zeros += other.zeros;
    off_diagonal += other.off_diagonal;
    positive_off_diagonal += other.positive_off_diagonal;
  }
};

struct JoinFindings {
  HALOCLINE_HD RowFindings operator()(RowFindings a, const RowFindings& b) const {
    a.join(b);
    return a;
  }
};

// Rows first, first + 1, ... with global columns.
struct CheckRowBody {
  View<const Index, 1> ptr, col;
  View<const double, 1> val;
  Index first;
  HALOCLINE_HD RowFindings operator()(Index n) const {
    const Index row = first + n;
    RowFindings found;
    bool finite = true;
    double diagonal = 0;
    for (Index e = ptr(n); e < ptr(n + 1); ++e) {
      const double value = val(e);
      finite = finite && value - value == 0;
      found.zeros += value == 0 ? 1 : 0;
      if (col(e) == row) {
        diagonal = value;
      } else {
        ++found.off_diagonal;
        found.positive_off_diagonal += value > 0 ? 1 : 0;
      }
    }
    if (!finite) found.not_finite.note(row);
    if (ptr(n) == ptr(n + 1)) {
      found.empty.note(row);
    } else if (diagonal == 0) {
      found.no_diagonal.note(row);
    }
    if (diagonal < 0) found.negative.note(row);
    if (diagonal > 0) found.positive.note(row);
    return found;
  }
};

// Whether a row has the columns of the row before.
struct RepeatedRowBody {
  View<const Index, 1> ptr, col;
  Index first, group;
  HALOCLINE_HD Index operator()(Index n) const {
    if (n == 0 || (first + n) % group == 0) return 0;
    const Index begin = ptr(n), count = ptr(n + 1) - begin, before = ptr(n - 1);
    if (begin - before != count) return 0;
    for (Index e = 0; e < count; ++e)
      if (col(before + e) != col(begin + e)) return 0;
    return 1;
  }
};

struct JoinCounts {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return a + b; }
};

}  // namespace halocline::sparse
