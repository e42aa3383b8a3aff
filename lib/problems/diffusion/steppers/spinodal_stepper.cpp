// Cahn-Hilliard: c_t = div M grad(f'(c) - kappa lap c), by the deck's mask twice per step, in two passes over memory
// or, by kernels of GPUs, in one. Halos hold rows for both, so that neighbors are met once per step.
#include <algorithm>
#include <memory>

#include "lib/problems/diffusion/steppers/device_mask.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"
#include "lib/problems/diffusion/steppers/free_energy.hpp"
#include "lib/problems/diffusion/steppers/launch_cells.hpp"
#include "lib/problems/diffusion/steppers/spinodal_passes.hpp"

namespace halocline::diffusion {

namespace {

class SpinodalStepper final : public FieldStepper {
 public:
  SpinodalStepper(const Context& context, const Formulation& f)
      : FieldStepper(context, f, 2 * f.stencil.radius[f.geometry.slow_axis()], false),
        well_{f.terms.rho, f.terms.low, f.terms.high} {
    for (int p = 0; p < context.team.parts(); ++p) {
      const ConvolveBlock<double>& b = field_.block(p);
      const ExecutorPtr& executor = context.team.executor(p);
      one_pass_.push_back(plan_spinodal(*executor, f.stencil.kind));
      const Index places = one_pass_.back() ? 0 : (b.slow_extent() + 2 * b.halo) * b.slow_stride();
      mu_.emplace_back(executor, std::array<Index, 1>{places});
      inner_.push_back(device_mask(executor, f.stencil, -f.terms.kappa));
    }
  }

  Index advance(const Clock& clock, Index steps) override {
    if (clock.dt != dt_) set_step(clock.dt);
    field_.set_walls(clock, 1);  // no flux or periodic: once
    for (Index n = 0; n < steps; ++n) {
      context_.team.each([&](int p) {
        if (!one_pass_[static_cast<std::size_t>(p)]) potential(p);
      });
      step([&](int p, Rows rows) { one_pass_[static_cast<std::size_t>(p)] ? pass(p, rows) : evolve(p, rows); });
    }
    return steps;
  }

  Measures measure() const override {
    Measures m = FieldStepper::measure();
    m.energy = free_energy(context_, f_, field_);
    return m;
  }

  std::string summary() const override {
    const auto ones = std::count_if(one_pass_.begin(), one_pass_.end(), [](char one) { return one != 0; });
    const bool all = ones == std::ssize(one_pass_);
    return std::string(all         ? "one pass"
                       : ones == 0 ? "two passes"
                                   : "one pass or two, by part,") +
           " of the mask, 1 step per sweep";
  }

 private:
  void set_step(double dt) {
    wait();
    outer_.clear();
    for (int p = 0; p < context_.team.parts(); ++p)
      outer_.push_back(device_mask(context_.team.executor(p), f_.stencil, dt * f_.terms.mobility));
    dt_ = dt;
  }
  double* mu(int part) {
    const ConvolveBlock<double>& b = field_.block(part);
    return mu_[static_cast<std::size_t>(part)].view().data + b.halo * b.slow_stride();
  }
  void potential(int part) {
    const ConvolveBlock<double>& b = field_.block(part);
    const ConvolveMask<double>& mask = inner_[static_cast<std::size_t>(part)].mask;
    const int reach = mask.radius[b.slow_axis()];
    const Rows rows = rows_of_level(b, reach, {0, b.slow_extent()}, 0, 2);
    dispatch(mask.kind, [&](auto kind) {
      launch_cells(*context_.team.executor(part), {"potential", bytes_of(b, rows, 2)}, b, rows,
                   PotentialBody<decltype(kind)::value>{b, mask, well_, mu(part)});
    });
  }
  void evolve(int part, Rows rows) {
    const ConvolveBlock<double>& b = field_.block(part);
    const ConvolveMask<double>& mask = outer_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      launch_cells(*context_.team.executor(part), {"evolve", bytes_of(b, rows, 3)}, b, rows,
                   EvolveBody<decltype(kind)::value>{b, mask, mu(part)});
    });
  }
  void pass(int part, Rows rows) {
    const auto n = static_cast<std::size_t>(part);
    if (rows.lo < rows.hi)
      pass_spinodal(*context_.team.executor(part), field_.block(part), {inner_[n].mask, outer_[n].mask, well_}, rows);
  }

  DoubleWell well_;
  double dt_ = 0;
  std::vector<char> one_pass_;  // of the parts: whether a kernel does both masks in one
  std::vector<Array<double, 1>> mu_;
  std::vector<DeviceMask> inner_, outer_;  // weights times -kappa, dt M
};

}  // namespace

std::unique_ptr<Stepper> make_spinodal_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<SpinodalStepper>(context, formulation);
}

}  // namespace halocline::diffusion
