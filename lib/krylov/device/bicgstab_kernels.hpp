// BiCGSTAB with its scalars on the device: what an iteration keeps there, and the bodies that take their coefficients
// from it. The host's twin is BiCgStab::take_step(), which follows by the same arithmetic.
//
// An iteration is the launches direction, product, half step, product, full step. Its scalars are computed anew by
// every body from the sums before it, and change at one place, the end of the full step.
#pragma once

#include <cmath>

#include "lib/krylov/device/scalar_kernels.hpp"
#include "lib/linalg/sums_layout.hpp"
#include "lib/linalg/vector_kernels.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"

namespace halocline::krylov_kernels {

// (r, r) and (r0, r) of the new residual, as they follow from the sums of the product t = A s. Where that loses digits,
// and near the end of a solve, they are not to be trusted. In fused arithmetic, so that host and device agree.
struct NextSums {
  double rr, r0_r;
  bool trusted;
};
// `rounding`: what rounding leaves of (r0, s) at most, over the norm of s; below, only the sum itself shows whether
// r0 has lost the residual.
HALOCLINE_HD inline NextSums next_sums(const StepSums& of_t, double omega, const Limits& limits, double rounding) {
  constexpr double least_share = 1e-4;  // of (s, s)
  const double rr = fma(-omega, of_t.ts, of_t.ss), norm = rr > 0 ? sqrt(rr) : 0;
  const double relative = limits.measure > 0 ? norm / limits.measure : norm;
  const double r0_r = fma(-omega, of_t.r0_t, of_t.r0_s), size = r0_r < 0 ? -r0_r : r0_r;
  const bool trusted = rr >= least_share * of_t.ss && norm >= limits.least_norm && finite(rr) &&
                       size >= rounding * sqrt(of_t.ss) && !limits.nearly_met(relative);
  return {rr, r0_r, trusted};
}

// (r0, v), those of t, (r, r), (r0, r); of t the last three only where sums are fused
struct BiCgStabSums {
  double r0_v = 0;
  StepSums of_t;
  double rr = 0, r0_r = 0;
};

struct BiCgStabState {
  Progress progress;
  double rho = 0, beta = 0, omega = 0;  // as in BiCgStabIteration
  Index fused = 0;                      // KrylovOptions::sums
  double rounding = 0;                  // for next_sums()
  double of_v[2] = {};                  // what the products leave: (v, v), (v, r0)
  StepSums of_t = {0, 0, 0, 0, 0};

  HALOCLINE_HD double alpha() const { return rho / of_v[1]; }
  HALOCLINE_HD bool goes_to_half() const { return progress.stopped == 0 && usable(alpha()); }
  HALOCLINE_HD double next_omega() const { return of_t.tt > 0 ? of_t.ts / of_t.tt : 0; }
  HALOCLINE_HD bool goes_to_end() const { return goes_to_half() && finite(next_omega()); }
  // To the scalars of the next iteration; false: the host is to look at this one.
  HALOCLINE_HD bool advance(double rr, double r0_r) {
    const double next = next_omega();
    const NextSums followed = next_sums(of_t, next, progress.limits, rounding);
    if (fused != 0 && followed.trusted) {
      rr = followed.rr;
      r0_r = followed.r0_r;
    }
    if (!goes_to_end() || progress.limits.end(sqrt(rr))) return false;
    beta = (r0_r / rho) * (alpha() / next);
    omega = next;
    rho = r0_r;
    return usable(beta) && finite(rr);
  }
};

// p = r + beta (p - omega v)
template <class T>
struct FollowDirection {
  const BiCgStabState* state;
  vector_kernels::DirectionBody<T> body;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const double beta = state->beta;
    if (state->progress.stopped != 0 || beta == 0) return;
    vector_kernels::DirectionBody<T> own = body;
    own.b = static_cast<T>(beta);
    own.c = static_cast<T>(-beta * state->omega);
    own.template operator()<P>(group, piece, lane);
  }
};

// r -= alpha v
template <class T>
struct HalfStep {
  const BiCgStabState* state;
  vector_kernels::AxpyBody<T> body;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    if (!state->goes_to_half()) return;
    vector_kernels::AxpyBody<T> own = body;
    own.a = static_cast<T>(-state->alpha());
    own.template operator()<P>(group, piece, lane);
  }
};

// x += alpha p + omega r; r -= omega t; (r, r), (r, r0)
template <class T>
struct FullStep {
  const BiCgStabState* state;
  vector_kernels::UpdateBody<T> body;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    if (!state->goes_to_end()) return;
    vector_kernels::UpdateBody<T> own = body;
    own.a = static_cast<T>(state->alpha());
    own.o = static_cast<T>(state->next_omega());
    own.template operator()<P>(group, piece, lane, sink);
  }
};

// What follows from the sums of FullStep.
struct EndFullStep {
  BiCgStabState* state;
  Notes<BiCgStabSums>* notes;  // in pinned memory
  HALOCLINE_HD void operator()(const double* of_r) const {
    BiCgStabState& s = *state;
    const BiCgStabSums sums{s.of_v[1], s.of_t, of_r[0], of_r[1]};
    const bool goes_on = s.progress.stopped == 0 && s.advance(of_r[0], of_r[1]);
    notes->leave(s.progress, sums, goes_on);
  }
};

}  // namespace halocline::krylov_kernels
