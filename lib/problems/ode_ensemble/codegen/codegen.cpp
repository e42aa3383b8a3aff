#include "lib/problems/ode_ensemble/codegen/codegen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lib/problems/ode_ensemble/codegen/print_code.hpp"
#include "lib/problems/ode_ensemble/codegen/stepper_text.hpp"

namespace halocline::ode_ensemble {

namespace {

// The lines of a function; results go to `target`(i), where that is not "".
std::string body(const Code& code, const Names& names, const std::function<std::string(int)>& target) {
  std::string text;
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    text += std::string("    const ") + names.number + " v" + std::to_string(i) + " = " +
            print(code.lines[i], code.lines, names) + ";\n";
  }
  for (std::size_t i = 0; i < code.results.size(); ++i) {
    const std::string place = target(static_cast<int>(i));
    if (!place.empty()) text += "    " + place + " = " + print(code.results[i], names) + ";\n";
  }
  return text;
}

std::function<std::string(int)> array(const char* name) {
  return [name](int i) { return element(name, i); };
}
std::function<std::string(int)> elements(const char* name, const std::vector<int>& indices) {
  return [name, &indices](int i) { return element(name, indices[static_cast<std::size_t>(i)]); };
}

// A function that answers by number: `switch (number) { case 0: ... }`.
std::string cases(const std::string& head, int count, const std::function<std::string(int)>& answer,
                  const std::string& otherwise) {
  std::string text = "  HALOCLINE_ODE " + head + " const {\n    switch (number) {\n";
  for (int i = 0; i < count; ++i) {
    const std::string one = answer(i);
    if (!one.empty()) text += "    case " + std::to_string(i) + ": {\n" + one + "    }\n";
  }
  return text + "    default:\n      " + otherwise + ";\n    }\n  }\n";
}
std::string returning(const std::string& value) { return "      return " + value + ";\n"; }
std::string returning(bool value) { return returning(std::string(value ? "true" : "false")); }
std::string returning(int value) { return returning(std::to_string(value)); }

bool records(const LoweredModel& m) { return m.inside || !m.outputs.results.empty(); }

std::string constants(const LoweredModel& m) {
  std::string text;
  const auto number = [&text](const char* name, std::size_t value) {
    text += std::string("  static constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  };
  const auto both = [&number](const char* capacity, const char* name, int value) {
    number(capacity, static_cast<std::size_t>(std::max(value, 1)));
    if (*name != '\0') number(name, static_cast<std::size_t>(value));
  };
  both("state_capacity", "", m.states + m.quadratures);
  number("states", static_cast<std::size_t>(m.states));
  number("quadratures", static_cast<std::size_t>(m.quadratures));
  both("parameter_capacity", "parameters", m.parameters);
  both("constant_capacity", "constants", m.kept);
  both("time_capacity", "times", m.timed);
  both("event_capacity", "", static_cast<int>(m.events.size() + m.rests.size()));
  number("events", m.events.size());
  number("rests", m.rests.size());
  both("accumulator_capacity", "accumulators", m.accumulators);
  both("extremum_capacity", "extrema", static_cast<int>(m.extrema.size()));
  if (records(m)) {
    both("output_capacity", "outputs", static_cast<int>(m.outputs.results.size()));
    text += std::string("  static constexpr bool inside = ") + (m.inside ? "true" : "false") + ";\n";
  }
  if (!m.noise_state.empty()) both("noise_capacity", "noises", static_cast<int>(m.noise_state.size()));
  if (!m.forcings.empty()) text += "  const double* tables = nullptr;\n";
  return text + "  static constexpr bool uses_time = " + (m.uses_time ? "true" : "false") + ";\n";
}

// How a function of the stepper's inner loop is marked: one that is long is compiled once instead of at every call.
std::string mark(const Code& code) {
  constexpr std::size_t most_inlined = 60;
  return code.lines.size() > most_inlined ? "  HALOCLINE_ODE_RARE void " : "  HALOCLINE_ODE void ";
}

// A right-hand side c * x as x, and the constant c; 1 and itself where it is no such product.
Operand share_of(const Code& code, const Operand& result, double* factor) {
  *factor = 1;
  if (result.from != From::value) return result;
  const CodeLine& line = code.lines[static_cast<std::size_t>(result.index)];
  if (line.operation != Operation::multiply) return result;
  for (const bool first : {true, false}) {
    const Operand &c = first ? line.a : line.b, &x = first ? line.b : line.a;
    if (c.from != From::constant || x.from == From::constant || !std::isfinite(c.value)) continue;
    *factor = c.value;
    return x;
  }
  return result;
}

// The right-hand sides without constant factors, for steps of fixed size, which multiply by them anyway.
std::string shares(const LoweredModel& m) {
  const std::vector<double> factors = factors_of(m);
  if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; })) return "";
  Code code = m.rhs;
  double factor = 1;
  for (Operand& result : code.results) result = share_of(code, result, &factor);
  return "  template <class R>\n" + mark(code) + "rhs_shares(R t, const R* y, const R* d, const R* s, R* f) const {\n" +
         body(code, {}, array("f")) + "  }\n" +
         cases(
             "double factor(int number)", m.states,
             [&factors](int i) { return returning(print_number(factors[static_cast<std::size_t>(i)])); }, "return 1");
}

