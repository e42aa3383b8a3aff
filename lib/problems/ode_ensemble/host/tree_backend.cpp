// The tree oracle: a model whose functions walk the trees of lib/expression, in doubles, under the same stepper.
#include <span>
#include <vector>

#include "lib/expression/graph.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "lib/problems/ode_ensemble/stepper/advance.hpp"

namespace halocline::ode_ensemble {

namespace {

// A formula with its partial derivatives by time and states.
struct Slope {
  Expression value, by_time;
  std::vector<Expression> by_state;

  Slope(const OdeSystem& system, const Expression& e) : value(e), by_time(derivative_by_time(system, e)) {
    for (int i = 0; i < system.states + system.quadratures; ++i) by_state.push_back(derivative_of(e, system.state(i)));
  }
  static Expression derivative_of(const Expression& e, int variable) {
    return e.is_constant() ? Expression(0) : derivative(e, variable);
  }
};

struct Trees {
  OdeSystem system;
  std::vector<Slope> events;  // then those of `until`
  std::vector<Slope> speeds, extrema;
  std::vector<int> extremum_accumulator, speed_state;
  std::vector<Expression> linearized;  // for Rosenbrock methods
  std::vector<Expression> noise;       // with slopes
};

// `loops`: with room for the states of models with loops, which are written out, and with the tolerances that these
// share.
template <bool loops>
struct TreeModel {
  static constexpr int state_capacity = (loops ? most_elements : most_states) + most_accumulators,
                       parameter_capacity = 64, constant_capacity = parameter_capacity,
                       time_capacity = 2 * most_forcings, event_capacity = 2 * most_events,
                       accumulator_capacity = most_accumulators, extremum_capacity = most_accumulators,
                       output_capacity = most_outputs, noise_capacity = loops ? most_elements : most_states;
  const Trees* trees;
  const double* tables = nullptr;
  int states, quadratures, parameters, constants, forcings, outputs, times, noises;
  bool uses_time = true, inside;
  int events, rests, accumulators, extrema;

  explicit TreeModel(const Trees& t)
      : trees(&t),
        states(t.system.states),
        quadratures(t.system.quadratures),
        parameters(t.system.parameters),
        constants(t.system.parameters),
        forcings(static_cast<int>(t.system.forcings.size())),
        outputs(static_cast<int>(t.system.outputs.size())),
        times(2 * forcings),
        noises(static_cast<int>(t.system.noise.size())),
        inside(t.system.inside),
        events(static_cast<int>(t.system.events.size())),
        rests(static_cast<int>(t.system.rests.size())),
        accumulators(t.system.accumulators),
        extrema(static_cast<int>(t.extrema.size())) {}

  // Values of the scope's variables.
  using Values = std::vector<double>;
  std::span<const double> fill(Values& values, double t, const double* y, const double* d, const double* s,
                               const double* a) const {
    std::size_t n = 0;
    values.assign(static_cast<std::size_t>(trees->system.loop_variable(0)), 0.0);
    values[n++] = t;
    for (int i = 0; i < states + quadratures; ++i) values[n++] = y[i];
    for (int i = 0; i < parameters; ++i) values[n++] = s[i];
    for (int i = 0; i < accumulators; ++i) values[n++] = a != nullptr ? a[i] : 0;
    for (int i = 0; i < forcings; ++i) values[n++] = d[i];
    // Names that are replaced and rates are not asked for.
    for (int i = 0; i < forcings; ++i)
      values[static_cast<std::size_t>(trees->system.forcing_rate(i))] = d[forcings + i];
    return values;
  }
  std::span<const double> fill(Values& values, const Point<double>& x) const {
    return fill(values, x.t, x.y, x.d, x.s, x.a);
  }

