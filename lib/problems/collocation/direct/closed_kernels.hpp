// Bodies of the closed-form transforms along an axis of n equal elements, both ends Dirichlet or both Neumann: the sine
// and cosine transforms of type II of the element's half-sums and half-differences, and those of type I back, each pair
// as one discrete Fourier transform of length 2n: with z_e = r_{2e+1}, z_{2n-1-e} = -r_{2e} (Neumann: +r_{2e}) bin k,
// turned by exp(-i pi k / 2n), has the cosine sum as real and minus the sine sum as imaginary part. Two columns of real
// numbers travel as real and imaginary part of one.
#pragma once

#include "lib/problems/collocation/direct/fourier_kernels.hpp"

namespace halocline::collocation {

// A pair of columns across eight lanes (or one), in memory: number j of component c = slope * slope_step (+ pair_step
// for the second column) of a lane at data[c * component + j * row + lane * lane_step].
struct ColumnPair {
  double* data;
  Index row, component, lane_step;
  Index slope_step, pair_step;
  int valid;  // lanes that exist, where lane_step is not 1

  HALOCLINE_HD double* at(int slope, bool second, Index j) const {
    return data + (slope * slope_step + (second ? pair_step : 0)) * component + j * row;
  }
  HALOCLINE_HD ColumnPair moved(Index offset) const {
    return {data + offset, row, component, lane_step, slope_step, pair_step, valid};
  }
};

// Lanes in a row are loaded as they are, all of them; others one by one.
template <class P>
HALOCLINE_HD inline P load_lanes(const double* from, Index step, int valid);
template <>
HALOCLINE_HD inline double load_lanes<double>(const double* from, Index, int) {
  return *from;
}
template <>
HALOCLINE_HD inline Pack<double> load_lanes<Pack<double>>(const double* from, Index step, int valid) {
  if (step == 1) return load<Pack<double>>(from);
  Pack<double> p = zero<Pack<double>>();
  auto* value = reinterpret_cast<double*>(p.r);
  for (int i = 0; i < valid; ++i) value[i] = from[i * step];
  return p;
}
HALOCLINE_HD inline void store_lanes(double* to, Index, int, double value) { *to = value; }
HALOCLINE_HD inline void store_lanes(double* to, Index step, int valid, const Pack<double>& p) {
  if (step == 1) return store(to, p);
  const auto* value = reinterpret_cast<const double*>(p.r);
  for (int i = 0; i < valid; ++i) to[i * step] = value[i];
}
HALOCLINE_HD inline double quotient(double a, double b) { return a / b; }
HALOCLINE_HD inline Pack<double> quotient(Pack<double> a, const Pack<double>& b) {
  for (int i = 0; i < Pack<double>::registers; ++i) a.r[i] /= b.r[i];
  return a;
}
HALOCLINE_HD inline double shifted(double a, double b) { return a + b; }
HALOCLINE_HD inline Pack<double> shifted(double a, Pack<double> b) {
  for (int i = 0; i < Pack<double>::registers; ++i) b.r[i] += a;
  return b;
}

// Per k = 0 .. n: two eigenvectors, their 2 x 2 matrices, row by row.
struct ClosedView {
  Index n;
  bool neumann;
  const double* into;   // (real, imaginary) of a bin to coefficients of the two eigenvectors
  const double* out;    // and back to (real, imaginary) of the bin of the unknowns
  const double* value;  // eigenvalues, [k][2]; where there is one alone, twice
};

// Coefficients of the eigenvectors of k, of both columns, re the first column's, im the second's, from bins k and
// 2n - k.
template <class P>
HALOCLINE_HD inline void coefficients_of_bins(const ClosedView& axis, Index k, const Complex<P>& z, const Complex<P>& w,
                                              Complex<P> (&c)[2]) {
  // F = (z + conj w) / 2 for the first, (z - conj w) / 2i for the second column.
  const Complex<P> real{0.5 * (z.re + w.re), 0.5 * (z.im + w.im)};
  const Complex<P> imaginary{0.5 * (z.im - w.im), 0.5 * (w.re - z.re)};
  for (int s = 0; s < 2; ++s) {
    const double* m = axis.into + 4 * k + 2 * s;
    c[s] = {m[0] * real.re + m[1] * imaginary.re, m[0] * real.im + m[1] * imaginary.im};
  }
}
// The way back; there is no other bin than k itself at k = 0 and n.
template <class P>
struct PairOfBins {
  Complex<P> bin, mirrored;
};
template <class P>
HALOCLINE_HD inline PairOfBins<P> bins_of_coefficients(const ClosedView& axis, Index k, const Complex<P> (&c)[2]) {
  const double* m = axis.out + 4 * k;
  const Complex<P> real{m[0] * c[0].re + m[1] * c[1].re, m[0] * c[0].im + m[1] * c[1].im};
  const Complex<P> imaginary{m[2] * c[0].re + m[3] * c[1].re, m[2] * c[0].im + m[3] * c[1].im};
  return {{real.re - imaginary.im, real.im + imaginary.re}, {real.re + imaginary.im, real.im - imaginary.re}};
}

template <class P, class Crew>
struct ClosedLine {
  FourierView fourier;
  ClosedView axis;
  Field<P> x;
  Crew crew;

