#include "lib/problems/fractional/weights/psi.hpp"

#include <array>
#include <memory>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/expression/program.hpp"
#include "lib/problems/fractional/weights/bracketed_newton.hpp"

namespace halocline::fractional {

namespace {

constexpr int most_variables = 8;

// evaluate() at one point without memory of its own, since steps ask for times.
double value_at(const Program& program, std::size_t variable, double t) {
  constexpr std::size_t few = 64;
  std::array<ProgramInput, most_variables> inputs{};
  inputs[variable] = {&t, true};
  const auto registers = static_cast<std::size_t>(program.register_count());
  std::array<double, few> room;
  std::vector<double> more(registers > few ? registers : 0);
  double value = 0;
  double* result = &value;
  EvaluateProgram{program.view(), inputs.data(), &result, more.empty() ? room.data() : more.data(), 1, 1, 1}(0);
  return value;
}

}  // namespace

std::function<double(double)> function_of_time(const Expression& formula, int variable, int variables) {
  const std::array<Expression, 1> formulas{formula};
  const auto place = static_cast<std::size_t>(variable);
  require(variables <= most_variables, "function_of_time: more variables than there is room for");
  return [program = std::make_shared<const Program>(formulas, variables), place](double t) {
    return value_at(*program, place, t);
  };
}

TimeChange time_change(const Expression& psi, int variable, int variables) {
  return {function_of_time(psi, variable, variables), function_of_time(derivative(psi, variable), variable, variables)};
}

double inverse(const TimeChange& psi, double s, double low, double high) {
  // From the end above: Newton's method stays there where psi is convex, and bisection is quick where it is not.
  return bracketed_newton(low, high, high, [&](double t) {
    return ValueAndSlope{psi.value(t) - s, psi.slope ? psi.slope(t) : 0};
  });
}

}  // namespace halocline::fractional
