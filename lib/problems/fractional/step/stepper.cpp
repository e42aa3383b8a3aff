#include "lib/problems/fractional/step/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/fields/formula_errors.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/step/step_faults.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"
#include "lib/problems/fractional/step/sweeps.hpp"

namespace halocline::fractional {

namespace {

Weights weights_of(const Formulation& f) {
  Medium medium;
  for (std::size_t n = 0; n < f.orders.size(); ++n)
    if (f.coefficients[n].number > 0) medium.push_back({f.orders[n], f.coefficients[n].number});
  return Weights(f.levels, f.derivative({medium}));
}

std::shared_ptr<Slabs<double>> slabs_of(const Context& context, const Formulation& f) {
  constexpr Index multiple = 16;
  const SlabRules rules{1, f.grid.periodic[2], true, slab_pitch(f.grid.extent[0], multiple, sizeof(double))};
  return std::make_shared<Slabs<double>>(context.comm, context.team, context.partition, f.grid, rules);
}

}  // namespace

struct Stepper::State {
  State(const Context& context, const Formulation& formulation)
      : context(context),
        f(formulation),
        weights(weights_of(f)),
        slabs(slabs_of(context, f)),
        coefficients(f, slabs),
        sides(f, slabs, coefficients),
        sweeps(f, slabs, coefficients),
        c(slabs) {
    const int block = f.history.block;
    history = f.history.engine == Engine::exponentials
                  ? make_exponential_history(slabs, weights, block, f.levels->s(f.levels->steps()), f.history.eps)
                  : make_direct_history(slabs, weights, block);
    for (int p = 0; p < slabs->parts(); ++p) {
      near.emplace_back(slabs->team().executor(p), Index{block} * block);
      near_first.emplace_back(slabs->team().executor(p), block);
    }
    if (!coefficients.same_mu()) {
      mu.emplace(slabs);
      nu.emplace(slabs);
    }
    if (!f.source.constant()) source.emplace(slabs, *f.source.formula);
    if (!f.source_slope.constant()) slope.emplace(slabs, *f.source_slope.formula);
    if (needs_ahead()) ahead_of.emplace(slabs);
    updates.resize(static_cast<std::size_t>(slabs->parts()));
    nus.resize(static_cast<std::size_t>(slabs->parts()));
  }

  bool needs_ahead() const {
    return (source && f.source.formula->uses(variable_c)) || (slope && f.source_slope.formula->uses(variable_c));
  }
  const Executor& executor(int part) const { return *slabs->team().executor(part); }

  // Numbers of the step to level l.
  struct Numbers {
    Index l;
    int slot;  // of the block
    double theta, local, ratio;
    double ahead() const { return (1 - theta) * ratio; }
  };
  Numbers numbers() const {
    const Index l = level + 1;
    const double ratio = l == 1 || !f.extrapolated ? 0 : std::min(1.0, f.levels->step(l) / f.levels->step(l - 1));
    return {l, static_cast<int>(level - start), weights.theta(l, 0), weights.local(l, 0), ratio};
  }

  // The increment of the last level done.
  SlabField<double>& last() {
    return level > start ? history->slot(static_cast<int>(level - start) - 1) : history->first();
  }

  void begin_block(Index at) {
    start = at;
    history->begin(start);
    set_tables();
  }
  void set_tables() {
    if (!tables.near.empty() && repeats(weights, start, history->block())) return;
    tables = near_tables(weights, start, history->block());
    for (int p = 0; p < slabs->parts(); ++p) {
      near[static_cast<std::size_t>(p)].assign(tables.near);
      near_first[static_cast<std::size_t>(p)].assign(tables.first);
    }
  }
  int sub() const { return sub_block(history->block()); }
  // The near pass of the sub-block that begins at slot `begin`, to its slots from `from` on.
  void near_pass(int begin, int from) {
    if (begin > 0) history->near_pass(tables, near, near_first, begin, from, std::min(begin + sub(), history->block()));
  }

  void step();
  void factors(const Numbers& n);
  void evaluate_source(const Numbers& n);
  void right_side(const Numbers& n);
  template <class Axis>
  void right_side(const Numbers& n, int part, const Axis& x, const Axis& y, const Axis& z);
  NearSum near_sum(const Numbers& n, int part);
  NodeValue mu_of(int part, const Numbers& n) const {
    return mu ? NodeValue{mu->data(part), 0} : NodeValue{nullptr, constant_mu(n)};
  }
  NodeValue nu_of(int part, const Numbers& n) const {
    return nu ? NodeValue{nu->data(part), 0} : NodeValue{nullptr, (1 - n.theta) * constant_mu(n)};
  }
  double constant_mu(const Numbers& n) const {
    return 1 / std::fma(1 - n.theta, f.reaction.number - f.source_slope.number, f.sigma.number * n.local);
  }

