#include "lib/problems/fractional/split/split_control.hpp"

#include <algorithm>

#include "lib/problems/fractional/split/probe.hpp"
#include "lib/problems/fractional/split/split_messages.hpp"

namespace halocline::fractional {

namespace {

constexpr double near_limit = 0.25;  // of the admissible error, above which the next step is looked at too

bool is_power_of_two(Index l) { return (l & (l - 1)) == 0; }

}  // namespace

template <class Numbers>
SplitControl<Numbers>::SplitControl(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                                    const Coefficients& coefficients, SideValues& sides, StepFactors& factors,
                                    const Weights& weights, Log& log)
    : formulation_(&formulation),
      log_(&log),
      factors_(&factors),
      weights_(&weights),
      system_(slabs, coefficients, factors),
      sweeps_(formulation, slabs, coefficients, sides, factors),
      updates_(static_cast<std::size_t>(slabs->parts())),
      never_sweeps_(formulation.split.kind == Split::unsplit) {
  figures_.estimated = formulation.split.kind == Split::automatic;
  if (formulation.split.may_be_unsplit()) unsplit_.emplace(formulation, system_, sides);
}

template <class Numbers>
void SplitControl<Numbers>::choose(SlabField<T>& work) {
  if (never_sweeps_ || formulation_->split.kind == Split::lod || !formulation_->needs_probe()) return;
  const double rate = growth_of_sweeps(*formulation_, *weights_, system_, sweeps_, *factors_, work);
  never_sweeps_ = rate > stable_rate;
  log_->info(probe_text(rate, never_sweeps_));
  if (never_sweeps_ && formulation_->split.kind == Split::adi) refuse_sweeps(rate);
}

template <class Numbers>
bool SplitControl<Numbers>::sweeps_alone(Index level) const {
  if (!unsplit_) return true;
  return !never_sweeps_ && !is_power_of_two(level) && !(last_error_ > near_limit * formulation_->split.error);
}

// Solves by sweeps, W in the slot, and tells whether that is accurate enough.
template <class Numbers>
bool SplitControl<Numbers>::sweeps_do(const LevelNumbers& n, SlabField<T>& slot) {
  sweeps_.solve(slot, {});
  const double size = system_.largest_state(updates_);
  const PartValues w = unsplit_->keep(slot);
  const PartValuesOf<T> error = values_of(slot);
  system_.exchange(w);
  system_.residual(unsplit_->right(), w, error);
  sweeps_.invert(error);
  last_error_ = size > 0 ? system_.largest(error) / size : 0;
  if (!(last_error_ > formulation_->split.error)) {
    figures_.error = std::max(figures_.error, last_error_);
    system_.take(w, error, false);
    return true;
  }
  if (figures_.unsplit_steps == 0) log_->info(estimate_text(n.level, last_error_, formulation_->split.error));
  unsplit_->begin_from_kept();
  return false;
}

template <class Numbers>
void SplitControl<Numbers>::solve(const LevelNumbers& n, SlabField<typename Numbers::Field>& c, Past<Numbers>& past) {
  sweeps_.prepare(n);
  SlabField<T>& slot = past.slot();
  for (std::size_t p = 0; p < updates_.size(); ++p) {
    const int part = static_cast<int>(p);
    updates_[p] = {c.data(part), n.ratio > 0 ? past.last().data(part) : nullptr, slot.data(part), n.ratio};
  }
  if (sweeps_alone(n.level)) return sweeps_.solve(slot, updates_);
  unsplit_->take_right(slot);
  if (never_sweeps_ || !sweeps_do(n, slot)) {
    figures_.iterations += unsplit_->solve(n, slot);
    ++figures_.unsplit_steps;
  }
  system_.update(updates_);
}

template <class Numbers>
void SplitControl<Numbers>::archive(StateArchive& archive) {
  if (!unsplit_) return;
  Index never = never_sweeps_ ? 1 : 0;
  archive.scalar("split_never_sweeps", never);
  never_sweeps_ = never != 0;
  archive.scalar("split_last_error", last_error_);
  archive.scalar("split_error", figures_.error);
  archive.scalar("unsplit_steps", figures_.unsplit_steps);
  archive.scalar("unsplit_iterations", figures_.iterations);
}

template class SplitControl<Fp64>;
template class SplitControl<Mixed>;
template class SplitControl<Fp32>;

}  // namespace halocline::fractional
