// The history of the psi-Caputo CUDA paper, a truncated power series of the kernel in psi(tau)/psi(t), for psi =
// t^gamma and equal steps in t: K states per node instead of all increments. For reproduction: the series converges
// slowly near the newest increments, and K for a fixed accuracy grows with the number of steps.
//
// In the normalized form, which neither over- nor underflows: states are int (psi(tau)/psi(t_m))^n dC up to the newest
// level m, with dC linear in t between levels. All coefficients but `scale` are at most 1.
#pragma once

#include <vector>

#include "lib/base/types.hpp"

namespace halocline::fractional {

// Of step l, for n = 0 .. terms - 1:  state_n = decay_n state_n + into_n delta^{l-1};  H^l = scale sum_n out_n state_n.
struct SeriesTables {
  std::vector<double> decay, into, out;
  double scale = 0;
};

struct SeriesKernel {
  double order, gamma;  // 0 < order < 1
  int terms;
  double step;  // of t
};

// l >= 2; states begin as 0.
SeriesTables series_tables(const SeriesKernel& kernel, Index l);

// The share of the kernel at the newest increment of step l >= 2 that the series lacks: the regularized incomplete beta
// function I_y(terms, order), y = psi(t_{l-1})/psi(t_l).
double series_deficit(const SeriesKernel& kernel, Index l);

}  // namespace halocline::fractional
