// Whether an explicit method is held up by stability: the test of dopri5.f of Hairer, Norsett and Wanner, Solving
// Ordinary Differential Equations I and II (IV.2).
//
// The last two stages of dopri5 lie at the same time. The ratio of the differences of their derivatives and of their
// states estimates the size of the dominant eigenvalue. Where it keeps h times that beyond 3.25, the end of the region
// of stability, the system is stiff: 15 such steps, without 6 others in a row between them.
#pragma once

#include "lib/problems/ode_ensemble/stepper/rosenbrock.hpp"

namespace halocline::ode_ensemble {
namespace {

constexpr int calm_steps = 6;

// Of the systems in lanes. What happened before this visit belongs to it, so that nothing depends on where visits end.
template <class R>
struct StiffnessWatch {
  R hints = R(0.0), calm = R(0.0);

  HALOCLINE_ODE void read(int l, long long kept) {
    set_lane(hints, l, static_cast<double>(kept % kept_hints));
    set_lane(calm, l, static_cast<double>(kept / kept_hints));
  }
  HALOCLINE_ODE long long kept(int l) const {
    return static_cast<long long>(lane(hints, l)) + kept_hints * static_cast<long long>(lane(calm, l));
  }
  HALOCLINE_ODE MaskOf<R> stiff() const { return hints >= R(static_cast<double>(enough_hints)); }
  // Notes accepted steps, `beyond` stability or not.
  HALOCLINE_ODE void note(const MaskOf<R>& accepted, const MaskOf<R>& beyond) {
    const R zero(0.0), one(1.0);
    const MaskOf<R> hint = both(accepted, beyond), quiet = both(accepted, opposite(beyond));
    calm = select(hint, zero, calm + select(quiet, one, zero));
    hints = hints + select(hint, one, zero);
    const MaskOf<R> forgets = calm >= R(static_cast<double>(calm_steps));
    hints = select(forgets, zero, hints);
    calm = select(forgets, zero, calm);
  }
};

// Whether a trial of dopri5 reaches beyond its region of stability. Differences count in units of the tolerances.
template <class R, class M>
HALOCLINE_ODE MaskOf<R> beyond_stability(const M& m, const Ensemble& a, const R* y, const R* f, const Trial<R, M>& to) {
  R slopes(0.0), states(0.0);
  HALOCLINE_ODE_STATES for (int i = 0; i < m.states; ++i) {
    const R unit = fn_divide(R(1.0), R(a.atol[i]) + R(a.rtol[i]) * fn_fabs(y[i]));
    const R slope = unit * (to.f[i] - to.k[4][i]);
    // Of the states, divided by h.
    const R state = unit * (R(35.0 / 384 - 9017.0 / 3168) * f[i] + R(355.0 / 33) * to.k[0][i] +
                            R(500.0 / 1113 - 46732.0 / 5247) * to.k[1][i] + R(125.0 / 192 - 49.0 / 176) * to.k[2][i] +
                            R(5103.0 / 18656 - 2187.0 / 6784) * to.k[3][i] + R(11.0 / 84) * to.k[4][i]);
    slopes = slopes + slope * slope;
    states = states + state * state;
  }
  return slopes > R(3.25 * 3.25) * states;
}

}  // namespace
}  // namespace halocline::ode_ensemble
