// Bodies for gpu/launch.hpp: the errors of a field in slabs against known values, and zeros between its rows.
#pragma once

#include "lib/base/fma.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline {

/// What lies between the unknowns of a line and the next line, [line][place].
template <class T>
struct ClearPadding {
  T* c;
  SlabLayout slab;
  HALOCLINE_HD void operator()(Index n, Index i) const { c[slab.line(n) + slab.extent[0] + i] = 0; }
};

/// c - known at unknowns, known values being [line][x] from row `first` of the slow axis on.
template <class T>
struct UnknownErrors {
  const T* c;
  SlabLayout slab;
  Index first;
  const double* known;

  HALOCLINE_HD double at(Index n, Index i) const {
    return static_cast<double>(c[slab.line(n, first) + i]) - known[n * slab.extent[0] + i];
  }
};

/// Squares of a piece of a line, [line][piece], in the order of its unknowns.
template <class T>
struct SumSquares {
  UnknownErrors<T> errors;
  template <class Sink>
  HALOCLINE_HD void operator()(Index chunk, Sink& sink) const {
    const Index pieces = errors.slab.pieces(), n = chunk / pieces, begin = chunk % pieces * line_piece;
    const Index end = begin + errors.slab.piece_size(chunk % pieces);
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      const double e = errors.at(n, i);
      sum = fma(e, e, sum);
    }
    sink.add(0, sum);
  }
};

HALOCLINE_HD inline double magnitude(double a) { return a < 0 ? -a : a; }

/// The largest error of a line, or of an unknown; one that is no number is passed over.
template <class T>
struct LargestError {
  UnknownErrors<T> errors;
  HALOCLINE_HD double operator()(Index n, Index i) const {
    const double size = magnitude(errors.at(n, i));
    return size > 0 ? size : 0;
  }
  HALOCLINE_HD double operator()(Index n) const {
    double largest = 0;
    for (Index i = 0; i < errors.slab.extent[0]; ++i) {
      const double size = (*this)(n, i);
      largest = largest < size ? size : largest;
    }
    return largest;
  }
};

struct Larger {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};
struct Lesser {
  template <class T>
  HALOCLINE_HD T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

}  // namespace halocline
