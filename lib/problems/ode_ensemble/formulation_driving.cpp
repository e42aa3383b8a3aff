// What drives the equations of a deck: functions of time from tables, and noise.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/expression/expression.hpp"
#include "lib/problems/ode_ensemble/formulator.hpp"
#include "lib/problems/ode_ensemble/tables/forcing.hpp"

namespace halocline::ode_ensemble {

void Formulator::read_forcing() {
  auto numbers = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < block_.forcing.blocks.size(); ++i) {
    const ForcingOptions& one = block_.forcing.blocks[i];
    const std::string path = "ode_ensemble.forcing[" + std::to_string(i) + "]";
    const Points points = read_points(one.file, one.time, one.value);
    if (!points.fault.empty()) {
      names_.fault(path + "." + points.key, points.fault);
      continue;
    }
    made_.system.forcings[i] = add_table(points.x, points.y, one.interpolation == Interpolation::monotone,
                                         one.outside == Outside::hold, *numbers);
    if (one.outside == Outside::refuse) covers_.push_back({path + ".outside", points.x.front(), points.x.back()});
  }
  made_.tables = std::move(numbers);
}

// The last time of all systems, where start and length are the same for all.
std::optional<double> Formulator::common_end(bool restarts) const {
  if (!made_.start.is_constant() || !made_.length.is_constant() || made_.base.phase_by_event != 0) return std::nullopt;
  const double phases = restarts ? 1 : static_cast<double>(made_.base.transient + made_.base.record);
  return made_.start.value() + phases * made_.length.value();
}

// A table that ends before all systems is a fault of the deck.
void Formulator::check_forcing() {
  const std::optional<double> end = common_end(made_.base.restart_time != 0);
  if (!end) return;
  const double first = made_.start.value(), last = *end;
  const double slack = 1e-9 * (std::abs(first) + std::abs(last));
  for (const Cover& one : covers_)
    if (one.first > first + slack || one.last < last - slack)
      names_.fault(one.path, "the table has times " + exact_text(one.first) + " to " + exact_text(one.last) +
                                 ", systems run from " + exact_text(first) + " to " + exact_text(last) +
                                 "; `outside: hold` goes on with the first and the last value");
}

// --- Noise ----------------------------------------------------------------------------------------------------------

bool Formulator::is_noisy() const { return !block_.noise.empty(); }

void Formulator::check_noise() {
  const std::string solver = "ode_ensemble.solver.", method = word_for(made_.method);
  const bool stochastic = is_stochastic(made_.method);
  if (is_noisy() && !stochastic)
    names_.fault("ode_ensemble.noise",
                 method +
                     " is for equations without noise; with it give `solver: {method: milstein, step: ...}` or "
                     "euler_maruyama");
  if (!is_noisy() && stochastic)
    names_.fault(solver + "method", method +
                                        " is for equations with `noise`, which the deck does not have; without "
                                        "it rk4 has steps of fixed size, dopri5 chooses them");
  const SolverOptions& given = block_.solver;
  const auto refuse = [&](const char* key, bool is_given) {
    if (is_given && !stochastic) names_.fault(solver + key, "is for euler_maruyama and milstein");
  };
  refuse("seed", given.has_seed), refuse("fine_steps", given.has_fine_steps), refuse("paths", given.has_paths);
  Ensemble& base = made_.base;
  base.noise_seed = given.seed;
  base.fine_steps = given.fine_steps;
  if (given.paths == Paths::common && made_.sweep.valid()) {
    base.path_parameter = made_.sweep.paths();
    if (base.path_parameter < 0)
      names_.fault(solver + "paths", "common paths have the numbers of an entry of `sweep`: {name: path, paths: 100}");
  }
  if (!is_noisy()) return;
  if (has_tangent())
    names_.fault("ode_ensemble.accumulators." + tangent_ + ".lyapunov", "is for equations without noise");
  if (block_.phase.steady > 0)
    names_.fault("ode_ensemble.phase.steady", "does not go with noise, under which nothing comes to rest");
  for (std::size_t e = 0; e < block_.events.blocks.size(); ++e)
    if (block_.events.blocks[e].has_rest)
      names_.fault("ode_ensemble.events[" + std::to_string(e) + "].rest",
                   "does not go with noise, under which nothing comes to rest");
  for (std::size_t i = 0; i < block_.accumulators.blocks.size(); ++i)
    if (block_.accumulators.blocks[i].refined)
      names_.fault("ode_ensemble.accumulators." + block_.accumulators.names[i] + ".refined",
                   "does not go with noise: inside steps nothing is known of a path");
}

void Formulator::read_noise() {
  ByState g(made_.states.size());
  for (const NamedFormula& one : block_.noise) {
    const auto cut = names_.cut(one, "");
    if (cut) read_by_state(*cut, Allowed::motion, g);
  }
  OdeSystem& system = made_.system;
  for (std::size_t i = 0; i < g.value.size(); ++i) {
    const bool none = g.value[i].is_constant() && g.value[i].value() == 0;
    if (g.given[i] == ByState::Given::no || none) continue;
    system.noise_state.push_back(static_cast<int>(i));
    system.noise.push_back(g.value[i]);
  }
  if (names_.faults() == 0 && is_noisy() && system.noise.empty())
    names_.fault("ode_ensemble.noise", "is 0 for all states");
  if (made_.method != Method::milstein) return;
  for (std::size_t k = 0; k < system.noise.size(); ++k)
    for (const int other : system.noise_state)
      if (other != system.noise_state[k] && !system.noise[k].is_constant() &&
          system.noise[k].depends_on(system.state(other)))
        return names_.fault("ode_ensemble.noise",
                            "that of " + name_of_state(system.noise_state[k]) + " depends on " + name_of_state(other) +
                                ", which has noise of its own: milstein then loses its order; use euler_maruyama");
}

std::string Formulator::name_of_state(int state) const {
  return "'" + made_.states[static_cast<std::size_t>(state)] + "'";
}

// A value inside a step lies on a straight line, whose variance is too small.
void Formulator::check_noisy_times() {
  if (!is_noisy() || names_.faults() > 0 || !made_.start.is_constant()) return;
  const double step = made_.base.step;
  const auto between = [step](double time) {
    const double steps = time / step;
    return std::abs(steps - std::nearbyint(steps)) > 1e-9 * std::max(1.0, steps);
  };
  const TrajectoryOptions& trajectory = block_.record.trajectory;
  if (block_.record.has_trajectory && trajectory.every > 0 && between(trajectory.every))
    names_.fault("ode_ensemble.record.trajectory.every",
                 "is no multiple of the step: inside steps nothing is known of a path with noise");
  const bool straight = std::any_of(made_.times.begin(), made_.times.end(),
                                    [&](double time) { return between(time - made_.start.value()); });
  if (straight)
    made_.warnings.push_back(
        "times of output lie inside steps, where values are those of a straight line; give times that are multiples "
        "of the step");
  const bool phases = block_.repeat.transient + block_.repeat.record > 1;
  if (phases && made_.base.phase_by_event == 0 && made_.length.is_constant() && between(made_.length.value()))
    made_.warnings.push_back("the last step of a phase is shorter than the others: its length is no multiple of them");
}

}  // namespace halocline::ode_ensemble
