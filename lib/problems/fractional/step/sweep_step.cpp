#include "lib/problems/fractional/step/sweep_step.hpp"

namespace halocline::fractional {

SweepStep::SweepStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                     const Coefficients& coefficients, SideValues& sides, const StepFactors& factors)
    : slabs_(slabs),
      sides_(&sides),
      factors_(&factors),
      sweeps_(formulation, slabs, coefficients),
      updates_(static_cast<std::size_t>(slabs->parts())),
      values_(static_cast<std::size_t>(slabs->parts())),
      nus_(static_cast<std::size_t>(slabs->parts())) {}

void SweepStep::prepare(const LevelNumbers& n) {
  sweeps_.set(factors_->nu_number());
  slabs_->team().each([&](int p) { sides_->prepare(p, factors_->nu(p), n.ratio); });
}

// Along x and y, and what sides give to the sweep along z.
void SweepStep::sweep_first(SlabField<double>& w) {
  slabs_->team().each([&](int p) {
    const NodeValue nu = factors_->nu(p);
    for (int axis = 0; axis < 2; ++axis) {
      sides_->enter(p, axis, nu, w.data(p));
      sweeps_.solve(p, axis, nu, w.data(p));
    }
    sides_->enter(p, 2, nu, w.data(p));
    nus_[static_cast<std::size_t>(p)] = nu;
  });
}

void SweepStep::solve(const LevelNumbers& n, SlabField<double>& c, Past& past) {
  SlabField<double>& slot = past.slot();
  sweep_first(slot);
  for (int p = 0; p < slabs_->parts(); ++p)
    updates_[static_cast<std::size_t>(p)] = {c.data(p), n.ratio > 0 ? past.last().data(p) : nullptr, slot.data(p),
                                             n.ratio};
  sweeps_.solve_across(nus_, updates_);
}

void SweepStep::solve_for_w(SlabField<double>& slot) {
  sweep_first(slot);
  for (int p = 0; p < slabs_->parts(); ++p) values_[static_cast<std::size_t>(p)] = slot.data(p);
  sweeps_.solve_across(nus_, values_);
}

void SweepStep::invert(const std::vector<double*>& values) {
  sweeps_.set(factors_->nu_number());
  slabs_->team().each([&](int p) {
    const NodeValue nu = factors_->nu(p);
    for (int axis = 0; axis < 2; ++axis) sweeps_.solve(p, axis, nu, values[static_cast<std::size_t>(p)]);
    nus_[static_cast<std::size_t>(p)] = nu;
  });
  sweeps_.solve_across(nus_, values);
}

}  // namespace halocline::fractional
