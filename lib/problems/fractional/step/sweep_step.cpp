#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

SweepStep::SweepStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                     const Coefficients& coefficients, SideValues& sides, const StepFactors& factors)
    : slabs_(slabs),
      sides_(&sides),
      factors_(&factors),
      sweeps_(formulation, slabs, coefficients),
      updates_(static_cast<std::size_t>(slabs->parts())),
      nus_(static_cast<std::size_t>(slabs->parts())) {}

void SweepStep::solve(const LevelNumbers& n, SlabField<double>& c, Past& past) {
  sweeps_.set(factors_->nu_number());
  SlabField<double>& slot = past.slot();
  slabs_->team().each([&](int p) {
    double* const w = slot.data(p);
    const NodeValue nu = factors_->nu(p);
    sides_->prepare(p, nu, n.ratio);
    for (int axis = 0; axis < 2; ++axis) {
      sides_->enter(p, axis, nu, w);
      sweeps_.solve(p, axis, nu, w);
    }
    sides_->enter(p, 2, nu, w);
    nus_[static_cast<std::size_t>(p)] = nu;
    updates_[static_cast<std::size_t>(p)] = {c.data(p), n.ratio > 0 ? past.last().data(p) : nullptr, w, n.ratio};
  });
  sweeps_.solve_across(nus_, updates_);
}

}  // namespace halocline::fractional