  HALOCLINE_HD void load_equations(const ColumnPair& from) const {
    const Index n = axis.n;
    const double sign = axis.neumann ? 1 : -1;
    for (Index e = crew.index; e < n; e += crew.count) {
      // Component 0 holds the equation below node e + 1, component 1 the one above node e.
      put(x, e,
          {load_lanes<P>(from.at(0, false, e + 1), from.lane_step, from.valid),
           load_lanes<P>(from.at(0, true, e + 1), from.lane_step, from.valid)});
      put(x, 2 * n - 1 - e,
          {sign * load_lanes<P>(from.at(1, false, e), from.lane_step, from.valid),
           sign * load_lanes<P>(from.at(1, true, e), from.lane_step, from.valid)});
    }
    crew.meet();
  }

  // Values and slopes at the nodes: the even and odd parts, one of them the values.
  HALOCLINE_HD void store_unknowns(const ColumnPair& to) const {
    const Index n = axis.n;
    for (Index j = crew.index; j <= n; j += crew.count) {
      const auto z = get(x, j), mirrored = get(x, j == 0 ? 0 : 2 * n - j);
      const auto sum = z + mirrored, difference = z - mirrored;
      const int even = axis.neumann ? 0 : 1;
      store_lanes(to.at(even, false, j), to.lane_step, to.valid, 0.5 * sum.re);
      store_lanes(to.at(even, true, j), to.lane_step, to.valid, 0.5 * sum.im);
      store_lanes(to.at(1 - even, false, j), to.lane_step, to.valid, 0.5 * difference.re);
      store_lanes(to.at(1 - even, true, j), to.lane_step, to.valid, 0.5 * difference.im);
    }
  }

  // Where bins k and 2n - k lie.
  HALOCLINE_HD Index place(Index k) const { return fourier.place[k]; }
  HALOCLINE_HD Index mirror(Index k) const { return fourier.place[k == 0 ? 0 : 2 * axis.n - k]; }

  HALOCLINE_HD void coefficients(Index k, Complex<P> (&c)[2]) const {
    coefficients_of_bins(axis, k, get(x, place(k)), get(x, mirror(k)), c);
  }
  HALOCLINE_HD void combine(Index k, const Complex<P> (&c)[2]) const {
    const auto bins = bins_of_coefficients(axis, k, c);
    put(x, place(k), bins.bin);
    if (k > 0 && k < axis.n) put(x, mirror(k), bins.mirrored);
  }

