// Discrete Fourier transforms of any length, for bodies that hold the numbers of a transform in fast memory: a worker
// of the host with eight lanes at once (P = Pack<double>), a thread of a GPU (P = double), or a block of threads in
// shared memory, which differ by their crew alone.
//
// Lengths of factors 2, 3, 4 and 5: in place, decimation in frequency forward (bin k ends at place[k]), decimation in
// time backward, so that nothing is ever permuted. Other lengths: as a convolution with a chirp of such a length
// (Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451-455), about five times the work.
#pragma once

#include "lib/base/pack.hpp"

namespace halocline::collocation {

// Who shares the work of one transform: thread `index` of `count`.
struct Alone {
  static constexpr Index index = 0, count = 1;
  HALOCLINE_HD void meet() const {}
};

// The numbers of one transform; number k at re[k * step], im[k * step].
template <class P>
struct Field {
  double *re, *im;
  Index step;
  HALOCLINE_HD Field swapped() const { return {im, re, step}; }
};

template <class P>
struct Complex {
  P re, im;
};
template <class P>
HALOCLINE_HD inline Complex<P> operator+(const Complex<P>& a, const Complex<P>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class P>
HALOCLINE_HD inline Complex<P> operator-(const Complex<P>& a, const Complex<P>& b) {
  return {a.re - b.re, a.im - b.im};
}
// (c + i s) a
template <class P>
HALOCLINE_HD inline Complex<P> turned(double c, double s, const Complex<P>& a) {
  return {c * a.re - s * a.im, s * a.re + c * a.im};
}
template <class P>
HALOCLINE_HD inline Complex<P> get(const Field<P>& x, Index k) {
  return {load<P>(x.re + k * x.step), load<P>(x.im + k * x.step)};
}
template <class P>
HALOCLINE_HD inline void put(const Field<P>& x, Index k, const Complex<P>& value) {
  store(x.re + k * x.step, value.re);
  store(x.im + k * x.step, value.im);
}

struct FourierView {
  static constexpr int most_stages = 32;
  Index length;             // of the transform
  Index size;               // numbers a field holds: the length, or that of the convolution
  const double* roots;      // exp(-2 pi i t / size) as pairs, t < size
  const LocalIndex* place;  // of bin k after forward(), k < length
  const double* chirp;      // exp(-pi i t^2 / length) as pairs, t < length; null for direct transforms
  const double* kernel;     // transform of the inverse chirp, as pairs, at its place in the field, divided by size
  int stages;
  LocalIndex radix[most_stages];
};

// Transforms of length R, exp(-2 pi i / R).
template <class P>
HALOCLINE_HD inline void butterfly(Complex<P> (&a)[2]) {
  const Complex<P> sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}
template <class P>
HALOCLINE_HD inline void butterfly(Complex<P> (&a)[3]) {
  constexpr double half_root3 = 0.86602540378443864676;
  const Complex<P> sum = a[1] + a[2], difference = a[1] - a[2];
  const Complex<P> middle{a[0].re - 0.5 * sum.re, a[0].im - 0.5 * sum.im};
  const Complex<P> side{half_root3 * difference.im, -half_root3 * difference.re};
  a[0] = a[0] + sum;
  a[1] = middle + side;
  a[2] = middle - side;
}
template <class P>
HALOCLINE_HD inline void butterfly(Complex<P> (&a)[4]) {
  const Complex<P> s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = a[1] - a[3];
  a[0] = s02 + s13;
  a[2] = s02 - s13;
  a[1] = {d02.re + d13.im, d02.im - d13.re};
  a[3] = {d02.re - d13.im, d02.im + d13.re};
}
template <class P>
HALOCLINE_HD inline void butterfly(Complex<P> (&a)[5]) {
  constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  const Complex<P> s14 = a[1] + a[4], d14 = a[1] - a[4], s23 = a[2] + a[3], d23 = a[2] - a[3];
  const Complex<P> m1{a[0].re + c1 * s14.re + c2 * s23.re, a[0].im + c1 * s14.im + c2 * s23.im};
  const Complex<P> m2{a[0].re + c2 * s14.re + c1 * s23.re, a[0].im + c2 * s14.im + c1 * s23.im};
  const Complex<P> n1{s1 * d14.im + s2 * d23.im, zero<P>() - s1 * d14.re - s2 * d23.re};
  const Complex<P> n2{s2 * d14.im - s1 * d23.im, s1 * d23.re - s2 * d14.re};
  a[0] = a[0] + s14 + s23;
  a[1] = m1 + n1;
  a[4] = m1 - n1;
  a[2] = m2 + n2;
  a[3] = m2 - n2;
}

// One stage within blocks of R * sub numbers: butterflies, and roots after (in frequency) or before them (in time).
template <int R, bool roots_first, class P, class Crew>
HALOCLINE_HD inline void stage(const FourierView& f, const Field<P>& x, LocalIndex sub, const Crew& crew) {
  const auto count = static_cast<LocalIndex>(f.size / R), pace = count / sub;
  for (auto t = static_cast<LocalIndex>(crew.index); t < count; t += static_cast<LocalIndex>(crew.count)) {
    const LocalIndex j = t % sub, first = t / sub * sub * R + j;
    Complex<P> a[R];
    for (int q = 0; q < R; ++q) a[q] = get(x, first + q * sub);
    if (!roots_first) butterfly(a);
    const double* root = f.roots;
    for (int q = 1; q < R; ++q) {
      root += 2 * j * pace;
      a[q] = turned(root[0], root[1], a[q]);
    }
    if (roots_first) butterfly(a);
    for (int q = 0; q < R; ++q) put(x, first + q * sub, a[q]);
  }
  crew.meet();
}

template <bool roots_first, class P, class Crew>
HALOCLINE_HD inline void stage_of(LocalIndex radix, const FourierView& f, const Field<P>& x, LocalIndex sub,
                                  const Crew& crew) {
  if (radix == 4) stage<4, roots_first>(f, x, sub, crew);
  if (radix == 2) stage<2, roots_first>(f, x, sub, crew);
  if (radix == 3) stage<3, roots_first>(f, x, sub, crew);
  if (radix == 5) stage<5, roots_first>(f, x, sub, crew);
}

template <class P, class Crew>
HALOCLINE_HD inline void in_frequency(const FourierView& f, const Field<P>& x, const Crew& crew) {
  auto sub = static_cast<LocalIndex>(f.size);
  for (int s = 0; s < f.stages; ++s) {
    sub /= f.radix[s];
    stage_of<false>(f.radix[s], f, x, sub, crew);
  }
}
// The transposed flow: bins at their places to numbers in order, still exp(-2 pi i / size).
template <class P, class Crew>
HALOCLINE_HD inline void in_time(const FourierView& f, const Field<P>& x, const Crew& crew) {
  LocalIndex sub = 1;
  for (int s = f.stages - 1; s >= 0; --s) {
    stage_of<true>(f.radix[s], f, x, sub, crew);
    sub *= f.radix[s];
  }
}

template <class P, class Crew>
HALOCLINE_HD inline void times_pairs(const Field<P>& x, const double* pairs, Index count, const Crew& crew) {
  for (Index t = crew.index; t < count; t += crew.count) put(x, t, turned(pairs[2 * t], pairs[2 * t + 1], get(x, t)));
}

template <class P, class Crew>
HALOCLINE_HD inline void by_convolution(const FourierView& f, const Field<P>& x, const Crew& crew) {
  times_pairs(x, f.chirp, f.length, crew);
  for (Index t = f.length + crew.index; t < f.size; t += crew.count) put(x, t, {zero<P>(), zero<P>()});
  crew.meet();
  in_frequency(f, x, crew);
  times_pairs(x, f.kernel, f.size, crew);
  crew.meet();
  in_time(f, x.swapped(), crew);
  times_pairs(x, f.chirp, f.length, crew);
  crew.meet();
}

// Numbers in order to bins sum_t x_t exp(-2 pi i k t / length) at place[k]. The crew has met before and has met after.
template <class P, class Crew>
HALOCLINE_HD inline void forward(const FourierView& f, const Field<P>& x, const Crew& crew) {
  if (f.chirp == nullptr) {
    in_frequency(f, x, crew);
  } else {
    by_convolution(f, x, crew);
  }
}
// Bins at place[k] to numbers sum_k x_k exp(2 pi i k t / length) in order.
template <class P, class Crew>
HALOCLINE_HD inline void backward(const FourierView& f, const Field<P>& x, const Crew& crew) {
  if (f.chirp == nullptr) {
    in_time(f, x.swapped(), crew);
  } else {
    by_convolution(f, x.swapped(), crew);
  }
}

}  // namespace halocline::collocation
