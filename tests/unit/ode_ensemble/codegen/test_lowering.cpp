// Lowering: the code gives the values of the tree, each part uses only what is known when it runs, and saves what it
// should.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace halocline::ode_ensemble {
namespace {

int count(const Code& code, Operation operation) {
  int found = 0;
  for (const CodeLine& line : code.lines) found += line.operation == operation ? 1 : 0;
  return found;
}

bool reads(const Code& code, From from) {
  const auto is = [from](const Operand& o) { return o.from == from; };
  for (const Operand& result : code.results) {
    if (is(result)) return true;
  }
  for (const CodeLine& line : code.lines) {
    const int operands = arity(line.operation);
    if (is(line.a) || (operands > 1 && is(line.b)) || (operands > 2 && is(line.c))) return true;
  }
  return false;
}

// A point at which everything is evaluated.
struct At {
  double t;
  std::vector<double> y, p, a;
};

// All variables in the order of the scope.
std::vector<double> variables(const At& at) {
  std::vector<double> all{at.t};
  for (const auto* list : {&at.y, &at.p, &at.a}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

double tree(const Expression& e, const At& at) { return e.is_constant() ? e.value() : evaluate(e, variables(at)); }

// The derivative along the solution, by the definition.
double tree_slope(const OdeSystem& system, const Expression& e, const At& at) {
  double sum = tree(e.is_constant() ? Expression(0) : derivative(e, 0), at);
  for (int i = 0; i < system.states && !e.is_constant(); ++i)
    sum += tree(derivative(e, system.state(i)), at) * tree(system.rhs[static_cast<std::size_t>(i)], at);
  return sum;
}

void expect_near(double found, double wanted, const std::string& what) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(found)) << what;
  } else {
    EXPECT_NEAR(found, wanted, 1e-13 * std::max(1.0, std::abs(wanted))) << what;
  }
}

void compare_with_tree(const OdeSystem& system, const At& at, const LoweringOptions& options = {}) {
  const LoweredModel model = lower(system, options);
  const std::vector<double> s = run(model.setup, {at.t, nullptr, at.p.data()});
  const std::vector<double> d = run(model.at_time, {at.t, nullptr, nullptr, nullptr, nullptr, s.data()});
  CodeInputs in{at.t, at.y.data(), nullptr, at.a.data(), nullptr, s.data(), d.data()};
  const std::vector<double> f = run(model.rhs, in);
  in.f = f.data();
  for (std::size_t i = 0; i < f.size(); ++i) expect_near(f[i], tree(system.rhs[i], at), "rhs");
  const std::vector<double> events = run(model.event_values, in);
  for (std::size_t e = 0; e < system.events.size(); ++e) {
    const std::size_t slope = system.events.size() + system.rests.size() + e;
    expect_near(events[e], tree(system.events[e].crossing, at), "event");
    expect_near(events[slope], tree_slope(system, system.events[e].crossing, at), "slope of event");
    const std::vector<double> next = run(model.events[e].action, in);
    for (std::size_t i = 0; i < next.size(); ++i)
      expect_near(next[i], tree(system.events[e].assignments[i].second, at), "action");
  }
  const std::vector<double> step = run(model.accumulator_step, in);
  for (std::size_t k = 0; k < step.size(); ++k) expect_near(step[k], tree(system.accumulator[k].step, at), "step");
}

TEST(Lowering, RandomModelsGiveTheValuesOfTheTree) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    OdeTexts texts;
    const OdeSystem system = random_system(texts, seed);
    RandomFormulas random(seed + 1000);
    for (int i = 0; i < 5; ++i) {
      const auto number = [&random] { return random.number(-1.5, 1.5); };
      compare_with_tree(system, {random.number(0, 2), {number(), number(), number()}, {number(), number()}, {0.5, 3}});
    }
  }
}

TEST(Lowering, DecksGiveTheValuesOfTheTree) {
  OdeTexts lorenz = lorenz_texts(), bubble = bubble_texts(), valve = valve_texts();
  compare_with_tree(lorenz.make(), {0.5, {10, 10.5, 9}, {21}, {}});
  compare_with_tree(bubble_system(bubble), {0.3, {0.8, -0.5}, {1e5}, {1}});
  compare_with_tree(valve_system(valve), {0.3, {0.8, -0.5, 11}, {1.5}, {1, 0.2, 4}});
}

