// Arithmetic of one system on a GPU, without branches: a step is then one straight piece of code, in which the compiler
// lets independent operations overlap. CUDA's own division, square root, power, sine and cosine branch to rare cases.
//
// Each begins with an approximation of the special function unit and ends with Newton's method in fused
// multiply-adds. Errors: divisions and roots 1 unit in the last place, powers 8, sine and cosine 2 of the largest
// value. Quotients and roots whose divisor or argument is below 2^-1022 or above 2^1022 lose their digits.
#pragma once

#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {
namespace {

#if defined(__CUDA_ARCH__)

// In memory for constants, from where arithmetic takes them without a register.
__constant__ double device_turn[] = {3.7813859205893228,  -15.093830287058815, 42.05868552483791,  -76.7058597089433,
                                     81.60524927596886,   -41.34170224039968,  -1.697786258825899, 7.90314500414306,
                                     -26.426252110769937, 60.2446413424593,    -85.45681720660279, 64.9393940226682,
                                     -19.739208802178716, 6.283185307179586};

struct DeviceMath {
  // Selects where the compiler would branch.
  static HALOCLINE_ODE double choose(bool condition, double a, double b) {
    double chosen;
    asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; selp.f64 %0, %1, %2, p; }"
        : "=d"(chosen)
        : "d"(a), "d"(b), "r"(static_cast<int>(condition)));
    return chosen;
  }
  static HALOCLINE_ODE double infinity() { return __hiloint2double(0x7ff00000, 0); }
  static HALOCLINE_ODE bool is_normal(double x) {
    const int exponent = __double2hiint(x) & 0x7ff00000;
    return exponent != 0 && exponent != 0x7ff00000;
  }
  static HALOCLINE_ODE bool is_finite(double x) { return (__double2hiint(x) & 0x7ff00000) != 0x7ff00000; }
  static HALOCLINE_ODE double divide(double a, double b) {
    double start;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(start) : "d"(b));
    double e = ::fma(-b, start, 1.0);
    e = ::fma(e, e, e);
    const double inverse = ::fma(start, e, start), first = a * inverse;
    const double quotient = ::fma(inverse, ::fma(-b, first, a), first);
    return choose(is_normal(start) & is_finite(first), quotient, a * start);
  }
  static HALOCLINE_ODE double root(double x) {
    double start;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(start) : "d"(x));
    double g = x * start, h = 0.5 * start;
    const double e = ::fma(-h, g, 0.5);
    g = ::fma(g, e, g);
    h = ::fma(h, e, h);
    const double result = ::fma(h, ::fma(-g, g, x), g);
    const int size = __double2hiint(start) & 0x7fffffff;  // 0 for infinite x, infinite for 0; not a number below
    return choose(size == 0 | size == 0x7ff00000, x, result);
  }

  template <int n>
  static HALOCLINE_ODE double whole_power(double x) {
    if constexpr (n == 0) return 1;
    if constexpr (n == 1) return x;
    const double half = n > 1 ? whole_power<n / 2>(x) : 1;
    if constexpr (n % 2 == 0) return half * half;
    return half * half * x;
  }
  // x^(-1/m) for normal x > 0, and the logarithm of x in single precision.
  template <int m>
  static HALOCLINE_ODE double inverse_root(double x, float* logarithm) {
    // x = 2^(m k) z with 2^-m <= z < 2^m.
    const int high = __double2hiint(x), exponent = (high >> 20) - 1023, k = exponent / m;
    const double z = __hiloint2double(high - (k * m << 20), __double2loint(x));
    float log2_z, start;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log2_z) : "f"(static_cast<float>(z)));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(start) : "f"(log2_z * (-1.0f / m)));
    *logarithm = 0.69314718f * (log2_z + static_cast<float>(k * m));
    const double r = start;
    const double e = ::fma(-whole_power<m - 1>(r), r * z, 1.0);
    const double result = ::fma(r * e, ::fma(e, (1.0 + m) / (2.0 * m * m), 1.0 / m), r);
    return __hiloint2double(__double2hiint(result) - (k << 20), __double2loint(result));
  }
  // x^(n/m + rest) with a rest of rounding: x^p times x^(-1/m) to the power t, 0 <= t < m.
  template <int n, int m>
  static HALOCLINE_ODE double root_power(double x, double rest) {
    constexpr int p = n > 0 ? (n + m - 1) / m : -(-n / m), t = p * m - n;
    double whole = 1;
    if constexpr (p < 0) whole = whole_power<-p>(divide(1.0, x));
    if constexpr (p > 0) whole = whole_power<p>(x);
    if constexpr (t == 0) return whole;
    float logarithm;
    double result = whole * whole_power<t>(inverse_root<m>(x, &logarithm));
    if (rest != 0) result = ::fma(result, rest * logarithm, result);
    // Zero, infinity, and no number where x is less than 0 or none.
    const double other = choose(x >= 0, choose((x > 1) == (n > 0), infinity(), 0.0), infinity() - infinity());
    return choose(is_normal(x) & (__double2hiint(x) > 0), result, other);
  }

  // sin and cos of 2 pi x, |x| < 2^49. Polynomials for one eighth of a turn to both sides: those of fdlibm (Sun
  // Microsystems, 1993), with powers of 2 pi in their coefficients.
  static HALOCLINE_ODE void turn(double x, double* sine, double* cosine, int* quarter) {
    const double magic = 6755399441055744.0, shifted = ::fma(x, 4.0, magic);
    *quarter = __double2loint(shifted);
    const double r = ::fma(shifted - magic, -0.25, x), u = r * r;
    const double* const k = device_turn;
    double s = k[0], c = k[6];
    HALOCLINE_ODE_UNROLL for (int i = 1; i < 6; ++i) s = ::fma(s, u, k[i]);
    HALOCLINE_ODE_UNROLL for (int i = 7; i < 13; ++i) c = ::fma(c, u, k[i]);
    *sine = ::fma(s * u, r, k[13] * r);
    *cosine = ::fma(c, u, 1.0);
  }
  static HALOCLINE_ODE double negative_if(int bit, double x) {
    return __hiloint2double(__double2hiint(x) ^ (bit << 31), __double2loint(x));
  }
  static HALOCLINE_ODE double sin2pi(double x) {
    double sine, cosine;
    int quarter;
    turn(x, &sine, &cosine, &quarter);
    return negative_if(quarter >> 1 & 1, choose((quarter & 1) != 0, cosine, sine));
  }
  static HALOCLINE_ODE double cos2pi(double x) {
    double sine, cosine;
    int quarter;
    turn(x, &sine, &cosine, &quarter);
    return negative_if((quarter + 1) >> 1 & 1, choose((quarter & 1) != 0, sine, cosine));
  }

  // For the step-size controllers single precision is enough, for all that it can hold.
  static HALOCLINE_ODE double rough_ratio(double a, double b) {
    const auto divisor = static_cast<float>(b);
    if (divisor > 1e37f) return divide(a, b);
    return __fdividef(static_cast<float>(a), divisor);
  }
  static HALOCLINE_ODE double rough_power(double x, double e) {
    float logarithm, power;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(static_cast<float>(x)));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(static_cast<float>(e) * logarithm));
    return power;
  }
};

#endif

}  // namespace
}  // namespace halocline::ode_ensemble
