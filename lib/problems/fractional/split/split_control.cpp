#include "lib/problems/fractional/split/split_control.hpp"

#include <algorithm>

#include "lib/problems/fractional/split/error_bound.hpp"
#include "lib/problems/fractional/split/probe.hpp"
#include "lib/problems/fractional/split/split_messages.hpp"

namespace halocline::fractional {

namespace {

// Of the admissible error: what drives c by less has no error that matters, even where rows of sides enlarge it.
constexpr double slight = 0.025;

double slight_drive(const Formulation& f) { return f.driven() ? slight * f.split.error : 0; }

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
      never_sweeps_(formulation.split.kind == Split::unsplit),
      looks_(formulation.split.error, slight_drive(formulation)) {
  figures_.estimated = formulation.split.kind == Split::automatic;
  if (formulation.split.may_be_unsplit()) unsplit_.emplace(formulation, system_, sides, log);
}

template <class Numbers>
void SplitControl<Numbers>::choose(SlabField<T>& work) {
  if (never_sweeps_ || formulation_->split.kind == Split::lod || !formulation_->needs_probe()) return;
  const Growth growth = growth_of_sweeps(*formulation_, *weights_, system_, sweeps_, *factors_, work);
  never_sweeps_ = !growth.stable();
  log_->info(probe_text(growth));
  if (never_sweeps_ && formulation_->split.kind == Split::adi) refuse_sweeps(growth);
}

// Before the slot's R is solved for.
template <class Numbers>
Demand SplitControl<Numbers>::demand(const LevelNumbers& n, SlabField<typename Numbers::Field>& c, SlabField<T>& slot) {
  Demand demand;
  for (int m = 0; m < n.media; ++m) demand.nu = std::max(demand.nu, (1 - n.theta.of[m]) / n.local.of[m]);
  if (!formulation_->driven()) {
    demand.drives[0] = formulation_->levels->step(n.level);
    return demand;
  }
  const double size = system_.largest(values_of(c));
  const std::array<double, 6> gains = sweeps_.largest_gains();
  demand.drives[0] = system_.largest_unknown(values_of(slot));
  std::copy(gains.begin(), gains.end(), demand.drives.begin() + 1);
  for (double& drive : demand.drives)
    if (drive > 0) drive /= size;
  return demand;
}

// Solves by sweeps, W in the slot, and tells whether that is accurate enough.
template <class Numbers>
bool SplitControl<Numbers>::sweeps_do(const LevelNumbers& n, const Demand& demand, SlabField<T>& slot) {
  sweeps_.solve(slot, {});
  const PartValues w = unsplit_->keep(slot);
  const double size = system_.largest_state(updates_);
  const PartValuesOf<T> work = values_of(slot);
  const double enough = looks_.enough() * size;
  const double error = size > 0 ? bound_of_error(system_, sweeps_, unsplit_->right(), w, work, enough) / size : 0;
  looks_.note(n.level, demand, error);
  if (!(error > formulation_->split.error)) {
    figures_.error = std::max(figures_.error, error);
    system_.take(w, work, false);
    return true;
  }
  if (figures_.unsplit_steps == 0) log_->info(estimate_text(n.level, error, formulation_->split.error));
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
  if (!unsplit_) return sweeps_.solve(slot, updates_);
  Demand now;
  if (!never_sweeps_) {
    now = demand(n, c, slot);
    if (looks_.trust(n.level, now)) return sweeps_.solve(slot, updates_);
  }
  unsplit_->take_right(slot);
  if (never_sweeps_ || !sweeps_do(n, now, slot)) {
    figures_.iterations += unsplit_->solve(n, slot);
    ++figures_.unsplit_steps;
  }
  system_.update(updates_);
}

template <class Numbers>
Traffic SplitControl<Numbers>::traffic() const {
  return unsplit_ ? sweeps_.traffic() + unsplit_->traffic() : sweeps_.traffic();
}

template <class Numbers>
void SplitControl<Numbers>::archive(StateArchive& archive) {
  if (!unsplit_) return;
  Index never = never_sweeps_ ? 1 : 0;
  archive.scalar("split_never_sweeps", never);
  never_sweeps_ = never != 0;
  looks_.archive(archive);
  archive.scalar("split_error", figures_.error);
  archive.scalar("unsplit_steps", figures_.unsplit_steps);
  archive.scalar("unsplit_iterations", figures_.iterations);
  unsplit_->archive(archive);
}

template class SplitControl<Fp64>;
template class SplitControl<Mixed>;
template class SplitControl<Fp32>;

}  // namespace halocline::fractional
