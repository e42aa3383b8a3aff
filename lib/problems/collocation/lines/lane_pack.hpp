// LanePack: eight values of type T handled as one, like Pack (lib/base/pack.hpp) but for float as well. A body written
// for the lanes of launch_lanes() computes with Wide<P, T>: LanePack<T> where it runs with P = Pack, T on a GPU.
#pragma once

#include <type_traits>

#include "lib/base/pack.hpp"

namespace halocline::collocation {

template <class T>
struct LanePack {
#if defined(__CUDA_ARCH__)
  using Register = T;  // a stand-in that no kernel uses
#else
  typedef T Register __attribute__((vector_size(32), may_alias));
#endif
  static constexpr int registers = lanes * sizeof(T) / sizeof(Register);
  Register r[registers];
};

template <class T>
HALOCLINE_HD inline LanePack<T> operator+(LanePack<T> a, const LanePack<T>& b) {
  for (int i = 0; i < LanePack<T>::registers; ++i) a.r[i] += b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline LanePack<T> operator-(LanePack<T> a, const LanePack<T>& b) {
  for (int i = 0; i < LanePack<T>::registers; ++i) a.r[i] -= b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline LanePack<T> operator*(LanePack<T> a, const LanePack<T>& b) {
  for (int i = 0; i < LanePack<T>::registers; ++i) a.r[i] *= b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline LanePack<T> operator*(T a, LanePack<T> b) {
  for (int i = 0; i < LanePack<T>::registers; ++i) b.r[i] *= a;
  return b;
}

template <class P, class T>
using Wide = std::conditional_t<std::is_same_v<P, Pack>, LanePack<T>, T>;

// Memory of a pack is aligned to 32 bytes.
template <class Q, class T>
HALOCLINE_HD inline Q load_wide(const T* from) {
  if constexpr (std::is_same_v<Q, T>) {
    return *from;
  } else {
    Q q;
    for (int i = 0; i < Q::registers; ++i) q.r[i] = reinterpret_cast<const typename Q::Register*>(from)[i];
    return q;
  }
}
template <class Q, class T>
HALOCLINE_HD inline void store_wide(T* to, const Q& q) {
  if constexpr (std::is_same_v<Q, T>) {
    *to = q;
  } else {
    for (int i = 0; i < Q::registers; ++i) reinterpret_cast<typename Q::Register*>(to)[i] = q.r[i];
  }
}
template <class Q>
HALOCLINE_HD inline Q zero_wide() {
  if constexpr (std::is_arithmetic_v<Q>) {
    return 0;
  } else {
    Q q;
    for (int i = 0; i < Q::registers; ++i) q.r[i] = typename Q::Register{};
    return q;
  }
}
// One lane of a pack; on a GPU the value itself.
template <class T>
HALOCLINE_HD inline T& lane_of(LanePack<T>& q, int lane) {
  return reinterpret_cast<T*>(q.r)[lane];
}
HALOCLINE_HD inline double& lane_of(double& q, int) { return q; }
HALOCLINE_HD inline float& lane_of(float& q, int) { return q; }

// For sums, which are taken in double.
HALOCLINE_HD inline double widened(double value) { return value; }
HALOCLINE_HD inline double widened(float value) { return value; }
template <class T>
HALOCLINE_HD inline Pack widened(const LanePack<T>& q) {
  Pack p;
  for (int i = 0; i < lanes; ++i)
    reinterpret_cast<double*>(p.r)[i] = static_cast<double>(reinterpret_cast<const T*>(q.r)[i]);
  return p;
}

}  // namespace halocline::collocation
