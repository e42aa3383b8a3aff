// Systems of equations for tests of lowering, code generation and the interpreter: the decks' and random ones.
#pragma once

#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"
#include "lib/problems/ode_ensemble/codegen/system.hpp"

namespace halocline::ode_ensemble {

// Parses texts into an OdeSystem.
class OdeTexts {
 public:
  std::vector<std::string> states, swept, accumulators;
  std::vector<std::pair<std::string, double>> constants;
  std::vector<std::string> definitions, rhs;

  // The system with its right-hand sides; the rest is added by hand, with parse().
  OdeSystem make() {
    names_ = {"t"};
    for (const auto* list : {&states, &swept, &accumulators}) {
      for (const std::string& name : *list) names_.push_back(name.c_str());
    }
    Definitions known;
    for (const auto& [name, value] : constants) known.constants.emplace_back(name, Formula{number(value), {}});
    for (const std::string& text : definitions) known.definitions.push_back({text, {}});
    scope_.emplace(names_, known);
    OdeSystem system;
    system.states = static_cast<int>(states.size());
    system.parameters = static_cast<int>(swept.size());
    system.accumulators = static_cast<int>(accumulators.size());
    for (const std::string& text : rhs) system.rhs.push_back(parse(text));
    for (int k = 0; k < system.accumulators; ++k)
      system.accumulator.push_back({false, 0, scope_->variable(system.accumulator_value(k)), {}, 0, 0});
    return system;
  }
  Expression parse(const std::string& text) const { return scope_->parse({text, {}}); }
  const Scope& scope() const { return *scope_; }

 private:
  static std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }
  std::vector<const char*> names_;
  std::optional<Scope> scope_;
};

inline OdeTexts lorenz_texts() {
  OdeTexts texts;
  texts.states = {"x1", "x2", "x3"};
  texts.swept = {"p"};
  texts.constants = {{"b", 2.666}};
  texts.rhs = {"10*(x2 - x1)", "p*x1 - x2 - x1*x3", "x1*x2 - b*x3"};
  return texts;
}

// Keller and Miksis' bubble as in the specification of the family, section 5.
inline OdeTexts bubble_texts() {
  OdeTexts texts;
  texts.states = {"y1", "y2"};
  texts.swept = {"f1"};
  texts.accumulators = {"peak"};
  texts.constants = {{"rho", 997.0639504998557},
                     {"cL", 1497.251785455527},
                     {"pv", 3166.775638952003},
                     {"sigma", 0.071977583160056},
                     {"mu", 8.902125058209557e-4},
                     {"Pinf", 1.0e5},
                     {"gamma", 1.4},
                     {"RE", 10.0e-6},
                     {"PA1", 1.5e5},
                     {"PA2", 0},
                     {"f2", 0},
                     {"theta", 0}};
  texts.definitions = {"k  = 1/(RE*f1)",
                       "pg = Pinf - pv + 2*sigma/RE",
                       "C0 = pg*k^2/rho",
                       "C1 = (1 - 3*gamma)*pg*k/(rho*cL)",
                       "C2 = (Pinf - pv)*k^2/rho",
                       "C3 = 2*sigma*k^2/(rho*RE)",
                       "C4 = 4*mu/(rho*RE^2*f1)",
                       "C5 = PA1*k^2/rho",
                       "C6 = PA2*k^2/rho",
                       "C7 = 2*pi*f1*RE*PA1*k^2/(rho*cL)",
                       "C8 = 2*pi*f2*RE*PA2*k^2/(rho*cL)",
                       "C9 = RE*f1/cL",
                       "a1 = 2*pi*t",
                       "a2 = 2*pi*(f2/f1)*t + theta",
                       "N  = (C0 + C1*y2)*y1^(-3*gamma) - C3/y1 - C4*y2/y1 - (C2 + C5*sin(a1) + C6*sin(a2))*"
                       "(1 + C9*y2) - 1.5*(1 - C9*y2/3)*y2^2 - y1*(C7*cos(a1) + C8*cos(a2))",
                       "D  = y1 - C9*y1*y2 + C4*C9"};
  texts.rhs = {"y2", "N/D"};
  return texts;
}
inline OdeSystem bubble_system(OdeTexts& texts) {
  OdeSystem system = texts.make();
  const Expression y1 = texts.parse("y1");
  system.accumulator[0] = {false, y1, combine(Operation::max, {texts.parse("peak"), y1}), {}, 1, y1};
  return system;
}

// The pressure relief valve of the same section.
inline OdeTexts valve_texts() {
  OdeTexts texts;
  texts.states = {"y1", "y2", "y3"};
  texts.swept = {"q"};
  texts.accumulators = {"ymax", "ymin", "hits"};
  texts.constants = {{"kappa", 1.25}, {"delta", 10}, {"beta", 20}, {"r", 0.8}};
  texts.rhs = {"y2", "-kappa*y2 - (y1 + delta) + y3", "beta*(q - y1*sqrt(y3))"};
  return texts;
}
inline OdeSystem valve_system(OdeTexts& texts) {
  OdeSystem system = texts.make();
  const Expression y1 = texts.parse("y1");
  system.events.push_back({y1, -1, false, {{0, 0}, {1, texts.parse("-r*y2")}}});
  system.events.push_back({texts.parse("y2"), -1, true, {}});
  system.rests.push_back({0, texts.parse("y2"), 1e-5, {0, 1}, texts.parse("y3 - delta")});
  system.accumulator[0] = {false, y1, combine(Operation::max, {texts.parse("ymax"), y1}), {}, 0, 0};
  system.accumulator[1] = {false, y1, combine(Operation::min, {texts.parse("ymin"), y1}), {}, 0, 0};
  system.accumulator[2] = {false, 0, texts.parse("hits"), {{0, texts.parse("hits") + 1}}, 0, 0};
  return system;
}

