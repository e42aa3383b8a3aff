// Orders, scheme, levels and history: what a deck gives in time.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/reading.hpp"
#include "lib/problems/fractional/weights/theta.hpp"

namespace halocline::fractional {

namespace {

constexpr Index most_direct = 48;  // steps up to which `auto` stores all of them
constexpr double small_order = 0.05, steep_grading = 8;

// "0 < value <= 1", false for NaN.
bool is_order(double value) { return value > 0 && value <= 1; }

void read_order(Reading& reading, Formulation& f) {
  const auto order = reading.parse(reading.block().equation.order, time_variables);
  if (!order) return;
  f.coefficients = {Coefficient{1, {}}};
  if (!order->is_constant()) {
    f.order_of_time = function_of_time(*order, variable_t, static_cast<int>(variables.size()));
    return;
  }
  f.orders = {order->value()};
  if (!is_order(order->value()))
    reading.fault("equation.order", "must be above 0 and at most 1, is " + brief_text(order->value()));
}

void read_terms(Reading& reading, Formulation& f) {
  bool any = false;
  const auto& terms = reading.block().equation.terms.blocks;
  for (std::size_t n = 0; n < terms.size(); ++n) {
    f.orders.push_back(terms[n].order);
    f.coefficients.push_back(reading.coefficient(terms[n].coefficient, place_variables, 1));
    const Coefficient& c = f.coefficients.back();
    any = any || !c.zero();
    if (c.constant() && c.number < 0)
      reading.fault("equation.terms[" + std::to_string(n) + "].coefficient",
                    "must be 0 or more, is " + brief_text(c.number));
  }
  if (!any) reading.fault("equation.terms", "have no coefficient above 0");
}

void read_orders(Reading& reading, Formulation& f) {
  const EquationOptions& equation = reading.block().equation;
  const bool one = equation.order.given(), several = !equation.terms.blocks.empty();
  if (one == several)
    return reading.fault(
        "equation", one ? "gives both `order` and `terms`; give one of them" : "gives neither `order` nor `terms`");
  if (one)
    read_order(reading, f);
  else
    read_terms(reading, f);
}

// The smallest order below 1 that is met; 1: there is none. An order that moves is looked at in time steps of equal
// size, since the levels depend on what is found.
double smallest_order(const Formulation& f, const TimeOptions& time) {
  double smallest = 1;
  const auto look = [&smallest](double order) {
    if (is_order(order)) smallest = std::min(smallest, order);
  };
  for (const double order : f.orders) look(order);
  if (!f.order_of_time) return smallest;
  constexpr Index most_samples = 1000;
  const Index samples = std::min(time.steps, most_samples);
  for (Index n = 0; n <= samples; ++n)
    look(f.order_of_time(time.end * static_cast<double>(n) / static_cast<double>(samples)));
  return smallest;
}

void check_mesh(Reading& reading, Formulation& f) {
  const TimeOptions& time = reading.block().time;
  const bool graded = time.mesh == Mesh::graded || time.mesh == Mesh::graded_start;
  if (time.grading > 0 && !graded) reading.fault("time.grading", "belongs to meshes graded and graded_start");
  if (time.start_steps_given && time.mesh != Mesh::graded_start)
    reading.fault("time.start_steps", "belongs to mesh graded_start");
  if (graded && time.grading > steep_grading)
    f.notes.push_back(formatted("time.grading {} is steep: the first step is tiny, which costs terms of the history",
                                brief_text(time.grading)));
}

void check_order_of_time(Reading& reading, const Formulation& f) {
  try {
    for (Index l = 1; l <= f.levels->steps(); ++l)
      order_within(*f.levels, f.order_of_time, l, f.scheme == Scheme::alikhanov);
  } catch (const DeckError& error) {
    reading.fault("equation.order", error.what());
  }
}

void make_levels(Reading& reading, Formulation& f) {
  const TimeOptions& time = reading.block().time;
  const Formula& given = reading.block().equation.psi;
  const auto psi = given.given() ? reading.parse(given, time_variables) : std::optional(reading.variable(variable_t));
  if (!psi) return;
  const double smallest = smallest_order(f, time);
  const double grading = time.grading > 0 ? time.grading : default_grading(f.scheme, smallest);
  f.psi = time_change(*psi, variable_t, static_cast<int>(variables.size()));
  try {
    f.levels = std::make_shared<Levels>(MeshOptions{time.mesh, time.end, time.steps, grading, time.start_steps}, f.psi);
  } catch (const LevelFault& fault) {
    return reading.fault(given.given() ? "equation.psi" : "time", fault.what());
  }
  if (f.order_of_time) check_order_of_time(reading, f);
  if (smallest < small_order)
    f.notes.push_back(
        formatted("order {} is so small that c follows its data almost at once; errors of the first "
                  "steps may be large",
                  brief_text(smallest)));
}

void read_history(Reading& reading, Formulation& f) {
  const HistoryOptions& given = reading.block().history;
  const bool few = reading.block().time.steps <= most_direct || f.scheme == Scheme::l1_t;
  f.history = {given.engine != Engine::automatic ? given.engine
               : few                             ? Engine::direct
                                                 : Engine::exponentials,
               given.eps, static_cast<int>(given.block)};
}

// gamma of a psi that is t^gamma; nothing for others.
std::optional<double> power_of_time(const Expression& psi, const Expression& t) {
  if (psi == t) return 1;
  const std::array<double, 5> two{0, 0, 0, 2, 0};
  const double exponent = std::log2(evaluate(psi, two)), scale = 1e12;
  // Exponents come as decimal numbers, or as fractions that have no short form.
  for (const double candidate : {std::round(exponent * scale) / scale, exponent})
    if (psi == power(t, Expression(candidate))) return candidate;
  for (const double at : {0.25, 0.5, 3.0}) {
    const std::array<double, 5> there{0, 0, 0, at, 0};
    const double expected = std::pow(at, exponent);
    if (!(std::abs(evaluate(psi, there) - expected) <= 1e-14 * expected)) return std::nullopt;
  }
  return exponent;
}

void read_gamma(Reading& reading, Formulation& f) {
  const Formula& given = reading.block().equation.psi;
  if (!given.given()) return;
  const auto psi = reading.parse(given, time_variables);
  if (!psi) return;
  if (const auto gamma = power_of_time(*psi, reading.variable(variable_t)); gamma && *gamma > 0)
    f.gamma = *gamma;
  else
    reading.fault("equation.psi", "scheme l1_t needs psi: t^number");
}

}  // namespace

void read_time(Reading& reading, Formulation& f) {
  f.scheme = reading.block().time.scheme;
  read_orders(reading, f);
  check_mesh(reading, f);
  make_levels(reading, f);
  read_history(reading, f);
}

void check_l1_t(Reading& reading, Formulation& f) {
  const auto needs = [&](bool holds, const char* key, const std::string& what) {
    if (!holds) reading.fault(key, "scheme l1_t needs " + what);
  };
  const EquationOptions& equation = reading.block().equation;
  read_gamma(reading, f);
  needs(equation.terms.blocks.empty(), "equation.terms", "one constant order below 1");
  needs(!f.order_of_time && (f.orders.size() != 1 || equation.terms.blocks.size() > 0 || f.orders[0] < 1),
        "equation.order", "one constant order below 1");
  needs(reading.block().time.mesh == Mesh::uniform_t, "time.mesh", "mesh uniform_t");
  needs(f.history.engine != Engine::exponentials, "history.engine",
        "engine direct: its kernel is no sum of exponentials");
  needs(f.diffusivity.constant(), "equation.D", "a constant D");
  needs(f.sigma.constant(), "equation.sigma", "a constant sigma");
  needs(!f.moving(), "equation.velocity", "no velocity");
  needs(f.reaction.zero(), "equation.reaction", "no reaction");
  needs(!f.nonlinear(), "equation.source", "a source without c");
  for (std::size_t side = 0; side < f.sides.size(); ++side)
    if (!f.dirichlet(static_cast<int>(side)))
      return needs(false, reading.block().sides.sides[side].given ? "sides" : "sides.rest", "sides of kind dirichlet");
}

}  // namespace halocline::fractional
