#include "lib/problems/fractional/step/sweep_step.hpp"

#include <algorithm>

namespace halocline::fractional {

template <class T>
SweepStep<T>::SweepStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                        const Coefficients& coefficients, SideValues& sides, const StepFactors& factors)
    : slabs_(slabs),
      sides_(&sides),
      factors_(&factors),
      sweeps_(formulation, slabs, coefficients),
      values_(static_cast<std::size_t>(slabs->parts())),
      nus_(static_cast<std::size_t>(slabs->parts())),
      gains_(static_cast<std::size_t>(slabs->parts())) {}

template <class T>
void SweepStep<T>::prepare(const LevelNumbers& n) {
  sweeps_.set(factors_->nu_number());
  slabs_->team().each([&](int p) { sides_->prepare(p, factors_->nu(p), n.ratio); });
}

template <class T>
template <class Numbers>
void SweepStep<T>::solve(SlabField<T>& slot, const std::vector<UpdateOf<Numbers>>& updates) {
  for (int p = 0; p < slabs_->parts(); ++p) {
    nus_[static_cast<std::size_t>(p)] = factors_->nu(p);
    values_[static_cast<std::size_t>(p)] = slot.data(p);
  }
  const SideValues* ahead = nullptr;
  if (sweeps_.cut(1)) {
    ahead = sweeps_.solve_first_two(nus_, values_, *sides_);
  } else {
    slabs_->team().each([&](int p) {
      const NodeValue& nu = nus_[static_cast<std::size_t>(p)];
      T* const w = slot.data(p);
      for (int axis = 0; axis < 2; ++axis) {
        sides_->enter(p, axis, nu, w);
        sweeps_.solve(p, axis, nu, w);
      }
      sides_->enter(p, 2, nu, w);
    });
  }
  if (updates.empty()) return sweeps_.solve_across(2, nus_, values_, ahead);
  sweeps_.solve_across(nus_, updates, ahead);
}

template <class T>
std::array<double, 6> SweepStep<T>::largest_gains() {
  slabs_->team().each([&](int p) {
    for (int side = 0; side < 6; ++side)
      gains_[static_cast<std::size_t>(p)][static_cast<std::size_t>(side)] =
          sides_->largest_gain(p, side, factors_->nu(p));
  });
  std::array<double, 6> most{};
  for (const auto& gains : gains_)
    for (std::size_t side = 0; side < most.size(); ++side) most[side] = std::max(most[side], gains[side]);
  slabs_->comm().max(most);
  return most;
}

template <class T>
void SweepStep<T>::invert(const std::vector<T*>& values) {
  for (int axis = 0; axis < 3; ++axis) invert_along(axis, values);
}

template <class T>
void SweepStep<T>::invert_along(int axis, const std::vector<T*>& values) {
  sweeps_.set(factors_->nu_number());
  slabs_->team().each([&](int p) { nus_[static_cast<std::size_t>(p)] = factors_->nu(p); });
  sweeps_.solve_across(axis, nus_, values);
}

template class SweepStep<double>;
template class SweepStep<float>;
template void SweepStep<double>::solve(SlabField<double>&, const std::vector<UpdateOf<Fp64>>&);
template void SweepStep<float>::solve(SlabField<float>&, const std::vector<UpdateOf<Mixed>>&);
template void SweepStep<float>::solve(SlabField<float>&, const std::vector<UpdateOf<Fp32>>&);

}  // namespace halocline::fractional
