// Programs on lines of points: against the evaluation of the formula at single points, by rows and by points.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/fields/line_program.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

using LineProgramTest = OnEveryExecutor;

TEST_P(LineProgramTest, EveryVariableWhereItLies) {
  const Scope scope(test::xyz);
  const Expression formulas[2] = {scope.parse(test::formula("sin(x*y) + z/(2 + x^2)")),
                                  scope.parse(test::formula("if(x < y, z, x*y + z)"))};
  const Program program(formulas, 3);
  const Index lines = 7, points = 300;
  std::vector<double> x, y, z;
  for (Index p = 0; p < points; ++p) x.push_back(0.01 * static_cast<double>(p) - 1);
  for (Index n = 0; n < lines * points; ++n) y.push_back(std::cos(0.1 * static_cast<double>(n)));
  for (Index l = 0; l < lines; ++l) z.push_back(static_cast<double>(l * l));
  const auto on_x = make_array(executor(), x), on_y = make_array(executor(), y), on_z = make_array(executor(), z);
  const PointInput inputs[3] = {{on_x.view().data, 1, 0, 0},  // a value per point of every line
                                {on_y.view().data, 1, points, 0},
                                {on_z.view().data, 0, 1, 0}};
  for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
    Array<double, 1> values(executor(), {2 * lines * points});
    LineProgram(executor(), program, path).evaluate(inputs, lines, points, {values.view().data, lines * points});
    const std::vector<double> found = values.to_host();
    for (Index n = 0; n < lines * points; ++n)
      for (Index r = 0; r < 2; ++r) {
        const double at[3] = {x[static_cast<std::size_t>(n % points)], y[static_cast<std::size_t>(n)],
                              z[static_cast<std::size_t>(n / points)]};
        const double expected = evaluate(formulas[r], at),
                     value = found[static_cast<std::size_t>(r * lines * points + n)];
        if (executor()->backend() == Backend::cuda) {
          EXPECT_NEAR(value, expected, 1e-14 * (1 + std::abs(expected)));
        } else {
          EXPECT_EQ(value, expected) << n;
        }
      }
  }
}

TEST_P(LineProgramTest, ANumberForAll) {
  const Expression formula = test::parse("x + y");
  const auto x = make_array(executor(), std::vector<double>{1, 2, 3});
  const PointInput inputs[3] = {{x.view().data, 1, 0, 0}, {nullptr, 0, 0, 0, PointInput::Source::number}, {}};
  for (const FormulaPath path : {FormulaPath::of_executor, FormulaPath::points}) {
    Array<double, 1> values(executor(), {6});
    LineProgram(executor(), Program({&formula, 1}, 3), path).evaluate(inputs, 2, 3, {values.view().data, 0}, 10);
    EXPECT_EQ(values.to_host(), (std::vector<double>{11, 12, 13, 11, 12, 13}));
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, LineProgramTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