  Context context;
  Formulation f;
  Weights weights;
  std::shared_ptr<Slabs<double>> slabs;
  Coefficients coefficients;
  SideValues sides;
  Sweeps sweeps;
  SlabField<double> c;
  std::unique_ptr<History> history;
  std::vector<DeviceTable> near, near_first;
  NearTables tables;
  std::optional<SlabField<double>> mu, nu, ahead_of, shown;
  std::optional<FormulaField> source, slope;
  std::vector<UpdateField> updates;
  std::vector<NodeValue> nus;
  Index level = 0, start = 0;
  bool between = false;  // `shown` is what is shown
};

void Stepper::State::evaluate_source(const Numbers& n) {
  if (!source && !slope) return;
  const double t = f.levels->time_within(n.l, n.theta);
  slabs->team().each([&](int p) {
    const SlabLayout& slab = slabs->layout(p);
    const double* state = nullptr;
    if (ahead_of) {
      state = c.data(p);
      if (n.ratio > 0) {
        launch_rows(executor(p), "extrapolate", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                    BetweenBody{slab, c.data(p), last().data(p), n.ahead(), ahead_of->data(p)});
        state = ahead_of->data(p);
      }
    }
    if (source) source->evaluate(p, t, state, slab.rows());
    if (slope) slope->evaluate(p, t, state, slab.rows());
  });
}

void Stepper::State::factors(const Numbers& n) {
  if (!mu) {
    const double denominator = 1 / constant_mu(n);
    if (!(denominator > 0)) refuse_step(n.l, f.levels->t(n.l), denominator);
    return sweeps.set((1 - n.theta) * constant_mu(n));
  }
  std::vector<double> least(static_cast<std::size_t>(slabs->parts()));
  slabs->team().each([&](int p) {
    const SlabLayout& slab = slabs->layout(p);
    const NodeValue dF = slope ? NodeValue{slope->data(p), 0} : NodeValue{nullptr, f.source_slope.number};
    const FactorsBody body{
        slab, coefficients.sigma(p), coefficients.reaction(p), dF, n.local, 1 - n.theta, mu->data(p), nu->data(p)};
    const Range<2> nodes{{0, 0}, {slab.lines(), slab.extent[0]}};
    launch_rows(executor(p), "factors", nodes, body);
    if (slope || n.l == 1)
      least[static_cast<std::size_t>(p)] =
          reduce(executor(p), "least denominator", nodes, std::numeric_limits<double>::infinity(), Lesser{},
                 LeastDenominator{body});
  });
  if (!slope && n.l > 1) return;
  std::array<double, 1> most{-*std::min_element(least.begin(), least.end())};
  context.comm.max(most);
  if (!(most[0] < 0)) refuse_step(n.l, f.levels->t(n.l), -most[0]);
}

NearSum Stepper::State::near_sum(const Numbers& n, int part) {
  NearSum near;
  const int block = history->block();
  const auto take = [&](const double* increment, double weight) {
    near.increments[near.count] = increment;
    near.weights[near.count++] = weight;
  };
  const int from = n.slot / sub() * sub();
  if (from == 0 && start > 0 && history->counts_first())
    take(history->first().data(part), tables.first[static_cast<std::size_t>(n.slot)]);
  for (int i = from; i < n.slot; ++i)
    take(history->slot(i).data(part), tables.near[static_cast<std::size_t>(n.slot * block + i)]);
  return near;
}

template <class Axis>
void Stepper::State::right_side(const Numbers& n, int part, const Axis& x, const Axis& y, const Axis& z) {
  const SlabLayout& slab = slabs->layout(part);
  RightSideBody<Axis> body;
  body.slab = slab;
  body.x = x;
  body.y = y;
  body.z = z;
  body.fields = {c.data(part), n.ratio > 0 ? last().data(part) : nullptr, history->slot(n.slot).data(part)};
  body.numbers = {n.local, n.ratio, n.ahead()};
  body.near = near_sum(n, part);
  body.mu = mu_of(part, n);
  body.sigma = coefficients.sigma(part);
  body.reaction = coefficients.reaction(part);
  body.source = source ? NodeValue{source->data(part), 0} : NodeValue{nullptr, f.source.number};
  const double bytes = 8 * static_cast<double>(slab.count(slab.rows())) * (4 + body.near.count);
  launch_rows(executor(part), {"right side", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}}, body);
}

void Stepper::State::right_side(const Numbers& n) {
  coefficients.with_rows([&](const auto& rows_of) {
    slabs->team().each([&](int p) { right_side(n, p, rows_of(p, 0), rows_of(p, 1), rows_of(p, 2)); });
  });
}

