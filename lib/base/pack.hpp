// Pack: several doubles handled as one, so that a body written once runs lane by lane on a GPU (P = double) and in SIMD
// registers on the host (P = Pack). Such a body is a template over P and touches memory only through load() and
// store().
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

// Lanes of interleaved columns: data of a group of columns is stored as [row][lane].
constexpr int lanes = 8;

// Arithmetic is element by element, each operation rounded as for a double. The device compiler knows no vector
// registers and sees a stand-in that no kernel uses. Memory given to load and store is aligned to 32 bytes.
struct Pack {
#if defined(__CUDA_ARCH__)
  using Register = double;
#else
  using Register = double __attribute__((vector_size(32), may_alias));
#endif
  static constexpr int registers = lanes * sizeof(double) / sizeof(Register);
  Register r[registers];
};

HALOCLINE_HD inline Pack operator+(Pack a, const Pack& b) {
  for (int i = 0; i < Pack::registers; ++i) a.r[i] += b.r[i];
  return a;
}
HALOCLINE_HD inline Pack operator-(Pack a, const Pack& b) {
  for (int i = 0; i < Pack::registers; ++i) a.r[i] -= b.r[i];
  return a;
}
HALOCLINE_HD inline Pack operator*(Pack a, const Pack& b) {
  for (int i = 0; i < Pack::registers; ++i) a.r[i] *= b.r[i];
  return a;
}
HALOCLINE_HD inline Pack operator*(double a, Pack b) {
  for (int i = 0; i < Pack::registers; ++i) b.r[i] *= a;
  return b;
}

template <class P>
HALOCLINE_HD inline P load(const double* from);
template <>
HALOCLINE_HD inline double load<double>(const double* from) {
  return *from;
}
template <>
HALOCLINE_HD inline Pack load<Pack>(const double* from) {
  Pack p;
  for (int i = 0; i < Pack::registers; ++i) p.r[i] = reinterpret_cast<const Pack::Register*>(from)[i];
  return p;
}

HALOCLINE_HD inline void store(double* to, double value) { *to = value; }
HALOCLINE_HD inline void store(double* to, const Pack& p) {
  for (int i = 0; i < Pack::registers; ++i) reinterpret_cast<Pack::Register*>(to)[i] = p.r[i];
}

template <class P>
HALOCLINE_HD inline P zero();
template <>
HALOCLINE_HD inline double zero<double>() {
  return 0;
}
template <>
HALOCLINE_HD inline Pack zero<Pack>() {
  Pack p;
  for (int i = 0; i < Pack::registers; ++i) p.r[i] = Pack::Register{};
  return p;
}

// Sets the lanes from `first` on to zero; `lane` is the lane a double stands for.
HALOCLINE_HD inline double clear_from(int first, int lane, double value) { return lane < first ? value : 0; }
HALOCLINE_HD inline Pack clear_from(int first, int /*lane*/, Pack p) {
  auto* value = reinterpret_cast<double*>(p.r);
  for (int i = first > 0 ? first : 0; i < lanes; ++i) value[i] = 0;
  return p;
}

}  // namespace halocline
