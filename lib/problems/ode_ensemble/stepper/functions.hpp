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
// Philox2x64-10 (Salmon, Moraes, Dror, Shaw, SC11), in builtin types only.
struct Words {
  unsigned long long left, right;
};
HALOCLINE_ODE Words philox(Words counter, unsigned long long key) {
  for (int round = 0; round < 10; ++round, key += 0x9E3779B97F4A7C15) {
    constexpr unsigned long long factor = 0xD2B74407B1CE6E93;
#if defined(__CUDA_ARCH__)
    const unsigned long long high = __umul64hi(factor, counter.left);
#else
    const auto high = static_cast<unsigned long long>(static_cast<unsigned __int128>(factor) * counter.left >> 64);
#endif
    counter = {high ^ key ^ counter.right, factor * counter.left};
  }
  return counter;
}
// In [0, 1), from the upper 53 bits.
HALOCLINE_ODE double unit_number(unsigned long long drawn) {
  return static_cast<double>(drawn >> 11) * 1.1102230246251565e-16;  // 2^-53
}
// drawn_number() of program_kernels.hpp.
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
  return unit_number(philox({bits_of_number(a), bits_of_number(b)}, 0).left);
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

// The value of a table at time t, and its slope: exact at the table's times.
HALOCLINE_ODE_RARE void look_up(const double* tables, const TableShape& table, double t, double* value, double* slope) {
  const int last = table.count - 1;
  const double *const times = tables + table.at, *const values = times + table.count;
  const double *const slopes = values + table.count, *const first = slopes + table.count;
  const double low = times[0], range = times[last] - low;
  if (!(t > low) || t >= times[last]) {
    const int end = t >= times[last] ? last : 0;
    const double beyond = fn_fabs(t - times[end]);
    // Stages of a step that ends with the table may lie beyond it by rounding.
    const bool inside = beyond <= 1e-12 * (fn_fabs(times[end]) + range);
    const double none = table.holds || inside ? 0.0 : (t - t) / 0.0;
    *value = values[end] + none;
    *slope = (table.cubic && inside ? slopes[end] : 0.0) + none;
    if (table.cubic || beyond > 0) return;
    const int next = end == 0 ? 1 : last - 1;
    *slope = (values[next] - values[end]) / (times[next] - times[end]);
    return;
  }
  const int part = static_cast<int>((t - low) / range * last), known = part < last ? part : last - 1;
  int i = static_cast<int>(first[known]), end = known + 1 < last ? static_cast<int>(first[known + 1]) + 1 : last;
  // The part is right but for rounding.
  while (i > 0 && t < times[i]) --i;
  while (end < last && t >= times[end]) ++end;
  while (end - i > 1) {
    const int middle = (i + end) / 2;
    (t >= times[middle] ? i : end) = middle;
  }
  const double h = times[i + 1] - times[i], rise = (values[i + 1] - values[i]) / h, x = t - times[i];
  const double bend = table.cubic ? 3 * rise - 2 * slopes[i] - slopes[i + 1] : 0;
  const double turn = table.cubic ? slopes[i] + slopes[i + 1] - 2 * rise : 0;
  const double start = table.cubic ? slopes[i] : rise, share = x / h;
  *value = values[i] + x * (start + share * (bend + share * turn));
  *slope = start + share * (2 * bend + 3 * share * turn);
}
// In all lanes: d[0] and d[step] become the value and the slope.
template <class R>
HALOCLINE_ODE void look_up(const double* tables, const TableShape& table, const R& t, R* d, int step) {
  for (int l = 0; l < Traits<R>::lanes; ++l) {
    double value, slope;
    look_up(tables, table, lane(t, l), &value, &slope);
    set_lane(d[0], l, value), set_lane(d[step], l, slope);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