void Stepper::State::step() {
  if (level == 0 || level == start + history->block()) begin_block(level);
  const Numbers n = numbers();
  if (n.slot % sub() == 0) near_pass(n.slot, n.slot);
  const auto exchange = [&](SlabField<double>& field) {
    field.start_exchange();
    field.finish_exchange();
  };
  exchange(c);
  if (n.ratio > 0) exchange(last());
  slabs->team().each([&](int p) { sides.next(p, f.levels->t(n.l)); });
  evaluate_source(n);
  factors(n);
  right_side(n);
  SlabField<double>& slot = history->slot(n.slot);
  slabs->team().each([&](int p) {
    double* const w = slot.data(p);
    const NodeValue nu = nu_of(p, n);
    sides.add_data(p, mu_of(p, n), n.ahead(), w);
    sides.prepare(p, nu, n.ratio);
    for (int axis = 0; axis < 2; ++axis) {
      sides.enter(p, axis, nu, w);
      sweeps.solve(p, axis, nu, w);
    }
    sides.enter(p, 2, nu, w);
    nus[static_cast<std::size_t>(p)] = nu;
    updates[static_cast<std::size_t>(p)] = {c.data(p), n.ratio > 0 ? last().data(p) : nullptr, w, n.ratio};
  });
  sweeps.solve_across(nus, updates);
  slabs->team().each([&](int p) { sides.keep(p, c.data(p), slot.data(p)); });
  ++level;
}

Stepper::Stepper(const Context& context, const Formulation& formulation)
    : state_(std::make_unique<State>(context, formulation)) {}
Stepper::~Stepper() = default;

void Stepper::set_initial() {
  State& s = *state_;
  set_to_formula(s.c, s.f.initial);
  s.slabs->team().each([&](int p) { s.sides.start(p); });
  s.level = s.start = 0;
}

void Stepper::step() {
  state_->between = false;
  state_->step();
}

void Stepper::wait() {
  state_->slabs->team().each([&](int p) { state_->executor(p).synchronize(); });
}

Index Stepper::level() const { return state_->level; }

void Stepper::show(double fraction) {
  State& s = *state_;
  s.between = fraction < 1 && s.level > 0;
  if (!s.between) return;
  if (!s.shown) s.shown.emplace(s.slabs);
  s.slabs->team().each([&](int p) {
    const SlabLayout& slab = s.slabs->layout(p);
    launch_rows(s.executor(p), "between levels", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                BetweenBody{slab, s.c.data(p), s.last().data(p), fraction - 1, s.shown->data(p)});
  });
}

namespace {
template <class State>
const SlabField<double>& shown_field(const State& s) {
  return s.between ? *s.shown : s.c;
}
}  // namespace

View<const double, 3> Stepper::view(int part) const { return shown_field(*state_).view(part); }
Range<1> Stepper::planes(int part) const { return state_->slabs->rows(part); }

Measures Stepper::measure() const {
  const State& s = *state_;
  const SlabField<double>& field = shown_field(s);
  const FieldRange range = extremes(field);
  return {s.f.sigma.constant() ? s.f.sigma.number * s.f.grid.volume() * weighted_total(field)
                               : s.f.grid.volume() * weighted_total(field, &s.coefficients.sigma_field()),
          range.low, range.high};
}

ErrorMeasures Stepper::errors(const Program& exact, double t) const {
  const ErrorSums sums = formula_errors(shown_field(*state_), exact, t);
  return {sums.largest, sums.square};
}

Index Stepper::first_bad() const { return extremes(state_->c).bad; }

void Stepper::archive(StateArchive& archive) {
  State& s = *state_;
  archive.scalar("level", s.level);
  if (!archive.restoring() && s.level > 0 && s.level == s.start + s.history->block()) s.begin_block(s.level);
  archive.scalar("block_start", s.start);
  s.c.archive(archive, "c");
  const int done = static_cast<int>(s.level - s.start);
  s.history->archive(archive, s.start, done);
  if (!archive.restoring()) return;
  const auto time = [&](Index l) { return l < 0 ? -1 : s.f.levels->t(l); };
  s.slabs->team().each([&](int p) { s.sides.restore(p, {time(s.level), time(s.level - 1), time(s.level - 2)}); });
  if (s.level == 0) return;
  s.set_tables();
  // Slots to come of an open sub-block have had its near pass; those done are increments.
  if (done % s.sub() != 0) s.near_pass(done / s.sub() * s.sub(), done);
}

HistoryFigures Stepper::history() const { return {state_->history->terms(), state_->history->kernel_error()}; }
Traffic Stepper::traffic() const {
  Traffic sent = state_->slabs->traffic();
  sent += state_->sweeps.traffic();
  return sent;
}
std::string Stepper::summary() const { return state_->history->summary(); }

}  // namespace halocline::fractional
