#include "lib/problems/fractional/stepper.hpp"

#include <algorithm>
#include <optional>

#include "lib/fields/formula_errors.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/split/split_control.hpp"
#include "lib/problems/fractional/step/lod_step.hpp"
#include "lib/problems/fractional/step/right_side.hpp"

namespace halocline::fractional {

namespace {

std::shared_ptr<Slabs<double>> slabs_of(const Context& context, const Formulation& f) {
  constexpr Index multiple = 16;
  const SlabRules rules{1, f.grid.periodic[2], true, slab_pitch(f.grid.extent[0], multiple, sizeof(double))};
  return std::make_shared<Slabs<double>>(context.comm, context.team, context.partition, f.grid, rules);
}

}  // namespace

// A step: history, sources and factors, right-hand side, solution. Ghosts travel from its begin, while devices have the
// history and the right-hand side of the planes that need none.
struct Stepper::State {
  State(const Context& context, const Formulation& formulation)
      : f(formulation),
        slabs(slabs_of(context, f)),
        coefficients(f, slabs),
        weights(f.weights(coefficients.media().media())),
        sides(f, slabs, coefficients),
        sources(f, slabs, coefficients.media()),
        factors(f, slabs, coefficients, sources),
        right_side(slabs, coefficients, sources, factors),
        c(slabs),
        past(f, slabs_of(context, f), coefficients.media(), weights),
        split(f, slabs, coefficients, sides, factors, weights, context.log),
        shown(f, coefficients, c) {
    if (f.split.kind == Split::lod) lod.emplace(f, slabs, coefficients, sides, sources, factors, split.sweeps());
  }

  LevelNumbers numbers() const {
    const Index l = past.level() + 1;
    const double ratio = l == 1 || !f.extrapolated ? 0 : std::min(1.0, f.levels->step(l) / f.levels->step(l - 1));
    return LevelNumbers::of(weights, l, ratio);
  }
  void step();
  void start_ghosts(const LevelNumbers& n);
  void finish_ghosts(const LevelNumbers& n);
  void solve(const LevelNumbers& n);

  Formulation f;
  std::shared_ptr<Slabs<double>> slabs;
  Coefficients coefficients;
  Weights weights;
  SideValues sides;
  StepSources sources;
  StepFactors factors;
  RightSide right_side;
  SlabField<double> c;
  Past past;
  SplitControl split;
  ShownField shown;
  std::optional<LodStep> lod;
};

// The published step reads no neighbors before its sweeps.
void Stepper::State::start_ghosts(const LevelNumbers& n) {
  if (lod) return;
  c.start_exchange();
  if (n.ratio > 0) past.last().start_exchange();
}

void Stepper::State::finish_ghosts(const LevelNumbers& n) {
  c.finish_exchange();
  if (n.ratio > 0) past.last().finish_exchange();
}

// Of the slot, from its far value to its increment, and of c.
void Stepper::State::solve(const LevelNumbers& n) {
  if (lod) return lod->solve(c, past);
  right_side.set(n, c, past, Planes::inner);
  finish_ghosts(n);
  right_side.set(n, c, past, Planes::outer);
  slabs->team().each([&](int p) { sides.add_data(p, factors.mu(p), n.ahead, past.slot().data(p)); });
  split.solve(n, c, past);
}

void Stepper::State::step() {
  const LevelNumbers n = numbers();
  start_ghosts(n);
  past.open_step();  // may move the last increment to another field
  slabs->team().each([&](int p) { sides.next(p, n.t); });
  sources.evaluate(n, c, past.level() > 0 ? &past.last() : nullptr);
  factors.set(n);
  solve(n);
  slabs->team().each([&](int p) { sides.keep(p, c.data(p), past.slot().data(p)); });
  past.close_step();
}

Stepper::Stepper(const Context& context, const Formulation& formulation)
    : state_(std::make_unique<State>(context, formulation)) {}
Stepper::~Stepper() = default;

void Stepper::set_initial() {
  State& s = *state_;
  set_to_formula(s.c, s.f.initial);
  s.slabs->team().each([&](int p) { s.sides.start(p); });
  s.past.reset();
}

void Stepper::step() {
  state_->shown.show_level();
  state_->step();
}

void Stepper::wait() {
  const Team& team = state_->slabs->team();
  team.each([&](int p) { team.executor(p)->synchronize(); });
}

Index Stepper::level() const { return state_->past.level(); }

void Stepper::show(double fraction) {
  State& s = *state_;
  if (fraction < 1 && level() > 0) return s.shown.show_between(fraction - 1, s.past.last());
  s.shown.show_level();
}

const ShownField& Stepper::shown() const { return state_->shown; }
View<const double, 3> Stepper::view(int part) const { return state_->shown.field().view(part); }
Range<1> Stepper::planes(int part) const { return state_->slabs->rows(part); }
void Stepper::choose_split() { state_->split.choose(); }
const SplitFigures& Stepper::split() const { return state_->split.figures(); }
Index Stepper::first_bad() const { return extremes(state_->c).bad; }

void Stepper::archive(StateArchive& archive) {
  State& s = *state_;
  s.past.archive(archive, s.c);
  s.split.archive(archive);
  if (!archive.restoring()) return;
  const auto time = [&](Index l) { return l < 0 ? -1 : s.f.levels->t(l); };
  s.slabs->team().each([&](int p) { s.sides.restore(p, {time(level()), time(level() - 1), time(level() - 2)}); });
}

HistoryFigures Stepper::history() const {
  const History& history = state_->past.history();
  return {history.terms(), history.kernel_error()};
}
Traffic Stepper::traffic() const {
  Traffic sent = state_->slabs->traffic();
  sent += state_->past.traffic();
  sent += state_->split.traffic();
  return sent;
}
std::string Stepper::summary() const { return state_->past.history().summary(); }

}  // namespace halocline::fractional
