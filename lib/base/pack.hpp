// Pack<T>: eight values of type T handled as one, so that a body written once runs lane by lane on a GPU (P = double)
// and in SIMD registers on the host (P = Pack<double>). Such a body is a template over P and touches memory only
// through load() and store(); one that computes in float takes Like<P, float> in place of P.
#pragma once

#include <type_traits>

#include "lib/base/types.hpp"

namespace halocline {

// Lanes of interleaved columns: data of a group of columns is stored as [row][lane].
constexpr int lanes = 8;

// T: double or float. Arithmetic is element by element, each operation rounded as for a T. The device compiler knows no
// vector registers and sees a stand-in that no kernel uses. Memory given to load and store is aligned to 32 bytes.
template <class T>
struct Pack {
#if defined(__CUDA_ARCH__)
  using Register = T;
#else
  typedef T Register __attribute__((vector_size(32), may_alias));
#endif
  static constexpr int registers = lanes * sizeof(T) / sizeof(Register);
  Register r[registers];
};

template <class P>
inline constexpr bool is_pack = false;
template <class T>
inline constexpr bool is_pack<Pack<T>> = true;

// Values of type T in as many lanes as P has, which is a Pack or a number.
template <class P, class T>
using Like = std::conditional_t<is_pack<P>, Pack<T>, T>;

template <class T>
HALOCLINE_HD inline Pack<T> operator+(Pack<T> a, const Pack<T>& b) {
  for (int i = 0; i < Pack<T>::registers; ++i) a.r[i] += b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline Pack<T> operator-(Pack<T> a, const Pack<T>& b) {
  for (int i = 0; i < Pack<T>::registers; ++i) a.r[i] -= b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline Pack<T> operator*(Pack<T> a, const Pack<T>& b) {
  for (int i = 0; i < Pack<T>::registers; ++i) a.r[i] *= b.r[i];
  return a;
}
template <class T>
HALOCLINE_HD inline Pack<T> operator*(std::type_identity_t<T> a, Pack<T> b) {
  for (int i = 0; i < Pack<T>::registers; ++i) b.r[i] *= a;
  return b;
}

// P: T or Pack<T>, given by the caller.
template <class P, class T>
HALOCLINE_HD inline P load(const T* from) {
  if constexpr (is_pack<P>) {
    P p;
    for (int i = 0; i < P::registers; ++i) p.r[i] = reinterpret_cast<const typename P::Register*>(from)[i];
    return p;
  } else {
    return *from;
  }
}

HALOCLINE_HD inline void store(double* to, double value) { *to = value; }
HALOCLINE_HD inline void store(float* to, float value) { *to = value; }
template <class T>
HALOCLINE_HD inline void store(T* to, const Pack<T>& p) {
  for (int i = 0; i < Pack<T>::registers; ++i) reinterpret_cast<typename Pack<T>::Register*>(to)[i] = p.r[i];
}

template <class P>
HALOCLINE_HD inline P zero() {
  if constexpr (is_pack<P>) {
    P p;
    for (int i = 0; i < P::registers; ++i) p.r[i] = typename P::Register{};
    return p;
  } else {
    return 0;
  }
}

// One lane of a pack; a number is every lane of itself.
template <class T>
HALOCLINE_HD inline T& lane_of(Pack<T>& p, int lane) {
  return reinterpret_cast<T*>(p.r)[lane];
}
template <class T>
HALOCLINE_HD inline const T& lane_of(const Pack<T>& p, int lane) {
  return reinterpret_cast<const T*>(p.r)[lane];
}
HALOCLINE_HD inline double& lane_of(double& value, int /*lane*/) { return value; }
HALOCLINE_HD inline float& lane_of(float& value, int /*lane*/) { return value; }

// Sets the lanes from `first` on to zero; `lane` is the lane a number stands for.
HALOCLINE_HD inline double clear_from(int first, int lane, double value) { return lane < first ? value : 0; }
HALOCLINE_HD inline float clear_from(int first, int lane, float value) { return lane < first ? value : 0; }
template <class T>
HALOCLINE_HD inline Pack<T> clear_from(int first, int /*lane*/, Pack<T> p) {
  for (int i = first > 0 ? first : 0; i < lanes; ++i) lane_of(p, i) = 0;
  return p;
}

// For sums over chunks, which are taken of doubles.
HALOCLINE_HD inline double widened(double value) { return value; }
HALOCLINE_HD inline double widened(float value) { return value; }
HALOCLINE_HD inline Pack<double> widened(const Pack<double>& p) { return p; }
HALOCLINE_HD inline Pack<double> widened(const Pack<float>& p) {
  Pack<double> wide;
  for (int i = 0; i < lanes; ++i) lane_of(wide, i) = static_cast<double>(lane_of(p, i));
  return wide;
}

}  // namespace halocline
