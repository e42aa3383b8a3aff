// StageTable: coefficients of stabilized explicit Runge-Kutta methods, which make one step of second order in s stages
// and are stable on a stretch of the negative real axis that grows as s^2.
//
//   rkc    from Chebyshev polynomials, damped by eps = 2/13: B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an
//          explicit solver for parabolic PDEs, J. Comput. Appl. Math. 88 (1997) 315; stable to about 0.65 s^2
//   rkl2   from Legendre polynomials: C. D. Meyer, D. S. Balsara, T. D. Aslam, A stabilized Runge-Kutta-Legendre method
//          for explicit super-time-stepping of parabolic and mixed equations, J. Comput. Phys. 257 (2014) 594; stable
//          to (s^2 + s - 2)/2, odd s only, as even ones do not damp the fastest mode
//
// Both are recursions of three terms; with Y_0 the state, F_j the rate of Y_j at t + c_j dt, and Y_s the new state
//   Y_1 - Y_0 = rate_1 dt F_0
//   Y_j - Y_0 = mu_j (Y_{j-1} - Y_0) + nu_j (Y_{j-2} - Y_0) + dt (rate_j F_{j-1} + start_j F_0)
#pragma once

#include <vector>

#include "lib/problems/diffusion/options.hpp"

namespace halocline::diffusion {

/// The largest dt times spectral radius for which s >= 2 stages are stable.
double stable_reach(TimeMethod method, int stages);
/// That of any number up to `most`.
double largest_reach(TimeMethod method, int most);
/// The least number of stages that reaches so far; `most` + 1 where none up to `most` does.
int stages_for(TimeMethod method, double reach, int most);

class StageTable {
 public:
  struct Stage {
    double mu, nu, rate, start;
    double time;    // c_j
    double weight;  // of F_j in Y_s - Y_0, over dt: what flows that are recorded count; none of the last stage
  };

  /// Room for `most` stages; nothing is allocated later.
  StageTable(TimeMethod method, int most);
  void choose(int stages);
  int stages() const { return stages_; }
  /// j from 0 (time and weight alone) to stages().
  const Stage& operator[](int j) const { return table_[static_cast<std::size_t>(j)]; }

  /// What the estimate Y_0 - Y_s + dt (F_0 + F_s)/2 is multiplied by to give the error of a step: with R(z) =
  /// 1 + z + z^2/2 + (1/6 - C) z^3 + ... the error is -C z^3, the estimate (1/12 + C) z^3, to leading order.
  double error_share() const { return share_; }

 private:
  void set_rkc();
  void set_rkl2();
  void set_times();
  void set_weights();

  TimeMethod method_;
  int stages_ = 0;
  double share_ = 0;
  std::vector<Stage> table_;
  std::vector<double> b_;                  // of polynomial j
  std::vector<double> adjoint_, p2_, p3_;  // of the coefficients of z^2 and z^3
};

}  // namespace halocline::diffusion
