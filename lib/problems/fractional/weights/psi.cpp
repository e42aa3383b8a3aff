#include "lib/problems/fractional/weights/psi.hpp"

#include <array>
#include <memory>
#include <vector>

#include "lib/expression/program.hpp"
#include "lib/problems/fractional/weights/bracketed_newton.hpp"

namespace halocline::fractional {

std::function<double(double)> function_of_time(const Expression& formula, int variable, int variables) {
  const std::array<Expression, 1> formulas{formula};
  return [program = std::make_shared<const Program>(formulas, variables), variable](double t) {
    static constexpr double unused = 0;
    std::vector<std::span<const double>> inputs(static_cast<std::size_t>(program->variable_count()), {&unused, 1});
    inputs[static_cast<std::size_t>(variable)] = {&t, 1};
    double value = 0;
    const std::array<std::span<double>, 1> results{std::span<double>(&value, 1)};
    evaluate(*program, inputs, results);
    return value;
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
