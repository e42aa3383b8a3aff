#include "lib/problems/collocation/direct/separability.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"

namespace halocline::collocation {

namespace {

// Follows the variables through the instructions of a program.
class Trace {
 public:
  explicit Trace(const Program& program)
      : variables_(static_cast<std::uint32_t>(program.variable_count())),
        constants_(static_cast<std::uint32_t>(program.constants().size())),
        registers_(static_cast<std::size_t>(program.register_count())) {
    for (const Instruction& step : program.instructions()) {
      const int operands = arity(step.operation);
      Dependence sum = of(step.a);
      if (operands > 1) sum = join(sum, of(step.b));
      if (operands > 2) sum = join(sum, of(step.c));
      registers_[step.result] = sum;
    }
  }
  Dependence of(std::uint32_t operand) const {
    if (operand < variables_) return {operand == 0, operand == 1};
    operand -= variables_;
    return operand < constants_ ? Dependence{} : registers_[operand - constants_];
  }

 private:
  static Dependence join(const Dependence& a, const Dependence& b) { return {a.on_x || b.on_x, a.on_y || b.on_y}; }
  std::uint32_t variables_, constants_;
  std::vector<Dependence> registers_;
};

// A program may use a register again after the result that lies in it was read; results are read at the end.
std::array<Dependence, coefficient_count> results_of(const Program& program) {
  const Trace trace(program);
  std::array<Dependence, coefficient_count> found;
  for (int k = 0; k < coefficient_count; ++k) found[k] = trace.of(program.results()[k]);
  return found;
}

}  // namespace

std::array<Dependence, coefficient_count> dependences(const Formulation& problem) {
  return results_of(problem.coefficients);
}

std::vector<double> along_x(const Formulation& problem, int k) {
  const Axis one({problem.y.nodes()[0], problem.y.nodes()[1]});
  CoefficientColumn column;
  std::vector<double> values;
  for (const double x : problem.x.gauss()) {
    evaluate_coefficients(problem, x, one, column);
    values.push_back(column[k][0]);
  }
  return values;
}

std::vector<double> along_y(const Formulation& problem, int k) {
  CoefficientColumn column;
  evaluate_coefficients(problem, problem.x.gauss()[0], problem.y, column);
  return column[k];
}

std::optional<std::string> not_of_form(const Formulation& problem, const char (&form)[coefficient_count + 1]) {
  const auto depends = dependences(problem);
  for (int k = 0; k < coefficient_count; ++k) {
    const std::string name = coefficient_names[k];
    const Dependence& found = depends[k];
    if (form[k] == '0') {
      if (found.on_x || found.on_y || along_y(problem, k)[0] != 0) return "needs " + name + " = 0";
    } else if (found.on_x && form[k] != 'x') {
      return "needs " + name + " that does not depend on x";
    } else if (found.on_y && form[k] != 'y') {
      return "needs " + name + " that does not depend on y";
    }
  }
  return std::nullopt;
}

bool definite_with(const Formulation& problem, double eta) {
  bool definite = eta <= 0;
  for (const Axis* axis : {&problem.x, &problem.y})
    for (const End end : {End::low, End::high})
      definite = definite && axis->condition(end).alpha * axis->condition(end).beta >= 0;
  return definite;
}

std::optional<std::string> resonance(std::vector<double> mu, std::vector<double> nu, bool definite) {
  std::sort(nu.begin(), nu.end());
  double largest = 0, least = INFINITY, at = 0;
  for (const double value : nu) largest = std::max(largest, std::abs(value));
  for (const double value : mu) {
    largest = std::max(largest, std::abs(value));
    const auto above = std::lower_bound(nu.begin(), nu.end(), -value);
    for (auto near : {above, above == nu.begin() ? above : above - 1})
      if (near != nu.end() && std::abs(value + *near) < least) {
        least = std::abs(value + *near);
        at = value;
      }
  }
  if (definite ? least > 0 : least >= 1e-12 * largest) return std::nullopt;
  return formatted("resonance: eigenvalues {:.6g} along x, with eta, and {:.6g} along y cancel", at, -at);
}

}  // namespace halocline::collocation
