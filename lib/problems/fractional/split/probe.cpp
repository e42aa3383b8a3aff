#include "lib/problems/fractional/split/probe.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::fractional {

namespace {

constexpr Index most_levels = 4096;  // that are looked at for the largest nu

// Steps from random fields, and the last ones of them, which a rate is the mean of. Where nu is large, errors of stable
// sweeps may still grow like the number of steps: by 2^(1/40) = 1.017 a step in the last 40 of 80, by 1.0035 in the
// last 200 of 400.
struct Length {
  int steps, counted;
};
constexpr Length brief{80, 40}, thorough{400, 200};
constexpr double stable_when_brief = 1.0175, grows_when_brief = 1.1;
// Random fields begin with much that a few steps change in a way of their own.
constexpr int settled = 8;

// The step of the largest (1 - theta)/A, which has the largest nu.
LevelNumbers longest_step(const Formulation& f, const Weights& weights) {
  const Index steps = f.levels->steps(), stride = std::max<Index>(1, steps / most_levels);
  Index longest = steps;
  double most = 0;
  const auto look = [&](Index l) {
    const LevelNumbers n = LevelNumbers::of(weights, l, 0);
    for (int m = 0; m < n.media; ++m) {
      if (!((1 - n.theta.of[m]) / n.local.of[m] > most)) continue;
      most = (1 - n.theta.of[m]) / n.local.of[m];
      longest = l;
    }
  };
  for (Index l = 1; l <= steps; l += stride) look(l);
  look(steps);
  return LevelNumbers::of(weights, longest, 0);
}

// v_new = star + P^-1 (-(I - nu Lambda) star), star = 2 v - v_old, or v where steps are not predicted (`extrapolated`),
// from random v and v_old.
template <class T>
Growth growth(const Length& length, bool extrapolated, const StepSystem& system, SweepStep<T>& sweeps,
              SlabField<T>& work) {
  Vector<double> v(system.space()), old(system.space()), next(system.space());
  system.randomize(0, values_of(v));
  system.randomize(1, values_of(old));
  Growth growth;
  double counted = 0, since_settled = 0;  // logarithms
  for (int n = 1; n <= length.steps; ++n) {
    combine(extrapolated ? 2 : 1, v, extrapolated ? -1 : 0, 0, old, old);  // star
    const PartValues star = values_of(old);
    system.exchange(star);
    system.residual({}, star, values_of(work));
    system.forget_ghosts(star);
    sweeps.invert(values_of(work));
    system.take(values_of(work), values_of(next), true);
    axpy(1, old, next);
    const double size = norm(next);  // that of v is 1
    if (!(size > 0)) return growth;
    if (n > length.steps - length.counted) counted += std::log(size);
    if (n > settled) since_settled += std::log(size);
    growth.excess = std::max(growth.excess, std::exp(since_settled) * settled / std::max(n, settled));
    combine(1 / size, v, 0, 0, old, old);
    combine(1 / size, next, 0, 0, v, v);
  }
  growth.rate = std::exp(counted / length.counted);
  return growth;
}

// More steps where the first ones leave it open.
template <class T>
Growth growth(bool extrapolated, const StepSystem& system, SweepStep<T>& sweeps, SlabField<T>& work) {
  Growth found = growth(brief, extrapolated, system, sweeps, work);
  if (found.rate <= stable_when_brief)
    found.rate = std::min(found.rate, 1.0);
  else if (found.rate <= grows_when_brief && found.stable_between())
    found = growth(thorough, extrapolated, system, sweeps, work);
  return found;
}

}  // namespace

template <class T>
Growth growth_of_sweeps(const Formulation& formulation, const Weights& weights, const StepSystem& system,
                        SweepStep<T>& sweeps, StepFactors& factors, SlabField<T>& work) {
  factors.set_linear(longest_step(formulation, weights));
  Growth most;
  for (int n = 0; n < 3; ++n) {
    if (n > 0) factors.scale_nu(0.1);
    const Growth found = growth(formulation.extrapolated, system, sweeps, work);
    most.rate = std::max(most.rate, found.rate);
    most.excess = std::max(most.excess, found.excess);
  }
  return most;
}

template Growth growth_of_sweeps(const Formulation&, const Weights&, const StepSystem&, SweepStep<double>&,
                                 StepFactors&, SlabField<double>&);
template Growth growth_of_sweeps(const Formulation&, const Weights&, const StepSystem&, SweepStep<float>&, StepFactors&,
                                 SlabField<float>&);

}  // namespace halocline::fractional