// The right-hand sides with their derivatives, where the method asks for them.
std::string linearized(const LoweredModel& m) {
  if (m.linearized.results.empty()) return "";
  const int rows = m.states + m.quadratures, entries = rows * m.states;
  const auto place = [rows, entries](int i) {
    if (i < rows) return element("f", i);
    return i < rows + entries ? element("by_state", i - rows) : element("by_time", i - rows - entries);
  };
  return "  template <class R>\n" + mark(m.linearized) +
         "linearized(R t, const R* y, const R* d, const R* s, R* f, R* by_state, R* by_time) const {\n" +
         body(m.linearized, {}, place) + "  }\n";
}

// By runs of neighboring states.
std::string noise(const LoweredModel& m) {
  if (m.noise_state.empty()) return "";
  const int count = static_cast<int>(m.noise_state.size());
  const auto shift = [&m](int k) { return m.noise_state[static_cast<std::size_t>(k)] - k; };
  std::string state;
  for (int k = 0; k + 1 < count; ++k)
    if (shift(k + 1) != shift(k))
      state += "k < " + std::to_string(k + 1) + " ? k + " + std::to_string(shift(k)) + " : ";
  state += "k + " + std::to_string(shift(count - 1));
  const auto place = [count](int i) { return i < count ? element("g", i) : element("slope", i - count); };
  return "  HALOCLINE_ODE int noise_state(int k) const { return " + state + "; }\n  template <class R>\n" +
         mark(m.noise) + "noise(R t, const R* y, const R* d, const R* s, R* g, R* slope) const {\n" +
         body(m.noise, {}, place) + "  }\n";
}

// The values of tables and their slopes.
std::string lookups(const LoweredModel& m) {
  std::string text;
  for (std::size_t i = 0; i < m.forcings.size(); ++i) {
    const TableShape& one = m.forcings[i];
    text += "    look_up(tables, TableShape{";
    for (const int number : {one.at, one.count, one.cubic}) text += std::to_string(number) + ", ";
    text += std::to_string(one.holds) + "}, t, d + " + std::to_string(i) + ", " + std::to_string(m.forcings.size()) +
            ");\n";
  }
  return text;
}

std::string at_time(const LoweredModel& m) {
  const int forced = 2 * static_cast<int>(m.forcings.size());
  const auto timed = [forced](int i) { return element("d", forced + i); };
  return "  template <class R>\n" + mark(m.at_time) + "at_time(R t, const R* s, R* d) const {\n" + lookups(m) +
         body(m.at_time, {}, timed) + "  }\n";
}

// Which tolerance a row has, where rows share them: by runs of rows.
std::string tolerances(const LoweredModel& m) {
  if (m.tolerance.empty()) return "";
  std::string text = "  HALOCLINE_ODE int tolerance(int i) const { return ";
  const std::size_t rows = m.tolerance.size();
  for (std::size_t i = 0; i < rows; ++i)
    if (i + 1 < rows && m.tolerance[i + 1] != m.tolerance[i])
      text += "i < " + std::to_string(i + 1) + " ? " + std::to_string(m.tolerance[i]) + " : ";
  return text + std::to_string(m.tolerance.back()) + "; }\n";
}

