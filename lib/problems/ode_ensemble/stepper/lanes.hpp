// Real numbers of the stepper: several doubles in vector registers, with masks, selection and the functions of
// formulas.
//
// Everything is written for R = double as well, where a mask is a bool and there is one lane. Vector operations work
// element by element, so a system's results do not depend on its lane nor on its neighbors.
#pragma once

#include "lib/problems/ode_ensemble/stepper/device_math.hpp"

namespace halocline::ode_ensemble {
// Every translation unit has its own copy, compiled for its own instruction set.
namespace {

// --- double ------------------------------------------------------------------------------------------------------

template <class R>
struct Traits;
template <>
struct Traits<double> {
  using Mask = bool;
  static constexpr int lanes = 1;
};

HALOCLINE_ODE double lane(double x, int) { return x; }
HALOCLINE_ODE void set_lane(double& x, int, double value) { x = value; }
HALOCLINE_ODE bool lane(bool x, int) { return x; }
HALOCLINE_ODE void set_lane(bool& x, int, bool value) { x = value; }
HALOCLINE_ODE bool both(bool a, bool b) { return a && b; }
HALOCLINE_ODE bool either(bool a, bool b) { return a || b; }
HALOCLINE_ODE bool opposite(bool a) { return !a; }
HALOCLINE_ODE bool any(bool a) { return a; }
HALOCLINE_ODE double select(bool m, double a, double b) { return m ? a : b; }
HALOCLINE_ODE double least(double a, double b) { return b < a ? b : a; }
HALOCLINE_ODE double largest(double a, double b) { return a < b ? b : a; }

#if defined(__CUDA_ARCH__)
#define HALOCLINE_ODE_CALL(name) ::name
#else
#define HALOCLINE_ODE_CALL(name) __builtin_##name
#endif
#define HALOCLINE_ODE_UNARY(name) \
  HALOCLINE_ODE double fn_##name(double x) { return HALOCLINE_ODE_CALL(name)(x); }
#define HALOCLINE_ODE_BINARY(name) \
  HALOCLINE_ODE double fn_##name(double x, double y) { return HALOCLINE_ODE_CALL(name)(x, y); }
HALOCLINE_ODE_UNARY(sin)
HALOCLINE_ODE_UNARY(cos)
HALOCLINE_ODE_UNARY(tan)
HALOCLINE_ODE_UNARY(asin)
HALOCLINE_ODE_UNARY(acos)
HALOCLINE_ODE_UNARY(atan)
HALOCLINE_ODE_UNARY(sinh)
HALOCLINE_ODE_UNARY(cosh)
HALOCLINE_ODE_UNARY(tanh)
HALOCLINE_ODE_UNARY(exp)
HALOCLINE_ODE_UNARY(log)
HALOCLINE_ODE_UNARY(log10)
HALOCLINE_ODE_UNARY(cbrt)
HALOCLINE_ODE_UNARY(erf)
HALOCLINE_ODE_UNARY(erfc)
HALOCLINE_ODE_UNARY(floor)
HALOCLINE_ODE_UNARY(ceil)
HALOCLINE_ODE_UNARY(fabs)
HALOCLINE_ODE_BINARY(pow)
HALOCLINE_ODE_BINARY(atan2)
HALOCLINE_ODE_BINARY(hypot)
#undef HALOCLINE_ODE_UNARY
#undef HALOCLINE_ODE_BINARY

HALOCLINE_ODE double fn_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return DeviceMath::root(x);
#else
  return __builtin_sqrt(x);
#endif
}
HALOCLINE_ODE double fn_divide(double a, double b) {
#if defined(__CUDA_ARCH__)
  return DeviceMath::divide(a, b);
#else
  return a / b;
#endif
}
// x^c where c is n/m and a rest of rounding.
template <int n, int m>
HALOCLINE_ODE double fn_root_power(double x, [[maybe_unused]] double c, [[maybe_unused]] double rest) {
#if defined(__CUDA_ARCH__)
  return DeviceMath::root_power<n, m>(x, rest);
#else
  return __builtin_pow(x, c);
#endif
}

// a/b and x^e in the step-size controllers, 0 < x: single precision is enough where it is faster.
HALOCLINE_ODE double controller_ratio(double a, double b) {
#if defined(__CUDA_ARCH__)
  return DeviceMath::rough_ratio(a, b);
#else
  return a / b;
#endif
}
HALOCLINE_ODE double controller_power(double x, double e) {
#if defined(__CUDA_ARCH__)
  return DeviceMath::rough_power(x, e);
#else
  return __builtin_pow(x, e);
#endif
}

// --- Lanes -------------------------------------------------------------------------------------------------------

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#else
constexpr int vector_bytes = 32;
#endif
constexpr int vector_lanes = vector_bytes / 8;
#pragma GCC diagnostic ignored "-Wpsabi"  // without AVX, vectors are passed in memory, and nobody else passes them
typedef double Vector __attribute__((vector_size(vector_bytes), may_alias));
typedef long long VectorMask __attribute__((vector_size(vector_bytes), may_alias));

// Functions of formulas on one register, from glibc's libmvec (2.35 or later): up to 4 units in the last place.
#if defined(__gnu_linux__) && defined(__AVX512F__) && !defined(HALOCLINE_ODE_NO_LIBMVEC)
#define HALOCLINE_ODE_MVEC(name, arguments) _ZGVeN8##arguments##_##name
#elif defined(__gnu_linux__) && defined(__AVX2__) && !defined(HALOCLINE_ODE_NO_LIBMVEC)
#define HALOCLINE_ODE_MVEC(name, arguments) _ZGVdN4##arguments##_##name
#endif

HALOCLINE_ODE bool any_set(VectorMask m) {
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_ptestmq512(m, m, -1) != 0;
#elif defined(__AVX__) && !defined(__AVX512F__)
  return __builtin_ia32_ptestz256(m, m) == 0;
#else
  long long found = 0;
  for (int l = 0; l < vector_lanes; ++l) found |= m[l];
  return found != 0;
#endif
}
HALOCLINE_ODE Vector square_root(Vector x) {
#if defined(__AVX512F__) && defined(__clang__)
  return __builtin_ia32_sqrtpd512(x, 4);
#elif defined(__AVX512F__)
  return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#elif defined(__AVX__)
  return __builtin_ia32_sqrtpd256(x);
#else
  for (int l = 0; l < vector_lanes; ++l) x[l] = __builtin_sqrt(x[l]);
  return x;
#endif
}
// The nearest whole number below.
HALOCLINE_ODE Vector round_down(Vector x) {
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_rndscalepd_mask(x, 9, x, -1, 4);
#elif defined(__AVX__) && !defined(__AVX512F__)
  return __builtin_ia32_roundpd256(x, 9);
#else
  for (int l = 0; l < vector_lanes; ++l) x[l] = __builtin_floor(x[l]);
  return x;
#endif
}

// Several registers side by side, so that one's arithmetic hides the other's latency.
template <int U>
struct Lanes {
  struct Mask {
    VectorMask v[U];
  };
  Vector v[U];