// Stiff problems of the test set of Bari: Robertson's reaction, whose slowest rate is p, and HIRES, whose fastest is p.
inline OdeTexts robertson_texts() {
  OdeTexts texts;
  texts.states = {"y1", "y2", "y3"};
  texts.swept = {"p"};
  texts.rhs = {"1e4*y2*y3 - p*y1", "p*y1 - 1e4*y2*y3 - 3e7*y2^2", "3e7*y2^2"};
  return texts;
}
inline OdeTexts hires_texts() {
  OdeTexts texts;
  texts.states = {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"};
  texts.swept = {"p"};
  texts.rhs = {"-1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007",
               "1.71*y1 - 8.75*y2",
               "-10.03*y3 + 0.43*y4 + 0.035*y5",
               "8.32*y2 + 1.71*y3 - 1.12*y4",
               "-1.745*y5 + 0.43*y6 + 0.43*y7",
               "-p*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7",
               "p*y6*y8 - 1.81*y7",
               "-p*y6*y8 + 1.81*y7"};
  return texts;
}

// A price with noise and a state with noise that changes in time; with events and a state without noise.
inline OdeTexts noisy_texts() {
  OdeTexts texts;
  texts.states = {"x", "n", "y"};
  texts.swept = {"p"};
  texts.rhs = {"0.3*x", "1", "-y + x"};
  return texts;
}
inline OdeSystem noisy_system(OdeTexts& texts) {
  OdeSystem system = texts.make();
  system.noise_state = {0, 2};
  system.noise = {texts.parse("p*x"), texts.parse("0.2*cos(6*t)*sqrt(1 + n)")};
  system.events.push_back({texts.parse("y - 1"), 0, false, {{2, texts.parse("y/2")}}});
  return system;
}

// Formulas made at random from all operations, kept to values of moderate size.
class RandomFormulas {
 public:
  explicit RandomFormulas(unsigned seed) : random_(seed) {}
  std::string formula(const std::vector<std::string>& names, int depth) {
    const auto part = [&] { return formula(names, depth - 1); };
    if (depth == 0) {
      if (pick(3) == 0) return std::to_string(0.25 * (1 + pick(9)));
      return names[pick(names.size())];
    }
    static const char* const infix[] = {" + ", " - ", " * "};
    static const char* const bounded[] = {"sin", "cos", "tanh", "atan"};
    switch (pick(11)) {
      case 0:
        return "(" + part() + ")/(1.5 + (" + part() + ")^2)";
      case 1:
        return std::string(bounded[pick(4)]) + "(" + part() + ")";
      case 2:
        return "sqrt(1 + (" + part() + ")^2)";
      case 3:
        return "(1 + abs(" + part() + "))^(-1.4)";
      case 4:
        return "if(" + part() + " < " + part() + " and not " + part() + " > 2 or " + names[0] + " == " + part() + ", " +
               part() + ", " + part() + ")";
      case 5:
        return "min(" + part() + ", max(" + part() + ", " + part() + "))";
      case 6:
        return "log(1.25 + abs(" + part() + "))*exp(-abs(" + part() + "))";
      case 7:
        return "sin(2*pi*(" + part() + "))/2.5";
      default:
        return "(" + part() + infix[pick(3)] + part() + ")";
    }
  }
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::size_t pick(std::size_t count) { return random_() % count; }

 private:
  std::mt19937 random_;
};

// Three states, two swept names, definitions, an event with an action, accumulators; all formulas random.
inline OdeSystem random_system(OdeTexts& texts, unsigned seed) {
  RandomFormulas random(seed);
  texts.states = {"x", "y", "z"};
  texts.swept = {"p", "q"};
  texts.accumulators = {"top", "hits"};
  texts.definitions = {"c1 = " + random.formula({"p", "q"}, 3), "c2 = " + random.formula({"t", "p"}, 2)};
  const std::vector<std::string> names{"x", "y", "z", "p", "q", "c1", "c2", "t"};
  texts.rhs = {random.formula(names, 4), random.formula(names, 4), random.formula(names, 3)};
  OdeSystem system = texts.make();
  const Expression watched = texts.parse(random.formula(names, 2) + " + x");
  system.events.push_back({watched, 0, false, {{1, texts.parse(random.formula(names, 2))}}});
  const Expression e = texts.parse(random.formula({"x", "y", "z", "t"}, 1) + " + y");
  system.accumulator[0] = {false, e, combine(Operation::max, {texts.parse("top"), e}), {}, 1, e};
  system.accumulator[1] = {true, 0, texts.parse("hits"), {{0, texts.parse("hits + 1")}}, 0, 0};
  return system;
}

}  // namespace halocline::ode_ensemble
