// Programs against the walk over the graph, point by point; independence of blocks, workers and threads.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "lib/base/error.hpp"
#include "lib/expression/program.hpp"
#include "tests/unit/expression/expression_text.hpp"
#include "tests/unit/expression/formulas.hpp"
#include "tests/unit/expression/random_formula.hpp"

namespace halocline {
namespace {

using Rows = std::vector<std::vector<double>>;

std::uint64_t bits(double value) { return std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value); }

Rows points(std::size_t count) {
  Rows rows(3, std::vector<double>(count));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (std::vector<double>& row : rows) {
    for (double& value : row) value = uniform(random);
  }
  return rows;
}

Rows run(const Program& program, const Rows& inputs, std::size_t count) {
  Rows outputs(static_cast<std::size_t>(program.result_count()), std::vector<double>(count, -99));
  const std::vector<std::span<const double>> in(inputs.begin(), inputs.end());
  const std::vector<std::span<double>> out(outputs.begin(), outputs.end());
  evaluate(program, in, out);
  return outputs;
}

TEST(Program, EqualsTheTreeBitByBit) {
  std::mt19937 random(99);
  constexpr std::size_t count = 300;
  const Rows inputs = points(count);
  for (int trial = 0; trial < 400; ++trial) {
    const Scope scope(test::xyz);
    std::vector<Expression> expressions;
    for (int i = 0; i < 1 + trial % 4; ++i)
      expressions.push_back(test::random_expression(scope, random, 1 + trial % 7));
    const Rows outputs = run(Program(expressions, 3), inputs, count);
    for (std::size_t e = 0; e < expressions.size(); ++e) {
      for (std::size_t p = 0; p < count; p += 37) {
        const double point[] = {inputs[0][p], inputs[1][p], inputs[2][p]};
        ASSERT_EQ(bits(outputs[e][p]), bits(evaluate(expressions[e], point))) << to_string(expressions[e]);
      }
    }
  }
}

TEST(Program, EveryOperationOnArraysAndSingleValues) {
  const char* texts[] = {
      "sin(x) + cos(y)",  "tan(x)*y",    "asin(x/9)",   "acos(y/9)",  "atan(x)",        "sinh(x)",
      "cosh(y)",          "tanh(x)",     "exp(x)",      "log(x + 3)", "log10(3 + y)",   "sqrt(x + 3)",
      "erf(x)",           "erfc(y)",     "floor(3*x)",  "ceil(3*y)",  "mod(x, y)",      "random(x, y)",
      "cbrt(y)",          "abs(x)",      "sign(y)",     "step(x)",    "x - y",          "y/x",
      "(x + 3)^y",        "atan2(x, y)", "hypot(x, y)", "min(x, y)",  "max(x, y)",      "if(x < y, x, y)",
      "if(x <= 0, 5, y)", "-x",          "3",           "x",          "if(y > 1, x, 2)"};
  constexpr std::size_t count = 5;
  for (const bool x_single : {false, true}) {
    for (const bool y_single : {false, true}) {
      Rows inputs = points(count);
      if (x_single) inputs[0].resize(1);
      if (y_single) inputs[1].resize(1);
      for (const char* text : texts) {
        const Expression e = test::parse(text);
        const Rows outputs = run(Program(std::span(&e, 1), 3), inputs, count);
        for (std::size_t p = 0; p < count; ++p) {
          const double point[] = {inputs[0][x_single ? 0 : p], inputs[1][y_single ? 0 : p], inputs[2][p]};
          EXPECT_EQ(bits(outputs[0][p]), bits(evaluate(e, point))) << text;
        }
      }
    }
  }
}

TEST(Program, ResultsDoNotDependOnBlocks) {
  constexpr std::size_t count = 1037;
  const Scope scope(test::xyz);
  const Expression expressions[] = {scope.parse(test::formula("sin(x*y)^3/(1 + z^2) + exp(-x^2)*pow(abs(y), 1.7)")),
                                    scope.parse(test::formula("if(x < y, sqrt(abs(x)), cbrt(y*z)) - x/3"))};
  const Program program(expressions, 3);
  const Rows inputs = points(count);
  const Rows reference = run(program, inputs, count);
  const ProgramInput in[] = {{inputs[0].data(), false}, {inputs[1].data(), false}, {inputs[2].data(), false}};
  for (int width : {1, 2, 3, 7, 8, 100, 255, 256}) {
    for (Index workers : {Index{1}, Index{3}}) {
      Rows outputs(2, std::vector<double>(count, -99));
      double* const out[] = {outputs[0].data(), outputs[1].data()};
      std::vector<double> scratch(static_cast<std::size_t>(workers * program.register_count() * width));
      const EvaluateProgram body{program.view(), in, out, scratch.data(), count, workers, width};
      for (Index w = 0; w < workers; ++w) body(w);
      for (std::size_t r = 0; r < 2; ++r) {
        for (std::size_t p = 0; p < count; ++p) ASSERT_EQ(bits(outputs[r][p]), bits(reference[r][p])) << width;
      }
    }
  }
}

TEST(Program, ThreadsShareOneProgram) {
  const Expression e = test::parse("sin(x)*cos(y) + exp(z)");
  const Program program(std::span(&e, 1), 3);
  const Rows inputs = points(2000);
  const Rows reference = run(program, inputs, 2000);
  int differences = 0;
#pragma omp parallel for num_threads(4) reduction(+ : differences)
  for (int i = 0; i < 16; ++i) differences += run(program, inputs, 2000) != reference;
  EXPECT_EQ(differences, 0);
}

TEST(Program, SharedPartsAreComputedOnceAndRegistersReused) {
  const Scope scope(test::xyz);
  const Expression u = scope.parse(test::formula("sin(x*y)"));
  const Expression expressions[] = {u, u * u, 3 * u, derivative(derivative(u, 0), 0)};
  const Program program(expressions, 3);
  int sines = 0;
  for (const Instruction& instruction : program.instructions()) sines += instruction.operation == Operation::sin;
  EXPECT_EQ(sines, 1);

  std::string sum = "x";
  for (int i = 1; i <= 200; ++i) sum += " + sin(" + std::to_string(i) + "*x)";
  const Expression series = scope.parse(test::formula(sum));
  const Program long_program(std::span(&series, 1), 3);
  EXPECT_GE(long_program.instructions().size(), 599u);
  EXPECT_LE(long_program.register_count(), 2);
  EXPECT_TRUE(long_program.uses(0));
  EXPECT_FALSE(long_program.uses(1));
}

TEST(Program, NumbersVariablesAndNothing) {
  const Scope scope(test::xyz);
  const Expression expressions[] = {4.5, scope.variable(2), 4.5};
  const Rows outputs = run(Program(expressions, 3), points(300), 300);
  EXPECT_EQ(outputs[0], std::vector<double>(300, 4.5));
  EXPECT_EQ(outputs[1], points(300)[2]);
  EXPECT_EQ(outputs[2], outputs[0]);
  EXPECT_EQ(run(Program(expressions, 3), points(0), 0)[0].size(), 0u);
  EXPECT_NO_THROW(evaluate(Program(), {}, {}));
  const Expression number[] = {2.0};
  EXPECT_EQ(run(Program(number, 0), {}, 3)[0], std::vector<double>(3, 2.0));
}

TEST(Program, UnusedVariablesMayBeAbsent) {
  const Expression e = test::parse("2*y");
  const Program program(std::span(&e, 1), 3);
  const Rows outputs = run(program, {{}, {1, 2, 3}, {}}, 3);
  EXPECT_EQ(outputs[0], (std::vector<double>{2, 4, 6}));
  EXPECT_THROW(run(program, {{1, 2, 3}, {1, 2}, {}}, 3), InternalError);
  EXPECT_THROW(run(program, {{1, 2, 3}}, 3), InternalError);
}

}  // namespace
}  // namespace halocline