// Equations with loops are long and use memory anyway.
std::string looped_equations(const LoweredModel& m) {
  Names doubles{"double"};
  return "  HALOCLINE_ODE_RARE void setup(const double* p, double* s) const {\n" + body(m.setup, doubles, array("s")) +
         looped_body(m.looped_setup, doubles, "s", true) + "  }\n" + at_time(m) +
         "  template <class R>\n  HALOCLINE_ODE_ALONE void "
         "rhs(R t, const R* y, const R* d, const R* s, R* __restrict__ f) const {\n" +
         looped_body(m.looped_rhs, {}, "f", false) + "  }\n";
}

std::string equations(const LoweredModel& m) {
  if (m.loops) return looped_equations(m);
  Names doubles{"double"};
  return mark(m.setup) + "setup(const double* p, double* s) const {\n" + body(m.setup, doubles, array("s")) + "  }\n" +
         at_time(m) + "  template <class R>\n" + mark(m.rhs) +
         "rhs(R t, const R* y, const R* d, const R* s, R* f) const "
         "{\n" +
         body(m.rhs, {}, array("f")) + "  }\n" + shares(m) + linearized(m);
}

std::string events(const LoweredModel& m) {
  const int count = static_cast<int>(m.events.size()), roots = static_cast<int>(m.events.size() + m.rests.size());
  const auto event = [&m](int e) -> const LoweredModel::Event& { return m.events[static_cast<std::size_t>(e)]; };
  const auto value_or_slope = [roots](int i) { return i < roots ? element("value", i) : element("slope", i - roots); };
  return "  template <class R>\n" + mark(m.event_values) +
         "event_values(const Point<R>& x, R* value, R* slope) const {\n" +
         body(m.event_values, in_point, value_or_slope) + "  }\n" +
         cases(
             "int direction(int number)", count, [&](int e) { return returning(event(e).direction); }, "return 0") +
         cases(
             "bool ends_phase(int number)", count, [&](int e) { return returning(event(e).ends_phase); },
             "return false") +
         cases(
             "bool acts(int number)", count, [&](int e) { return returning(!event(e).assigned.empty()); },
             "return false") +
         cases(
             "void action(int number, const Point<double>& x, double* next)", count,
             [&](int e) {
               if (event(e).assigned.empty()) return std::string();
               return body(event(e).action, in_point_of_doubles, elements("next", event(e).assigned)) +
                      "      return;\n";
             },
             "return");
}

std::string rests(const LoweredModel& m) {
  const int count = static_cast<int>(m.rests.size());
  const auto rest = [&m](int r) -> const LoweredModel::Rest& { return m.rests[static_cast<std::size_t>(r)]; };
  const auto held = [&rest](int r) {
    std::string test = "false";
    for (const int state : rest(r).hold) test += " || i == " + std::to_string(state);
    return returning(test);
  };
  const auto speed_or_slope = [](int i) { return std::string(i == 0 ? "*speed" : "*slope"); };
  return cases(
             "int rest_event(int number)", count, [&](int r) { return returning(rest(r).event); }, "return -1") +
         cases("bool holds(int number, int i)", count, held, "return false") +
         cases(
             "double rest_below(int number)", count, [&](int r) { return returning(print_number(rest(r).below)); },
             "return 0") +
         cases(
             "int rest_speed_state(int number)", count, [&](int r) { return returning(rest(r).speed_state); },
             "return -1") +
         cases(
             "void rest_speed(int number, const Point<double>& x, double* speed, double* slope)", count,
             [&](int r) { return body(rest(r).speed, in_point_of_doubles, speed_or_slope) + "      return;\n"; },
             "return");
}

