// The trapezoidal rule of s^-b / Gamma(1 - b) = sin(pi b)/pi int e^{b y - s e^y} dy: exponentials at rates e^{k h} for
// all integers k, whose relative error is bounded by one number for every s > 0. What exponents.hpp and
// common_exponents.hpp begin with.
#pragma once

#include <vector>

#include "lib/problems/fractional/history/exponents.hpp"

namespace halocline::fractional {

// The h for which the error of the rule, 2 sum_{n >= 1} |Gamma(b + 2 pi i n/h)| / Gamma(b), is `error`; 0 < order < 1.
double trapezoid_step(double order, double error);

struct Trapezoid {
  double step;  // h
  int last;     // points k > last are dropped: beyond `shortest` they give less than a share of the kernel
  int first;    // points k < first have the rate 0 as far as `longest` can tell

  double rate(int k) const;
  // Of point k in the kernel of one order, or of a medium, whose terms of order 1 give nothing.
  double weight(double order, int k) const;
  double weight(const Medium& medium, int k) const;
  // The sum of the weights of all points up to k.
  double mass(double order, int k) const;
  double mass(const Medium& medium, int k) const;
};

// For kernels of every medium of the list, with total error eps/2 of the rule and 0.2 eps of dropping. The media have
// orders below 1.
Trapezoid trapezoid(const std::vector<Medium>& media, const KernelRange& range);

// How slow exponentials are replaced: the points up to `last` by `nodes` new ones.
struct SlowPart {
  int last, nodes;
};

// The choice with the least number of exponentials for which the polynomials of degree < `degrees_per_node` nodes that
// stand for e^{-rate s} miss no more than 0.3 eps: 4 mass/K(longest) e^-a sum_{j >= degree} I_j(a), a = rate longest/2.
SlowPart slow_part(const Trapezoid& rule, const std::vector<Medium>& media, const KernelRange& range,
                   int degrees_per_node);

}  // namespace halocline::fractional
