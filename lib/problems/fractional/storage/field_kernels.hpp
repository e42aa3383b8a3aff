// Fields of the history as bodies see them: pointers to node (0, 0, 0) of a part, whose values are read and written as
// numbers to compute with, whatever they are kept in.
#pragma once

#include "lib/problems/fractional/storage/node_kernels.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

/// T: double or float, kept as they are, or Half. Most: fields that there is room for.
template <class T, int Most>
struct FieldsOf {
  T* data[Most] = {};
  /// Q: a number, a Few or a pack of Computed<T>.
  template <class Q>
  HALOCLINE_HD Q load(int n, Index at) const {
    return taken<Q>(data[n] + at);
  }
  /// The numbers of field n that memory has as a Few<T>.
  template <int Count>
  HALOCLINE_HD Few<T, Count> numbers(int /*n*/, const Few<T, Count>& memory) const {
    return memory;
  }
  /// Returns what the field keeps of q.
  template <class Q>
  HALOCLINE_HD Q store(int n, Index at, const Q& q) const {
    put(data[n] + at, q);
    return q;
  }
};

/// 1 over a power of two, exactly, of 2^-126 to 2^126.
HALOCLINE_HD inline float over(float power) {
  return halocline::detail::float_of((254u << 23) - halocline::detail::bits_of(power));
}

// Powers of two: of what lies in a field of halves, and of what is to. As wide as a pointer: for loops over elements of
// different sizes of one local struct g++ 12 makes addresses out of each other, takes them for null and drops the whole
// body.
struct HalfUnits {
  float now, next;
};
// Halves count in the units of their field.
template <int Most>
struct FieldsOf<Half, Most> {
  Half* data[Most] = {};
  HalfUnits units[Most] = {};
  template <class Q>
  HALOCLINE_HD Q load(int n, Index at) const {
    return units[n].now * taken<Q>(data[n] + at);
  }
  template <int Count>
  HALOCLINE_HD Few<float, Count> numbers(int n, const Few<Half, Count>& memory) const {
    Few<float, Count> q;
    for (int i = 0; i < Count; ++i) convert(memory.of[i], q.of[i]);
    return units[n].now * q;
  }
  template <class Q>
  HALOCLINE_HD Q store(int n, Index at, const Q& q) const {
    const Q halves = kept<Half>(over(units[n].next) * q);
    put(data[n] + at, halves);
    return units[n].next * halves;
  }
};

template <class T>
struct ClearBody : NodesBody<ClearBody<T>> {
  T* field;
  template <class P>
  HALOCLINE_HD void node(Index at) const {
    store_as(field + at, zero<Like<P, Computed<T>>>());
  }
};

}  // namespace halocline::fractional
