// A program placed in an executor's memory gives the same values as on the host; on a GPU, whose functions and fused
// operations round differently, the same to a few units in the last place.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {
namespace {

template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> host) {
  Array<T, 1> array(executor, {static_cast<Index>(host.size())});
  array.assign(host);
  return array;
}

using ProgramLaunch = OnEveryExecutor;
INSTANTIATE_TEST_SUITE_P(Executors, ProgramLaunch, every_executor(), executor_name);

TEST_P(ProgramLaunch, GivesTheValuesOfTheTree) {
  constexpr Index points = 700, workers = 3;
  constexpr int width = 64;
  const Scope scope(test::xyz);
  const Expression expressions[] = {scope.parse(test::formula("sqrt(x*x + y^2)/(3 + z) - if(x < y, x, 2*y)")),
                                    scope.parse(test::formula("exp(-x)*sin(y) + z"))};
  const Program program(expressions, 3);
  std::vector<double> x, y;
  for (Index i = 0; i < points; ++i) {
    x.push_back(std::sin(0.1 * static_cast<double>(i)));
    y.push_back(std::cos(0.3 * static_cast<double>(i)));
  }
  const double z = 0.75;
  const auto instructions = placed<Instruction>(executor(), program.instructions());
  const auto constants = placed<double>(executor(), program.constants());
  const auto results = placed<std::uint32_t>(executor(), program.results());
  const auto xs = placed<double>(executor(), x), ys = placed<double>(executor(), y);
  const auto zs = placed<double>(executor(), std::span(&z, 1));
  Array<double, 1> first(executor(), {points}), second(executor(), {points});
  Array<double, 1> scratch(executor(), {workers * program.register_count() * width});
  const ProgramInput input_list[] = {{xs.view().data, false}, {ys.view().data, false}, {zs.view().data, true}};
  double* const output_list[] = {first.view().data, second.view().data};
  const auto inputs = placed<ProgramInput>(executor(), input_list);
  const auto outputs = placed<double*>(executor(), output_list);
  ProgramView view = program.view();
  view.instructions = instructions.view().data;
  view.constants = constants.view().data;
  view.results = results.view().data;
  const EvaluateProgram body{view, inputs.view().data, outputs.view().data, scratch.view().data, points, workers,
                             width};
  launch(*executor(), "evaluate_program", Range<1>{{0}, {workers}}, body);
  const std::vector<double> a = first.to_host(), b = second.to_host();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double point[] = {x[i], y[i], z};
    const double tolerance = executor()->backend() == Backend::cuda ? 2e-15 : 0;
    EXPECT_NEAR(a[i], evaluate(expressions[0], point), tolerance);
    EXPECT_NEAR(b[i], evaluate(expressions[1], point), tolerance);
  }
}

}  // namespace
}  // namespace halocline