  Lanes() = default;
  HALOCLINE_ODE Lanes(double x) { HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) v[u] = x - Vector{}; }

#define HALOCLINE_ODE_OPERATOR(op)                                              \
  HALOCLINE_ODE friend Lanes operator op(const Lanes& a, const Lanes& b) {      \
    Lanes c;                                                                    \
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = a.v[u] op b.v[u]; \
    return c;                                                                   \
  }
  HALOCLINE_ODE_OPERATOR(+)
  HALOCLINE_ODE_OPERATOR(-)
  HALOCLINE_ODE_OPERATOR(*)
  HALOCLINE_ODE_OPERATOR(/)
#undef HALOCLINE_ODE_OPERATOR
  HALOCLINE_ODE friend Lanes operator-(const Lanes& a) {
    Lanes c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = -a.v[u];
    return c;
  }
#define HALOCLINE_ODE_OPERATOR(op)                                              \
  HALOCLINE_ODE friend Mask operator op(const Lanes& a, const Lanes& b) {       \
    Mask c;                                                                     \
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = a.v[u] op b.v[u]; \
    return c;                                                                   \
  }
  HALOCLINE_ODE_OPERATOR(<)
  HALOCLINE_ODE_OPERATOR(<=)
  HALOCLINE_ODE_OPERATOR(>)
  HALOCLINE_ODE_OPERATOR(>=)
#undef HALOCLINE_ODE_OPERATOR