// Right-hand sides with their derivatives by states and time, against differences of the trees.
void compare_with_differences(const OdeSystem& system, const At& at) {
  const LoweredModel model = lower(system, {false, true});
  const std::vector<double> s = run(model.setup, {at.t, nullptr, at.p.data()});
  const std::vector<double> d = run(model.at_time, {at.t, nullptr, nullptr, nullptr, nullptr, s.data()});
  const std::vector<double> all =
      run(model.linearized, {at.t, at.y.data(), nullptr, nullptr, nullptr, s.data(), d.data()});
  const std::size_t n = system.rhs.size(), states = static_cast<std::size_t>(system.states);
  ASSERT_EQ(all.size(), n + n * states + n);
  const double h = 1e-6;
  for (std::size_t i = 0; i < n; ++i) {
    expect_near(all[i], tree(system.rhs[i], at), "rhs");
    for (std::size_t j = 0; j <= states; ++j) {  // the last one is time
      At up = at, down = at;
      (j < states ? up.y[j] : up.t) += h;
      (j < states ? down.y[j] : down.t) -= h;
      const double wanted = (tree(system.rhs[i], up) - tree(system.rhs[i], down)) / (2 * h);
      const double found = j < states ? all[n + i * states + j] : all[n + n * states + i];
      EXPECT_NEAR(found, wanted, 1e-7 * std::max(1.0, std::abs(wanted))) << i << " by " << j;
    }
  }
}

TEST(Lowering, DerivativesAreThoseOfTheRightHandSides) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    OdeTexts texts;
    RandomFormulas random(seed + 2000);
    const auto number = [&random] { return random.number(-1.5, 1.5); };
    compare_with_differences(random_system(texts, seed),
                             {random.number(0, 2), {number(), number(), number()}, {number(), number()}, {0.5, 3}});
  }
  OdeTexts hires = hires_texts(), bubble = bubble_texts();
  compare_with_differences(hires.make(), {0, {1, 0.5, 0.2, 0.1, 0.3, 0.4, 0.6, 0.7}, {280}, {}});
  const OdeSystem system = bubble_system(bubble);
  compare_with_differences(system, {0.3, {0.8, -0.5}, {1e5}, {1}});
  const LoweredModel model = lower(system, {false, true});
  EXPECT_EQ(count(model.linearized, Operation::sin) + count(model.linearized, Operation::cos), 0);
  EXPECT_EQ(count(model.linearized, Operation::divide), 2);  // those of the right-hand side serve the derivatives too
}

TEST(Lowering, PowersByExpAndLog) {
  OdeTexts bubble = bubble_texts();
  const OdeSystem system = bubble_system(bubble);
  const LoweredModel model = lower(system, {true});
  EXPECT_EQ(count(model.rhs, Operation::power), 0);
  EXPECT_EQ(count(model.rhs, Operation::exp), 1);
  compare_with_tree(system, {0.3, {0.8, -0.5}, {1e5}, {1}}, {true});
}

// The bubble: coefficients once per system, the driving once per time of a stage, two divisions per call.
TEST(Lowering, BubbleIsCutByDependence) {
  OdeTexts texts = bubble_texts();
  const LoweredModel model = lower(bubble_system(texts));
  EXPECT_TRUE(reads(model.setup, From::parameter));
  EXPECT_FALSE(reads(model.setup, From::time));
  EXPECT_FALSE(reads(model.rhs, From::parameter));
  EXPECT_EQ(count(model.rhs, Operation::sin) + count(model.rhs, Operation::cos), 0);
  EXPECT_EQ(count(model.at_time, Operation::sin), 1);  // the second driving is off
  EXPECT_EQ(count(model.at_time, Operation::cos), 1);
  EXPECT_TRUE(model.at_time.lines.size() > 1 && model.uses_time);
  for (const CodeLine& line : model.at_time.lines) {
    EXPECT_TRUE(arity(line.operation) != 1 || line.turns);
  }
  EXPECT_EQ(count(model.rhs, Operation::power), 1);
  EXPECT_EQ(count(model.rhs, Operation::divide), 2);  // 1/y1 and N/D
  EXPECT_LE(model.timed, 2);
  EXPECT_LE(model.kept, 14);
  EXPECT_LE(model.rhs.lines.size(), 32u);
}