  double slope_of(const Slope& e, std::span<const double> values, const double* f) const {
    double sum = evaluate(e.by_time, values);
    for (int i = 0; i < states + quadratures; ++i) {
      const Expression& partial = e.by_state[static_cast<std::size_t>(i)];
      if (!partial.is_constant() || partial.value() != 0) sum += evaluate(partial, values) * f[i];
    }
    return sum;
  }
  void values_of(const std::vector<Slope>& all, const Point<double>& x, double* value, double* slope) const {
    Values memory;
    const auto values = fill(memory, x);
    for (std::size_t e = 0; e < all.size(); ++e) {
      value[e] = evaluate(all[e].value, values);
      slope[e] = slope_of(all[e], values, x.f);
    }
  }
  const OdeSystem::Event& event(int e) const { return trees->system.events[static_cast<std::size_t>(e)]; }
  const OdeSystem::Rest& rest(int r) const { return trees->system.rests[static_cast<std::size_t>(r)]; }
  const OdeSystem::Accumulator& accumulator(int a) const {
    return trees->system.accumulator[static_cast<std::size_t>(a)];
  }

  void setup(const double* p, double* s) const {
    for (int i = 0; i < parameters; ++i) s[i] = p[i];
  }
  void at_time(double t, const double*, double* d) const {
    for (int i = 0; i < forcings; ++i)
      look_up(tables, trees->system.forcings[static_cast<std::size_t>(i)], t, d + i, d + forcings + i);
  }
  void rhs(double t, const double* y, const double* d, const double* s, double* f) const {
    Values memory;
    const auto values = fill(memory, t, y, d, s, nullptr);
    for (int i = 0; i < states + quadratures; ++i)
      f[i] = evaluate(trees->system.rhs[static_cast<std::size_t>(i)], values);
  }
  void linearized(double t, const double* y, const double* d, const double* s, double* f, double* by_state,
                  double* by_time) const {
    Values memory;
    const auto values = fill(memory, t, y, d, s, nullptr);
    const Expression* next = trees->linearized.data();
    const int rows = states + quadratures;
    for (int i = 0; i < rows; ++i) f[i] = evaluate(*next++, values);
    for (int i = 0; i < rows * states; ++i) by_state[i] = evaluate(*next++, values);
    for (int i = 0; i < rows; ++i) by_time[i] = evaluate(*next++, values);
  }
  int noise_state(int k) const { return trees->system.noise_state[static_cast<std::size_t>(k)]; }
  void noise(double t, const double* y, const double* d, const double* s, double* g, double* slope) const {
    Values memory;
    const auto values = fill(memory, t, y, d, s, nullptr);
    const Expression* next = trees->noise.data();
    for (int k = 0; k < noises; ++k) g[k] = evaluate(*next++, values);
    for (int k = 0; k < noises; ++k) slope[k] = evaluate(*next++, values);
  }
  void event_values(const Point<double>& x, double* value, double* slope) const {
    values_of(trees->events, x, value, slope);
  }
  int tolerance(int i) const requires loops { return trees->system.tolerance[static_cast<std::size_t>(i)]; }
  int direction(int e) const { return event(e).direction; }
  bool ends_phase(int e) const { return event(e).ends_phase; }
  bool acts(int e) const { return !event(e).assignments.empty(); }
  void action(int e, const Point<double>& x, double* next) const {
    Values memory;
    const auto values = fill(memory, x);
    for (const auto& [state, value] : event(e).assignments) next[state] = evaluate(value, values);
  }
  int rest_event(int r) const { return rest(r).event; }
  bool holds(int r, int i) const {
    for (const int state : rest(r).hold)
      if (state == i) return true;
    return false;
  }
  double rest_below(int r) const { return rest(r).below; }
  int rest_speed_state(int r) const { return trees->speed_state[static_cast<std::size_t>(r)]; }
  void rest_speed(int r, const Point<double>& x, double* speed, double* slope) const {
    Values memory;
    const auto values = fill(memory, x);
    const Slope& e = trees->speeds[static_cast<std::size_t>(r)];
    *speed = evaluate(e.value, values);
    *slope = slope_of(e, values, x.f);
  }
  bool keeps(int a) const { return accumulator(a).keep; }
  bool keeps_quadrature(int q) const {
    const std::vector<bool>& keeps = trees->system.keeps_quadrature;
    return !keeps.empty() && keeps[static_cast<std::size_t>(q)];
  }
  void accumulator_start(const Point<double>& x, double* a) const {
    Values memory;
    const auto values = fill(memory, x);
    for (int i = 0; i < accumulators; ++i) a[i] = evaluate(accumulator(i).start, values);
  }
  void accumulator_step(const Point<double>& x, double* next) const {
    Values memory;
    const auto values = fill(memory, x);
    for (int i = 0; i < accumulators; ++i) next[i] = evaluate(accumulator(i).step, values);
  }
  void accumulator_event(int e, const Point<double>& x, double* next) const {
    Values memory;
    const auto values = fill(memory, x);
    for (int i = 0; i < accumulators; ++i)
      for (const auto& [at, value] : accumulator(i).at_event)
        if (at == e) next[i] = evaluate(value, values);
  }
  int extremum_accumulator(int k) const { return trees->extremum_accumulator[static_cast<std::size_t>(k)]; }
  int extremum_sign(int k) const { return accumulator(extremum_accumulator(k)).extremum; }
  void extremum_values(const Point<double>& x, double* value, double* slope) const {
    values_of(trees->extrema, x, value, slope);
  }
  void output_values(const Point<double>& x, double* o) const {
    Values memory;
    const auto values = fill(memory, x);
    for (int i = 0; i < outputs; ++i) o[i] = evaluate(trees->system.outputs[static_cast<std::size_t>(i)], values);
  }
};

Trees grow(const OdeSystem& system, Method method) {
  Trees trees{system, {}, {}, {}, {}, {}, {}, {}};
  trees.noise = noise_and_slopes(system);
  trees.system.rhs = written_out(system);
  if (has_jacobian(method)) trees.linearized = linearized(system);
  for (const auto& event : system.events) trees.events.emplace_back(system, event.crossing);
  for (const auto& rest : system.rests) {
    trees.events.emplace_back(system, rest.until);
    trees.speeds.emplace_back(system, rest.speed);
    int state = -1;
    for (int i = 0; i < system.states; ++i) {
      if (rest.speed.is_constant()) break;
      const Expression variable(rest.speed.graph(), rest.speed.graph()->variable(system.state(i)));
      if (rest.speed == variable) state = i;
    }
    trees.speed_state.push_back(state);
  }
  for (int a = 0; a < system.accumulators; ++a) {
    const auto& accumulator = system.accumulator[static_cast<std::size_t>(a)];
    if (accumulator.extremum == 0) continue;
    trees.extrema.emplace_back(system, accumulator.extremum_of);
    trees.extremum_accumulator.push_back(a);
  }
  return trees;
}

template <bool loops>
class TreeBackend final : public OdeBackend {
 public:
  TreeBackend(const OdeSystem& system, Method method) : trees_(grow(system, method)), model_(trees_), method_(method) {}
  void advance(const Ensemble& a) const override {
    const Queue all{0, a.count};
    TreeModel<loops> model = model_;
    model.tables = a.tables;
    if (method_ == Method::rk4) ode_ensemble::advance<Method::rk4, double>(model, a, all);
    if (method_ == Method::rkck45) ode_ensemble::advance<Method::rkck45, double>(model, a, all);
    if (method_ == Method::dopri5) ode_ensemble::advance<Method::dopri5, double>(model, a, all);
    if (method_ == Method::euler_maruyama) ode_ensemble::advance<Method::euler_maruyama, double>(model, a, all);
    if (method_ == Method::milstein) ode_ensemble::advance<Method::milstein, double>(model, a, all);
    if constexpr (!loops) {
      if (method_ == Method::ros23) ode_ensemble::advance<Method::ros23, double>(model, a, all);
      if (method_ == Method::rodas5p) ode_ensemble::advance<Method::rodas5p, double>(model, a, all);
      if (method_ == Method::automatic) ode_ensemble::advance<Method::automatic, double>(model, a, all);
    }
  }
  long long state_rows() const override { return ode_ensemble::state_rows(model_); }
  std::string name() const override { return "tree oracle"; }

 private:
  Trees trees_;
  TreeModel<loops> model_;
  Method method_;
};

}  // namespace

std::unique_ptr<OdeBackend> make_tree_backend(const OdeSystem& system, Method method) {
  if (!system.loops.families.empty()) return std::make_unique<TreeBackend<true>>(system, method);
  return std::make_unique<TreeBackend<false>>(system, method);
}

}  // namespace halocline::ode_ensemble