  HALOCLINE_ODE friend double lane(const Lanes& x, int l) { return x.v[l / vector_lanes][l % vector_lanes]; }
  HALOCLINE_ODE friend void set_lane(Lanes& x, int l, double value) { x.v[l / vector_lanes][l % vector_lanes] = value; }
  HALOCLINE_ODE friend bool lane(const Mask& m, int l) { return m.v[l / vector_lanes][l % vector_lanes] != 0; }
  HALOCLINE_ODE friend void set_lane(Mask& m, int l, bool value) {
    m.v[l / vector_lanes][l % vector_lanes] = value ? -1 : 0;
  }
  HALOCLINE_ODE friend Mask both(const Mask& a, const Mask& b) {
    Mask c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = a.v[u] & b.v[u];
    return c;
  }
  HALOCLINE_ODE friend Mask either(const Mask& a, const Mask& b) {
    Mask c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = a.v[u] | b.v[u];
    return c;
  }
  HALOCLINE_ODE friend Mask opposite(const Mask& a) {
    Mask c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = ~a.v[u];
    return c;
  }
  HALOCLINE_ODE friend bool any(const Mask& a) {
    VectorMask all = a.v[0];
    HALOCLINE_ODE_UNROLL for (int u = 1; u < U; ++u) all |= a.v[u];
    return any_set(all);
  }
  HALOCLINE_ODE friend Lanes select(const Mask& m, const Lanes& a, const Lanes& b) {
    Lanes c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = m.v[u] ? a.v[u] : b.v[u];
    return c;
  }
  HALOCLINE_ODE friend Lanes least(const Lanes& a, const Lanes& b) { return select(b < a, b, a); }
  HALOCLINE_ODE friend Lanes largest(const Lanes& a, const Lanes& b) { return select(a < b, b, a); }
  HALOCLINE_ODE friend Lanes fn_fabs(const Lanes& a) {
    Lanes c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] =
        (Vector)((VectorMask)a.v[u] & (0x7fffffffffffffffLL - VectorMask{}));
    return c;
  }
  HALOCLINE_ODE friend Lanes fn_sqrt(const Lanes& a) {
    Lanes c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = square_root(a.v[u]);
    return c;
  }
  HALOCLINE_ODE friend Lanes fn_floor(const Lanes& a) {
    Lanes c;
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = round_down(a.v[u]);
    return c;
  }
  HALOCLINE_ODE friend Lanes fn_ceil(const Lanes& a) { return -fn_floor(-a); }
};

template <int U>
struct Traits<Lanes<U>> {
  using Mask = typename Lanes<U>::Mask;
  static constexpr int lanes = U * vector_lanes;
};

#if defined(HALOCLINE_ODE_MVEC)
#define HALOCLINE_ODE_UNARY(name)                                                                  \
  extern "C" Vector HALOCLINE_ODE_MVEC(name, v)(Vector);                                           \
  template <int U>                                                                                 \
  HALOCLINE_ODE Lanes<U> fn_##name(const Lanes<U>& a) {                                            \
    Lanes<U> c;                                                                                    \
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = HALOCLINE_ODE_MVEC(name, v)(a.v[u]); \
    return c;                                                                                      \
  }
#define HALOCLINE_ODE_BINARY(name)                                                                          \
  extern "C" Vector HALOCLINE_ODE_MVEC(name, vv)(Vector, Vector);                                           \
  template <int U>                                                                                          \
  HALOCLINE_ODE Lanes<U> fn_##name(const Lanes<U>& a, const Lanes<U>& b) {                                  \
    Lanes<U> c;                                                                                             \
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = HALOCLINE_ODE_MVEC(name, vv)(a.v[u], b.v[u]); \
    return c;                                                                                               \
  }
#else
#define HALOCLINE_ODE_UNARY(name)                                                                   \
  template <int U>                                                                                  \
  HALOCLINE_ODE Lanes<U> fn_##name(const Lanes<U>& a) {                                             \
    Lanes<U> c;                                                                                     \
    for (int l = 0; l < Traits<Lanes<U>>::lanes; ++l) set_lane(c, l, __builtin_##name(lane(a, l))); \
    return c;                                                                                       \
  }
