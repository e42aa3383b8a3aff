// Orders, scheme and levels: what a deck gives in time.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/reading.hpp"
#include "lib/problems/fractional/weights/theta.hpp"

namespace halocline::fractional {

namespace {

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
    reading.fault("equation.order", formatted("must be above 0 and at most 1, is {}", order->value()));
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

bool is_graded(Mesh mesh) { return mesh == Mesh::graded || mesh == Mesh::graded_start; }

void check_mesh(Reading& reading, Formulation& f) {
  const TimeOptions& time = reading.block().time;
  const bool graded = is_graded(time.mesh);
  if (time.grading > 0 && !graded) reading.fault("time.grading", "belongs to meshes graded and graded_start");
  if (time.start_steps_given && time.mesh != Mesh::graded_start)
    reading.fault("time.start_steps", "belongs to mesh graded_start");
  else if (time.start_steps_given && time.start_steps > time.steps)
    reading.fault("time.start_steps", formatted("must be at most time.steps, {}, is {}", time.steps, time.start_steps));
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

// Steps up to the horizon, of the size of those up to the end; nothing, with a fault, where these do not lead there.
std::optional<Index> steps_to_horizon(Reading& reading, const TimeChange& psi) {
  const TimeOptions& time = reading.block().time;
  if (time.horizon == 0) return time.steps;
  const auto refuse = [&](const std::string& text) {
    reading.fault("time.horizon", text);
    return std::nullopt;
  };
  if (is_graded(time.mesh)) return refuse("belongs to meshes uniform_t and uniform_psi: graded levels hang on the end");
  if (time.horizon < time.end) return refuse("must be time.end or later, is " + brief_text(time.horizon));
  const double ratio =
      time.mesh == Mesh::uniform_psi ? psi.value(time.horizon) / psi.value(time.end) : time.horizon / time.end;
  const double count = static_cast<double>(time.steps) * ratio, whole = std::round(count);
  if (!std::isfinite(count)) return refuse("psi is not finite there");
  if (count > most_steps) return refuse(formatted("is {} steps away, more than {}", count, most_steps));
  if (std::abs(count - whole) > 1e-9 * whole)
    return refuse(formatted("must be a whole number of the steps up to time.end, is {} of them", brief_text(count)));
  return static_cast<Index>(whole);
}

void make_levels(Reading& reading, Formulation& f) {
  const TimeOptions& time = reading.block().time;
  const Formula& given = reading.block().equation.psi;
  const auto psi = given.given() ? reading.parse(given, time_variables) : std::optional(reading.variable(variable_t));
  if (!psi) return;
  const double smallest = smallest_order(f, time);
  const double grading = time.grading > 0 ? time.grading : default_grading(f.scheme, smallest);
  f.psi = time_change(*psi, variable_t, static_cast<int>(variables.size()));
  const std::optional<Index> steps = steps_to_horizon(reading, f.psi);
  if (!steps) return;
  const double horizon = time.horizon > 0 ? time.horizon : time.end;
  f.last = time.steps;
  try {
    f.levels = std::make_shared<Levels>(MeshOptions{time.mesh, horizon, *steps, grading, time.start_steps}, f.psi);
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

}  // namespace

void read_time(Reading& reading, Formulation& f) {
  f.scheme = reading.block().time.scheme;
  read_orders(reading, f);
  check_mesh(reading, f);
  make_levels(reading, f);
}

}  // namespace halocline::fractional
