// Values of several nodes at once in another precision than that of their memory: eight on the host, one to four per
// thread on a GPU, which reads and writes four neighbors in accesses of 16 bytes.
//
// Where the values of a body are of type V - double, Few<double, N> or Pack<double> - those it computes with are
// Numbers<V, T>, as many numbers of type T, double or float. taken() and put() convert from and to memory of doubles,
// floats or halves.
#pragma once

#include <type_traits>

#include "lib/base/fma.hpp"
#include "lib/base/pack.hpp"
#include "lib/fields/slab_layout.hpp"
#include "lib/problems/fractional/space/convert_kernels.hpp"

namespace halocline::fractional {

/// N neighbors, of a thread of a GPU.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Few {
  T of[N];
};

namespace detail {

template <class V, class T>
struct NumbersOf {
  using Type = T;
};
template <class S, class T>
struct NumbersOf<Pack<S>, T> {
  using Type = Pack<T>;
};
template <class S, int N, class T>
struct NumbersOf<Few<S, N>, T> {
  using Type = Few<T, N>;
};

}  // namespace detail

template <class V, class T>
using Numbers = typename detail::NumbersOf<V, T>::Type;

using halocline::fma;  // beside those of this namespace

/// a b + c and a c for one number a.
template <class T, int N>
HALOCLINE_HD inline Few<T, N> fma(std::type_identity_t<T> a, const Few<T, N>& b, Few<T, N> c) {
  for (int i = 0; i < N; ++i) c.of[i] = halocline::fma(a, b.of[i], c.of[i]);
  return c;
}
template <class T, int N>
HALOCLINE_HD inline Few<T, N> operator*(std::type_identity_t<T> a, Few<T, N> c) {
  for (int i = 0; i < N; ++i) c.of[i] = a * c.of[i];
  return c;
}

/// Q{} with zeros in it, also for packs.
template <class Q>
HALOCLINE_HD inline Q none() {
  if constexpr (is_pack<Q>) {
    return zero<Q>();
  } else {
    return Q{};
  }
}

/// Q: what Numbers gives. The memory of a Few is aligned as it is.
template <class Q, class Stored>
HALOCLINE_HD inline Q taken(const Stored* from) {
  if constexpr (is_pack<Q> || std::is_arithmetic_v<Q>) {
    return load_as<Q>(from);
  } else {
    constexpr int count = static_cast<int>(sizeof(Q::of) / sizeof(*Q::of));
    const auto raw = *reinterpret_cast<const Few<Stored, count>*>(from);
    Q q;
    for (int i = 0; i < count; ++i) convert(raw.of[i], q.of[i]);
    return q;
  }
}

template <class Stored, class Q>
HALOCLINE_HD inline void put(Stored* to, const Q& q) {
  if constexpr (is_pack<Q> || std::is_arithmetic_v<Q>) {
    store_as(to, q);
  } else {
    constexpr int count = static_cast<int>(sizeof(Q::of) / sizeof(*Q::of));
    Few<Stored, count> raw;
    for (int i = 0; i < count; ++i) convert(q.of[i], raw.of[i]);
    *reinterpret_cast<Few<Stored, count>*>(to) = raw;
  }
}

/// What memory of type `Stored` would keep of numbers.
template <class Stored, class T>
HALOCLINE_HD inline T kept(T number) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return to_float(to_half(number));
  } else {
    return number;
  }
}
template <class Stored, class T>
HALOCLINE_HD inline Pack<T> kept(Pack<T> numbers) {
  if constexpr (std::is_same_v<Stored, Half>) {
    alignas(16) Half halves[lanes];
    convert(numbers, halves);
    convert(halves, numbers);
  }
  return numbers;
}
template <class Stored, class T, int N>
HALOCLINE_HD inline Few<T, N> kept(Few<T, N> numbers) {
  for (int i = 0; i < N; ++i) numbers.of[i] = kept<Stored>(numbers.of[i]);
  return numbers;
}

/// What takes all nodes of lines along x, N neighbors to a thread. Body: node<V>(at).
template <class Body, int N>
struct GroupedNodes {
  SlabLayout slab;
  /// For lines of `slab.pitch`, which is a multiple of 16, over N.
  HALOCLINE_HD void operator()(Index line, Index group) const {
    using V = std::conditional_t<N == 1, double, Few<double, N>>;
    static_cast<const Body*>(this)->template node<V>(slab.line(line) + group * N);
  }
  void row(Index line, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    const Index at = slab.line(line);
    for (Index i = begin * N; i < end * N; i += lanes) body.template node<Pack<double>>(at + i);
  }
};

}  // namespace halocline::fractional
