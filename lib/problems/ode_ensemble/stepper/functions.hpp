// The operations of formulas on real numbers of the stepper, with the meaning that lib/expression gives them
// (program_kernels.hpp).
#pragma once

#include "lib/problems/ode_ensemble/stepper/lanes.hpp"

namespace halocline::ode_ensemble {
namespace {

template <class R>
HALOCLINE_ODE R fn_divide(const R& a, const R& b) {
  return a / b;
}
template <class R>
HALOCLINE_ODE R fn_sign(const R& a) {
  return select(a > R(0.0), R(1.0), select(a < R(0.0), R(-1.0), a));
}
template <class R>
HALOCLINE_ODE R fn_step(const R& a) {
  return select(a >= R(0.0), R(1.0), R(0.0));
}
template <class R>
HALOCLINE_ODE R fn_mod(const R& a, const R& b) {
  const R zero(0.0), rest = a - b * fn_floor(a / b);
  const MaskOf<R> wrong = either(both(rest < zero, b >= zero), both(rest > zero, b < zero));
  const R mended = select(wrong, rest + b, rest);
  return select(fn_fabs(mended) >= fn_fabs(b), mended - b, mended);
}
// drawn_number() of program_kernels.hpp, in builtin types only.
HALOCLINE_ODE unsigned long long bits_of_number(double x) {
  x += 0.0;  // -0 is 0
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned long long>(__double_as_longlong(x));
#else
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
HALOCLINE_ODE double drawn_number(double a, double b) {
  unsigned long long left = bits_of_number(a), right = bits_of_number(b), key = 0;
  for (int round = 0; round < 10; ++round, key += 0x9E3779B97F4A7C15) {
    constexpr unsigned long long factor = 0xD2B74407B1CE6E93;
#if defined(__CUDA_ARCH__)
    const unsigned long long high = __umul64hi(factor, left);
#else
    const auto high = static_cast<unsigned long long>(static_cast<unsigned __int128>(factor) * left >> 64);
#endif
    const unsigned long long low = factor * left;
    left = high ^ key ^ right;
    right = low;
  }
  return static_cast<double>(left >> 11) * 1.1102230246251565e-16;  // 2^-53
}
template <class R>
HALOCLINE_ODE R fn_random(const R& a, const R& b) {
  R drawn(0.0);
  for (int l = 0; l < Traits<R>::lanes; ++l) set_lane(drawn, l, drawn_number(lane(a, l), lane(b, l)));
  return drawn;
}
template <class R>
HALOCLINE_ODE R fn_min(const R& a, const R& b) {
  return select(b < a, b, a);
}
template <class R>
HALOCLINE_ODE R fn_max(const R& a, const R& b) {
  return select(a < b, b, a);
}
template <class R>
HALOCLINE_ODE R fn_less(const R& a, const R& b) {
  return select(a < b, R(1.0), R(0.0));
}
template <class R>
HALOCLINE_ODE R fn_less_equal(const R& a, const R& b) {
  return select(a <= b, R(1.0), R(0.0));
}
// b where a is not 0, else c.
template <class R>
HALOCLINE_ODE R fn_select(const R& a, const R& b, const R& c) {
  return select(either(a<R(0.0), a> R(0.0)), b, c);
}

// x minus the nearest whole number, |x| < 2^51.
template <class R>
HALOCLINE_ODE R fn_fraction(const R& x) {
  const R magic(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to whole numbers
  return x - ((x + magic) - magic);
}
// sin and cos of 2 pi x: the period is taken off exactly.
template <class R>
HALOCLINE_ODE R fn_sin2pi(const R& x) {
  return fn_sin(R(6.283185307179586) * fn_fraction(x));
}
template <class R>
HALOCLINE_ODE R fn_cos2pi(const R& x) {
  return fn_cos(R(6.283185307179586) * fn_fraction(x));
}
#if defined(__CUDA_ARCH__)
HALOCLINE_ODE double fn_sin2pi(double x) { return DeviceMath::sin2pi(x); }
HALOCLINE_ODE double fn_cos2pi(double x) { return DeviceMath::cos2pi(x); }
#endif
// x^c as exp(c log x): loses |c log x| units in the last place.
template <class R>
HALOCLINE_ODE R fn_exp_log_power(const R& x, const R& c) {
  return fn_exp(c * fn_log(x));
}

}  // namespace
}  // namespace halocline::ode_ensemble
