// Bodies of tentative.hpp.
#pragma once

#include <cmath>

#include "lib/base/view.hpp"

namespace halocline::amg {

inline constexpr int most_vectors = 16;

// Whether a row is in an aggregate.
struct CountMembersBody {
  const Index* aggregate;
  View<Index, 1> count;
  HALOCLINE_HD void operator()(Index row) const { count(row) = aggregate[row] >= 0 ? 1 : 0; }
};
struct MembersBody {
  const Index *aggregate, *start;
  Index* col;
  double* val;
  HALOCLINE_HD void operator()(Index row) const {
    if (aggregate[row] < 0) return;
    col[start[row]] = aggregate[row];
    val[start[row]] = 1;
  }
};

struct CopyNumberBody {
  const Index* from;
  Index* to;
  HALOCLINE_HD void operator()(Index n) const { to[n] = from[n]; }
};

// The aggregate of every row's node.
struct OfNodeBody {
  const LocalIndex* node;  // the one column of every row
  const Index* aggregate;  // of local nodes
  Index* to;
  HALOCLINE_HD void operator()(Index row) const { to[row] = aggregate[node[row]]; }
};

// Aggregates of a part: entries ptr[n] ... ptr[n + 1] - 1 are the rows of the n-th.
struct MembersView {
  const Index* ptr;
  const LocalIndex* row;              // local numbers
  Index entries;                      // of all aggregates
  int vectors;                        // to be shown
  const double* given[most_vectors];  // of local rows
  HALOCLINE_HD double dot(const double* a, const double* b, Index n) const {
    double sum = 0;
    for (Index e = ptr[n]; e < ptr[n + 1]; ++e) sum += a[e] * b[e];
    return sum;
  }
};

// An orthonormal basis of the vectors on an aggregate, by Gram and Schmidt's method twice; those of which little is
// left are dropped. The c-th vector of the basis stands in basis[c * entries ...].
struct OrthogonalizeBody {
  MembersView of;
  double least;  // of the norm that a vector had
  double* basis;
  View<Index, 1> count;

  HALOCLINE_HD void operator()(Index n) const {
    const Index begin = of.ptr[n], end = of.ptr[n + 1];
    Index kept = 0;
    for (int v = 0; v < of.vectors && kept < end - begin; ++v) {
      double* x = basis + kept * of.entries;
      for (Index e = begin; e < end; ++e) x[e] = of.given[v][of.row[e]];
      const double before = std::sqrt(of.dot(x, x, n));
      for (int pass = 0; pass < 2; ++pass)
        for (Index c = 0; c < kept; ++c) {
          const double* q = basis + c * of.entries;
          const double along = of.dot(q, x, n);
          for (Index e = begin; e < end; ++e) x[e] -= along * q[e];
        }
      const double left = std::sqrt(of.dot(x, x, n));
      if (!(left > least * before)) continue;
      for (Index e = begin; e < end; ++e) x[e] /= left;
      ++kept;
    }
    count(n) = kept;
  }
};

// How long the rows are that an aggregate gives to the transposed interpolation, and which aggregate they are from.
struct RowsOfAggregateBody {
  const Index *ptr, *start;
  Index first;  // number of the part's first aggregate
  View<Index, 1> length, aggregate;
  HALOCLINE_HD void operator()(Index n) const {
    for (Index row = start[n]; row < start[n + 1]; ++row) {
      length(row) = ptr[n + 1] - ptr[n];
      aggregate(row) = first + n;
    }
  }
};

// The basis as these rows; and every vector by its parts along the basis, which is that vector on the next level.
struct PutBasisBody {
  MembersView of;
  const double* basis;
  const Index *start, *to;  // rows of aggregates; where rows begin
  LocalIndex* col;
  double* val;
  double* coarse[most_vectors];  // of these rows
  HALOCLINE_HD void operator()(Index n) const {
    for (Index row = start[n]; row < start[n + 1]; ++row) {
      const double* q = basis + (row - start[n]) * of.entries;
      Index at = to[row];
      for (Index e = of.ptr[n]; e < of.ptr[n + 1]; ++e, ++at) {
        col[at] = of.row[e];
        val[at] = q[e];
      }
      for (int v = 0; v < of.vectors; ++v) {
        double sum = 0;
        for (Index e = of.ptr[n]; e < of.ptr[n + 1]; ++e) sum += q[e] * of.given[v][of.row[e]];
        coarse[v][row] = sum;
      }
    }
  }
};

}  // namespace halocline::amg