#define HALOCLINE_ODE_BINARY(name)                                                                              \
  template <int U>                                                                                              \
  HALOCLINE_ODE Lanes<U> fn_##name(const Lanes<U>& a, const Lanes<U>& b) {                                      \
    Lanes<U> c;                                                                                                 \
    for (int l = 0; l < Traits<Lanes<U>>::lanes; ++l) set_lane(c, l, __builtin_##name(lane(a, l), lane(b, l))); \
    return c;                                                                                                   \
  }
#endif
HALOCLINE_ODE_UNARY(sin)
HALOCLINE_ODE_UNARY(cos)
HALOCLINE_ODE_UNARY(tan)
HALOCLINE_ODE_UNARY(asin)
HALOCLINE_ODE_UNARY(acos)
HALOCLINE_ODE_UNARY(atan)
HALOCLINE_ODE_UNARY(sinh)
HALOCLINE_ODE_UNARY(cosh)
HALOCLINE_ODE_UNARY(tanh)
HALOCLINE_ODE_UNARY(exp)
HALOCLINE_ODE_UNARY(log)
HALOCLINE_ODE_UNARY(log10)
HALOCLINE_ODE_UNARY(cbrt)
HALOCLINE_ODE_UNARY(erf)
HALOCLINE_ODE_UNARY(erfc)
HALOCLINE_ODE_BINARY(pow)
HALOCLINE_ODE_BINARY(atan2)
HALOCLINE_ODE_BINARY(hypot)
#undef HALOCLINE_ODE_UNARY
#undef HALOCLINE_ODE_BINARY

template <int n, int m, int U>
HALOCLINE_ODE Lanes<U> fn_root_power(const Lanes<U>& x, const Lanes<U>& c, double) {
  return fn_pow(x, c);
}
template <int U>
HALOCLINE_ODE Lanes<U> controller_ratio(const Lanes<U>& a, const Lanes<U>& b) {
  return a / b;
}
// x^e of one register in single precision: 2^(e log2 x), with a relative error of about 1e-6.
HALOCLINE_ODE Vector rough_power(const Vector& value, const Vector& e) {
  typedef float Singles __attribute__((vector_size(vector_bytes / 2)));
  typedef int Bits __attribute__((vector_size(vector_bytes / 2)));
  const Vector least = Vector{} + 1e-30, most = Vector{} + 1e30;
  const Vector x = value < least ? least : value > most ? most : value;
  const Bits bits = (Bits) __builtin_convertvector(x, Singles);
  const Bits exponent = (bits - 0x3f3504f3) >> 23;  // x = 2^exponent m, 1/sqrt(2) <= m < sqrt(2)
  const Singles m = (Singles)(bits - (exponent << 23)), s = (m - 1.0f) / (m + 1.0f), s2 = s * s;
  const Singles logarithm = s * (2.88539008f + s2 * (0.961796694f + s2 * (0.577078016f + s2 * 0.412198583f)));
  const Singles power = __builtin_convertvector(e, Singles) * (__builtin_convertvector(exponent, Singles) + logarithm);
  const Singles shifted = power + 12582912.0f, r = power - (shifted - 12582912.0f);  // rounded to whole numbers
  const Singles fraction =
      1.0f +
      r * (0.693147181f + r * (0.240226507f + r * (0.0555041087f +
                                                   r * (0.00961812911f + r * (0.00133335581f + r * 0.000154035304f)))));
  return __builtin_convertvector((Singles)((Bits)fraction + ((Bits)shifted << 23)), Vector);
}
template <int U>
HALOCLINE_ODE Lanes<U> controller_power(const Lanes<U>& x, const Lanes<U>& e) {
  Lanes<U> c;
  HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) c.v[u] = rough_power(x.v[u], e.v[u]);
  return c;
}

#endif  // not CUDA

// --- What is the same for all R ----------------------------------------------------------------------------------

template <class R>
using MaskOf = typename Traits<R>::Mask;

template <class R>
HALOCLINE_ODE MaskOf<R> is_finite(const R& x) {
  return fn_fabs(x) <= R(1.7976931348623157e308);
}

}  // namespace
}  // namespace halocline::ode_ensemble