TEST(Lowering, LorenzHasNothingButItsOperations) {
  OdeTexts texts = lorenz_texts();
  const LoweredModel model = lower(texts.make());
  EXPECT_EQ(model.rhs.lines.size(), 8u);  // x1 (p - x3) in place of p x1 - x1 x3
  EXPECT_EQ(model.kept, 1);
  EXPECT_EQ(model.timed, 0);
  EXPECT_FALSE(model.uses_time);
  EXPECT_TRUE(model.setup.lines.empty());
  EXPECT_EQ(model.setup.results[0].from, From::parameter);
}

TEST(Lowering, FactorsKnownEarlierBecomeOne) {
  OdeTexts texts;
  texts.states = {"x"};
  texts.swept = {"p", "q"};
  texts.rhs = {"2*p*x*q/3*sin(t) - x/p"};
  const OdeSystem system = texts.make();
  const LoweredModel model = lower(system);
  EXPECT_EQ(model.rhs.lines.size(), 1u);  // x times one value of time
  EXPECT_EQ(count(model.rhs, Operation::divide), 0);
  EXPECT_EQ(model.timed, 1);
  compare_with_tree(system, {0.7, {1.5}, {0.3, -2}, {}});
}

TEST(Lowering, DivisionByANumberStaysExact) {
  OdeTexts texts;
  texts.states = {"x"};
  texts.rhs = {"x/3 + x/4"};
  const LoweredModel model = lower(texts.make());
  EXPECT_EQ(count(model.rhs, Operation::divide), 1);
  const double x = 0.7;
  EXPECT_EQ(run(model.rhs, {0, &x})[0], x / 3 + x / 4);
}

TEST(Lowering, OneReciprocalForSeveralDivisions) {
  OdeTexts texts;
  texts.states = {"x", "y"};
  texts.rhs = {"y/(1 + x^2) + 1/(1 + x^2)", "x*y/(1 + x^2)"};
  const OdeSystem system = texts.make();
  EXPECT_EQ(count(lower(system).rhs, Operation::divide), 1);
  compare_with_tree(system, {0, {0.3, 0.4}, {}, {}});
}

TEST(Lowering, NamesOfStages) {
  OdeTexts texts = bubble_texts();
  const OdeSystem system = bubble_system(texts);
  const auto name = [&](const char* text) { return std::string(stage_name(stage_of(system, texts.parse(text)))); };
  EXPECT_EQ(name("pg"), "compile");
  EXPECT_EQ(name("C6"), "compile");  // PA2 = 0
  EXPECT_EQ(name("C5"), "system");
  EXPECT_EQ(name("a1"), "stage");
  EXPECT_EQ(name("D"), "step");
}

TEST(Lowering, ConstantRightHandSides) {
  OdeTexts texts;
  texts.states = {"x", "y"};
  texts.swept = {"p"};
  texts.rhs = {"2", "p"};
  const LoweredModel model = lower(texts.make());
  const double s = 7;
  EXPECT_EQ(run(model.rhs, {0, nullptr, nullptr, nullptr, nullptr, &s}), (std::vector<double>{2, 7}));
  texts.rhs = {"1", "2"};
  EXPECT_EQ(run(lower(texts.make()).rhs, {}), (std::vector<double>{1, 2}));
}

TEST(Lowering, RefusesWhatIsTooLarge) {
  OdeTexts texts;
  for (int i = 0; i < 33; ++i) {
    texts.states.push_back("x" + std::to_string(i));
    texts.rhs.push_back("0");
  }
  EXPECT_THROW(lower(texts.make()), DeckError);
  OdeTexts swept;
  swept.states = {"x"};
  swept.rhs = {"0"};
  for (int i = 0; i < 65; ++i) swept.swept.push_back("p" + std::to_string(i));
  EXPECT_THROW(lower(swept.make()), DeckError);
  OdeTexts operations;
  operations.states = {"x", "y"};
  operations.definitions = {"a0 = x + y"};
  for (int i = 1; i < 300; ++i) {
    std::string text = "a" + std::to_string(i) + " = 1";
    for (int k = 0; k < 20; ++k) text += " + sin(a" + std::to_string(i - 1) + "*" + std::to_string(i * 20 + k) + ")";
    operations.definitions.push_back(text);
  }
  operations.rhs = {"a299", "0"};
  EXPECT_THROW(lower(operations.make()), DeckError);
}

}  // namespace
}  // namespace halocline::ode_ensemble
