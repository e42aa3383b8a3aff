#include "lib/problems/collocation/nonlinear.hpp"

#include <string>

namespace halocline::collocation {

namespace {

enum StateVariable { at_x, at_y, of_u, of_u_x, of_u_y, of_u_xx, of_u_xy, of_u_yy };

bool depends_on_solution(const Expression& e) {
  for (int v = of_u; v < state_count; ++v)
    if (e.depends_on(v)) return true;
  return false;
}

Program program_of(std::initializer_list<Expression> results, int variables) {
  return Program(std::span(results.begin(), results.size()), variables);
}

}  // namespace

StateTerms::StateTerms(const CollocationOptions& options, FormulaReader& reader) {
  const EquationOptions& equation = options.block.equation;
  place_ = {reader.variable(0), reader.variable(1)};
  if (!equation.names_u()) return;
  FormulaReader of_state(state_names, options.block.names, reader);
  if (reader.faults_of_names().empty())
    for (const FormulaFault& fault : of_state.faults_of_names()) of_state.at(fault.place, fault.text());
  for (int v = 0; v < state_count; ++v) state_.push_back(of_state.variable(v));
  if (equation.k.given()) k_ = of_state.parse(equation.k);
  if (equation.source.given()) source_ = of_state.parse(equation.source);
  if (source_ && !depends_on_solution(*source_))
    of_state.at("collocation.equation.source", "does not depend on u; what is given goes into f");
  if (options.block.data.size() > 0 && nonlinear())
    of_state.at("collocation.data", "belongs to equations that are linear in u; here k or source depends on u");
  good_ = of_state.count() == 0;
}

std::optional<Expression> StateTerms::k_of_place() const {
  if (!k_ || depends_on_solution(*k_)) return std::nullopt;
  std::vector<Expression> values = place_;
  values.resize(state_count);
  return substitute(*k_, values);
}

Expression StateTerms::lifted(const Expression& of_place) const {
  return substitute(of_place, std::span(state_).first(2));
}

// k (u_xx + u_yy) + k_x u_x + k_y u_y with the whole derivatives of k along x and y.
Expression StateTerms::divergence() const {
  const auto by = [&](int v) { return derivative(*k_, v); };
  const std::vector<Expression>& s = state_;
  const Expression along_x = by(at_x) + by(of_u) * s[of_u_x] + by(of_u_x) * s[of_u_xx] + by(of_u_y) * s[of_u_xy];
  const Expression along_y = by(at_y) + by(of_u) * s[of_u_y] + by(of_u_x) * s[of_u_xy] + by(of_u_y) * s[of_u_yy];
  return *k_ * (s[of_u_xx] + s[of_u_yy]) + along_x * s[of_u_x] + along_y * s[of_u_y];
}

Expression StateTerms::without_f(const Coefficients& linear) const {
  Expression sum = 0;
  for (int k = 0; k < coefficient_count; ++k)
    sum = sum + term_factor[k] * lifted(linear[k]) * state_[static_cast<std::size_t>(state_of[k])];
  if (k_ && !k_of_place()) sum = sum + divergence();
  return source_ ? sum - *source_ : sum;
}

Expression StateTerms::at(const Expression& state, const Expression& function) const {
  const Expression x = derivative(function, 0), y = derivative(function, 1);
  const std::array<Expression, state_count> values{place_[0], place_[1],        function,         x,
                                                   y,         derivative(x, 0), derivative(x, 1), derivative(y, 1)};
  return substitute(state, values);
}

void StateTerms::formulate(Formulation& made, const Coefficients& linear, const Expression& f, const Expression& start,
                           const NewtonOptions& newton) const {
  Expression equation = without_f(linear) - lifted(f);
  const double middle[2] = {made.x.gauss()[made.x.gauss().size() / 2], made.y.gauss()[made.y.gauss().size() / 2]};
  if (evaluate(at(derivative(equation, of_u_xx), start), middle) < 0) equation = -equation;
  Coefficients jacobian, at_start;
  Expression first = -equation;  // the right-hand side of the equation linearized at the start
  for (int k = 0; k < coefficient_count; ++k) {
    const auto variable = static_cast<std::size_t>(state_of[k]);
    const Expression whole = derivative(equation, state_of[k]);
    jacobian[k] = whole / term_factor[k];
    at_start[k] = at(jacobian[k], start);
    first = first + whole * state_[variable];
  }
  const Expression first_f = at(first, start), right_side = source_ ? lifted(f) + *source_ : lifted(f);
  made.coefficients = Program(at_start, 2);
  made.f = program_of({first_f}, 2);
  made.nonlinear = std::make_shared<Nonlinear>(
      Nonlinear{program_of({equation}, state_count), Program(jacobian, state_count),
                program_of({right_side}, state_count), newton.max_steps, newton.damping == Damping::residual});
}

}  // namespace halocline::collocation
