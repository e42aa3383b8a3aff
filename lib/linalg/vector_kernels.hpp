// Bodies of the vector operations: a piece of a group of rows x lanes at a time, by two rows, with two accumulators per
// sum (even and odd rows).
#pragma once

#include "lib/base/pack.hpp"
#include "lib/base/view.hpp"

namespace halocline::vector_kernels {

// Rows of a group and how they are cut into pieces. On the host a piece is a whole group. On a GPU `across` pieces, one
// thread each, share a block of `block` rows: every thread takes two rows, then the next two that the others leave, so
// that the block reads memory in one stream.
struct Rows {
  Index count, block, across;  // count and block are even
  HALOCLINE_HD Index pieces() const { return (count + block - 1) / block * across; }
  HALOCLINE_HD Index begin(Index n) const { return n / across * block + n % across * 2; }
  HALOCLINE_HD Index end(Index n) const { return (n / across + 1) * block < count ? (n / across + 1) * block : count; }
  HALOCLINE_HD Index step() const { return 2 * across; }
  HALOCLINE_HD Index start(Index group, Index lane) const { return group * count * lanes + lane; }
};

template <class T>
struct AxpyBody {
  T a;
  const T* x;
  T* y;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      const Index at = start + k * lanes, next = at + lanes;
      const Q first = load<Q>(y + at) + a * load<Q>(x + at);
      const Q second = load<Q>(y + next) + a * load<Q>(x + next);
      store(y + at, first);
      store(y + next, second);
    }
  }
};

template <class T>
struct DirectionBody {
  T b, c;
  const T *r, *v;
  T* p;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step()) {
      const Index at = start + k * lanes, next = at + lanes;
      const Q first = load<Q>(r + at) + b * load<Q>(p + at) + c * load<Q>(v + at);
      const Q second = load<Q>(r + next) + b * load<Q>(p + next) + c * load<Q>(v + next);
      store(p + at, first);
      store(p + next, second);
    }
  }
};

template <class T>
struct CombineBody {
  T a, b, c;
  const T *x, *z;
  T* y;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step())
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        store(y + at, a * load<Q>(x + at) + b * load<Q>(y + at) + c * load<Q>(z + at));
      }
  }
};

// y += sum of c_j v_j
template <class T, int K>
struct MultiAxpyBody {
  T c[K];
  const T* v[K];
  T* y;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step())
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        Q sum = load<Q>(y + at);
        for (int j = 0; j < K; ++j) sum = sum + c[j] * load<Q>(v[j] + at);
        store(y + at, sum);
      }
  }
};

template <class T>
struct FillBody {
  T* x;
  T value;
  HALOCLINE_HD void operator()(Index i) const { x[i] = value; }
};

template <class T>
struct AddConstantBody {
  T* x;
  T value;
  HALOCLINE_HD void operator()(Index i) const { x[i] += value; }
};

}  // namespace halocline::vector_kernels
