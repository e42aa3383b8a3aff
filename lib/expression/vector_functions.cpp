#include "lib/expression/vector_functions.hpp"

#include <cstring>

#if defined(__x86_64__) && defined(__AVX2__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define HALOCLINE_LIBMVEC
#endif
#endif

namespace halocline {

#ifdef HALOCLINE_LIBMVEC

namespace {

typedef double Vector __attribute__((vector_size(32)));
constexpr int width = 4;

extern "C" {
Vector _ZGVdN4v_sin(Vector);
Vector _ZGVdN4v_cos(Vector);
Vector _ZGVdN4v_tan(Vector);
Vector _ZGVdN4v_asin(Vector);
Vector _ZGVdN4v_acos(Vector);
Vector _ZGVdN4v_atan(Vector);
Vector _ZGVdN4v_sinh(Vector);
Vector _ZGVdN4v_cosh(Vector);
Vector _ZGVdN4v_tanh(Vector);
Vector _ZGVdN4v_exp(Vector);
Vector _ZGVdN4v_log(Vector);
Vector _ZGVdN4v_log10(Vector);
Vector _ZGVdN4v_cbrt(Vector);
Vector _ZGVdN4v_erf(Vector);
Vector _ZGVdN4v_erfc(Vector);
Vector _ZGVdN4vv_pow(Vector, Vector);
Vector _ZGVdN4vv_atan2(Vector, Vector);
Vector _ZGVdN4vv_hypot(Vector, Vector);
}

// Four values of a row from place i on, of which `count` exist; the rest repeats the first.
Vector load(const ProgramRow& row, int i, int count) {
  if (row.single) return Vector{} + *row.values;
  Vector v;
  if (count >= width) {
    std::memcpy(&v, row.values + i, sizeof v);
  } else {
    for (int k = 0; k < width; ++k) v[k] = row.values[k < count ? i + k : i];
  }
  return v;
}

void store(double* to, const Vector& v, int count) {
  if (count >= width) {
    std::memcpy(to, &v, sizeof v);
  } else {
    for (int k = 0; k < count; ++k) to[k] = v[k];
  }
}

template <class Function>
bool each(double* to, int count, const Function& function) {
  for (int i = 0; i < count; i += width) store(to + i, function(i, count - i), count - i);
  return true;
}

template <Vector function(Vector)>
bool unary(double* to, const ProgramRow& a, int count) {
  return each(to, count, [&](int i, int left) { return function(load(a, i, left)); });
}

template <Vector function(Vector, Vector)>
bool binary(double* to, const ProgramRow& a, const ProgramRow& b, int count) {
  return each(to, count, [&](int i, int left) { return function(load(a, i, left), load(b, i, left)); });
}

// In one instruction, and with the bits of the scalar function; a loop over sqrt(x) calls it where x < 0.
Vector square_root(Vector x) { return __builtin_ia32_sqrtpd256(x); }

}  // namespace

bool apply_in_registers(Operation operation, double* to, const ProgramRow& a, const ProgramRow& b, int count) {
  switch (operation) {
    case Operation::sin:
      return unary<_ZGVdN4v_sin>(to, a, count);
    case Operation::cos:
      return unary<_ZGVdN4v_cos>(to, a, count);
    case Operation::tan:
      return unary<_ZGVdN4v_tan>(to, a, count);
    case Operation::asin:
      return unary<_ZGVdN4v_asin>(to, a, count);
    case Operation::acos:
      return unary<_ZGVdN4v_acos>(to, a, count);
    case Operation::atan:
      return unary<_ZGVdN4v_atan>(to, a, count);
    case Operation::sinh:
      return unary<_ZGVdN4v_sinh>(to, a, count);
    case Operation::cosh:
      return unary<_ZGVdN4v_cosh>(to, a, count);
    case Operation::tanh:
      return unary<_ZGVdN4v_tanh>(to, a, count);
    case Operation::exp:
      return unary<_ZGVdN4v_exp>(to, a, count);
    case Operation::log:
      return unary<_ZGVdN4v_log>(to, a, count);
    case Operation::log10:
      return unary<_ZGVdN4v_log10>(to, a, count);
    case Operation::cbrt:
      return unary<_ZGVdN4v_cbrt>(to, a, count);
    case Operation::erf:
      return unary<_ZGVdN4v_erf>(to, a, count);
    case Operation::erfc:
      return unary<_ZGVdN4v_erfc>(to, a, count);
    case Operation::sqrt:
      return unary<square_root>(to, a, count);
    case Operation::power:
      return binary<_ZGVdN4vv_pow>(to, a, b, count);
    case Operation::atan2:
      return binary<_ZGVdN4vv_atan2>(to, a, b, count);
    case Operation::hypot:
      return binary<_ZGVdN4vv_hypot>(to, a, b, count);
    default:
      return false;
  }
}

#else

bool apply_in_registers(Operation, double*, const ProgramRow&, const ProgramRow&, int) { return false; }

#endif

}  // namespace halocline