std::string accumulators(const LoweredModel& m) {
  // A value that stays as it is needs no assignment.
  const auto changed = [&m](int k) {
    const Operand& result = m.accumulator_step.results[static_cast<std::size_t>(k)];
    return result.from == From::accumulator && result.index == k ? std::string() : element("next", k);
  };
  const int extrema = static_cast<int>(m.extrema.size());
  const auto value_or_slope = [extrema](int i) {
    return i < extrema ? element("value", i) : element("slope", i - extrema);
  };
  const auto extremum = [&m](int k) -> const LoweredModel::Extremum& { return m.extrema[static_cast<std::size_t>(k)]; };
  const auto at_event = [&m](int e) {
    const LoweredModel::Event& event = m.events[static_cast<std::size_t>(e)];
    if (event.accumulated.empty()) return std::string();
    return body(event.accumulate, in_point_of_doubles, elements("next", event.accumulated)) + "      return;\n";
  };
  return cases(
             "bool keeps(int number)", m.accumulators,
             [&m](int k) { return returning(m.keeps[static_cast<std::size_t>(k)] ? true : false); }, "return false") +
         cases(
             "bool keeps_quadrature(int number)", m.quadratures,
             [&m](int q) { return returning(m.keeps_quadrature[static_cast<std::size_t>(q)] ? true : false); },
             "return false") +
         mark(m.accumulator_start) + "accumulator_start(const Point<double>& x, double* a) const {\n" +
         body(m.accumulator_start, in_point_of_doubles, array("a")) + "  }\n  template <class R>\n" +
         mark(m.accumulator_step) + "accumulator_step(const Point<R>& x, R* next) const {\n" +
         body(m.accumulator_step, in_point, changed) + "  }\n" +
         cases("void accumulator_event(int number, const Point<double>& x, double* next)",
               static_cast<int>(m.events.size()), at_event, "return") +
         cases(
             "int extremum_accumulator(int number)", extrema, [&](int k) { return returning(extremum(k).accumulator); },
             "return 0") +
         cases(
             "int extremum_sign(int number)", extrema, [&](int k) { return returning(extremum(k).sign); }, "return 1") +
         "  template <class R>\n" + mark(m.extremum_values) +
         "extremum_values(const Point<R>& x, R* value, R* slope) const {\n" +
         body(m.extremum_values, in_point, value_or_slope) + "  }\n";
}

std::string outputs(const LoweredModel& m) {
  if (!records(m)) return "";
  return mark(m.outputs) + "output_values(const Point<double>& x, double* o) const {\n" +
         body(m.outputs, in_point_of_doubles, array("o")) + "  }\n";
}

std::string entry(Method method, int packs) {
  static constexpr const char* names[] = {"rk4",     "rkck45",    "dopri5",         "ros23",
                                          "rodas5p", "automatic", "euler_maruyama", "milstein"};
  return std::string("HALOCLINE_ENSEMBLE_ENTRY(halocline::ode_ensemble::Model, ") + names[static_cast<int>(method)] +
         ", " + std::to_string(packs) + ")\n";
}

// Registers side by side hide the latency of one's operations, as long as the stages of all stay in registers or near
// cache; steps of fixed size leave more of them.
int packs_for(const LoweredModel& model, Method method) {
  if (model.loops) return 1;
  const bool fixed = has_fixed_steps(method);
  const int all = model.states + model.quadratures;
  const int values = has_jacobian(method) ? all * (all + 12) : all * (fixed ? 4 : 7);
  if (fixed && values <= 16 && model.events.empty() && model.accumulators == 0) return 4;
  return values > 48 ? 1 : 2;
}

}  // namespace

std::vector<double> factors_of(const LoweredModel& model) {
  std::vector<double> factors;
  for (const Operand& result : model.rhs.results) share_of(model.rhs, result, &factors.emplace_back());
  return factors;
}

std::string print_model(const LoweredModel& model) {
  return "namespace halocline::ode_ensemble {\nnamespace {\nstruct Model {\n" + constants(model) + tolerances(model) +
         equations(model) + noise(model) + events(model) + rests(model) + accumulators(model) + outputs(model) +
         "};\n}\n}\n";
}

std::string host_source(const LoweredModel& model, Method method) {
  return std::string(stepper_text()) + print_model(model) + entry(method, packs_for(model, method));
}

std::string device_source(const LoweredModel& model, Method method) {
  const char* const long_loops = model.loops ? "#define HALOCLINE_ODE_MANY_STATES 1\n" : "";
  return long_loops + std::string(stepper_text()) + print_model(model) + entry(method, 1);
}

}  // namespace halocline::ode_ensemble