  // Equations to coefficients; `to` may be the same memory.
  HALOCLINE_HD void analyze(const ColumnPair& from, const ColumnPair& to) const {
    load_equations(from);
    forward(fourier, x, crew);
    for (Index k = crew.index; k <= axis.n; k += crew.count) {
      Complex<P> c[2];
      coefficients(k, c);
      for (int s = 0; s < 2; ++s) {
        store_lanes(to.at(s, false, k), to.lane_step, to.valid, c[s].re);
        store_lanes(to.at(s, true, k), to.lane_step, to.valid, c[s].im);
      }
    }
  }
  // Coefficients to unknowns; `to` may be the same memory.
  HALOCLINE_HD void synthesize(const ColumnPair& from, const ColumnPair& to) const {
    for (Index k = crew.index; k <= axis.n; k += crew.count) {
      Complex<P> c[2];
      for (int s = 0; s < 2; ++s)
        c[s] = {load_lanes<P>(from.at(s, false, k), from.lane_step, from.valid),
                load_lanes<P>(from.at(s, true, k), from.lane_step, from.valid)};
      combine(k, c);
    }
    crew.meet();
    backward(fourier, x, crew);
    store_unknowns(to);
  }
  // Equations to unknowns of the axis's operator plus `shift` (one per lane, for either column).
  HALOCLINE_HD void solve(const ColumnPair& line, const P& shift_first, const P& shift_second) const {
    load_equations(line);
    forward(fourier, x, crew);
    for (Index k = crew.index; k <= axis.n; k += crew.count) {
      Complex<P> c[2];
      coefficients(k, c);
      for (int s = 0; s < 2; ++s) {
        const double value = axis.value[2 * k + s];
        c[s] = {quotient(c[s].re, shifted(value, shift_first)), quotient(c[s].im, shifted(value, shift_second))};
      }
      combine(k, c);
    }
    crew.meet();
    backward(fourier, x, crew);
    store_unknowns(line);
  }
};

// Groups of eight lines, or of eight neighboring columns of lines, taken in turns by `workers`, each with its own
// working memory; P as for launch_lanes.
struct ClosedGroups {
  FourierView fourier;
  ClosedView axis;
  Index groups, workers;
  Index count;  // lines, or columns
  double* work;

  template <class P>
  HALOCLINE_HD Field<P> field(Index worker, Index lane) const {
    double* start = work + worker * 2 * lanes * fourier.size + lane;
    return {start, start + lanes, 2 * lanes};
  }
  HALOCLINE_HD int valid(Index group) const {
    return count - group * lanes < lanes ? static_cast<int>(count - group * lanes) : lanes;
  }
};

// Along lines: lanes are lines. `in_from` and `in_to` describe line 0.
struct AlongLineBody {
  ClosedGroups all;
  ColumnPair in_from, in_to;
  bool analyze;

  template <class P>
  HALOCLINE_HD void operator()(Index worker, Index, Index lane) const {
    for (Index g = worker; g < all.groups; g += all.workers) {
      if (lane >= all.valid(g)) continue;
      const ClosedLine<P, Alone> line{all.fourier, all.axis, all.field<P>(worker, lane), {}};
      ColumnPair from = in_from, to = in_to;
      from.valid = to.valid = all.valid(g);
      from.data += (g * lanes + lane) * from.lane_step;
      to.data += (g * lanes + lane) * to.lane_step;
      if (analyze) {
        line.analyze(from, to);
      } else {
        line.synthesize(from, to);
      }
    }
  }
};

// Across lines: lanes are neighboring columns. Column k of the first of the pair has the shift shifts[k], of the second
// shifts[stride + k]; as many shifts as there are lanes.
struct AcrossLinesBody {
  ClosedGroups all;
  ColumnPair columns;
  const double* shifts;
  Index stride;

  template <class P>
  HALOCLINE_HD void operator()(Index worker, Index, Index lane) const {
    for (Index g = worker; g < all.groups; g += all.workers) {
      if (lane >= all.valid(g)) continue;
      const Index first = g * lanes + lane;
      const ClosedLine<P, Alone> line{all.fourier, all.axis, all.field<P>(worker, lane), {}};
      ColumnPair mine = columns;
      mine.data += first;
      line.solve(mine, load<P>(shifts + first), load<P>(shifts + stride + first));
    }
  }
};

}  // namespace halocline::collocation
