#include "lib/problems/collocation/formulation.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"

namespace halocline::collocation {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Works through the options, reporting what is wrong and going on.
class Builder {
 public:
  Builder(const CollocationOptions& options, Faults& faults)
      : options_(options), faults_(faults), scope_(variables, options.block.names, scope_faults_) {}

  std::optional<Formulation> build() {
    const auto x = options_.block.mesh.x.coordinates("collocation.mesh.x", options_.block.names, &counting_);
    const auto y = options_.block.mesh.y.coordinates("collocation.mesh.y", options_.block.names, &counting_);
    const ConstantEquation equation = read_equation();
    check_verify();
    const std::optional<Expression> exact = read_exact();
    const std::optional<Expression> f = read_right_hand_side(equation, exact);
    if (!x.empty() && !Axis(x).uniform())
      counting_.at("collocation.mesh.x", "must be uniform for method schur; put the axis with graded nodes along y");
    if (x.empty() || y.empty() || !f) return std::nullopt;
    const Axis axis_x(x), axis_y(y);
    const auto boundary = read_boundary(axis_x, axis_y, exact);
    if (!boundary || counting_.count > 0 || !factors_exist(equation, axis_x, axis_y)) return std::nullopt;
    const double sign = equation.a < 0 ? -1 : 1;  // a, c > 0 from here on
    const std::array<double, 6> constants{sign * equation.a,  0, sign * equation.c, 0, sign * equation.e,
                                          sign * equation.eta};
    const std::array<Expression, 6> coefficients{constants[0], constants[1], constants[2],
                                                 constants[3], constants[4], constants[5]};
    Formulation made{axis_x,
                     axis_y,
                     Program(coefficients, 2),
                     constants,
                     {constants[0], constants[2], constants[4], constants[5]},
                     Program{},
                     *boundary,
                     exact.has_value(),
                     Program{}};
    const Expression signed_f = sign * *f;
    made.f = Program({&signed_f, 1}, 2);
    if (exact) {
      const Expression u_x = derivative(*exact, 0);
      const Expression fields[4] = {*exact, u_x, derivative(*exact, 1), derivative(u_x, 1)};
      made.exact = Program(fields, 2);
    }
    return made;
  }

 private:
  // Passes faults on and counts them.
  struct Counting final : Faults {
    explicit Counting(Faults& next) : next(next) {}
    void at(std::string_view path, const std::string& message) override {
      ++count;
      next.at(path, message);
    }
    void at(const Place& place, const std::string& message) override {
      ++count;
      next.at(place, message);
    }
    Faults& next;
    int count = 0;
  };

  std::optional<Expression> parse(const Formula& formula) {
    std::vector<FormulaFault> found;
    auto expression = scope_.parse(formula, found);
    for (const auto& fault : found) counting_.at(fault.place, fault.text());
    return found.empty() ? expression : std::nullopt;
  }

  // A coefficient, which must be a number for the methods there are.
  double coefficient(const Formula& formula, const char* name, bool must_vanish) {
    const auto expression = parse(formula);
    if (!expression) return std::nan("");
    const std::string path = std::string("collocation.equation.") + name;
    if (!expression->is_constant()) {
      counting_.at(path, "depends on x or y; method schur solves equations with constant coefficients");
      return std::nan("");
    }
    if (!std::isfinite(expression->value())) counting_.at(path, "is not finite");
    if (must_vanish && expression->value() != 0) counting_.at(path, "must be 0 for method schur");
    return expression->value();
  }

  ConstantEquation read_equation() {
    const EquationOptions& given = options_.block.equation;
    ConstantEquation equation;
    equation.a = coefficient(given.a, "a", false);
    coefficient(given.b, "b", true);
    equation.c = coefficient(given.c, "c", false);
    coefficient(given.d, "d", true);
    equation.e = coefficient(given.e, "e", false);
    equation.eta = coefficient(given.eta, "eta", false);
    if (!(equation.a > 0 && equation.c > 0) && !(equation.a < 0 && equation.c < 0))
      counting_.at("collocation.equation.c", "a c - b^2 must be positive for an elliptic equation; a = " +
                                                 number(equation.a) + ", c = " + number(equation.c));
    else if (equation.eta != 0 && (equation.eta > 0) == (equation.a > 0) && !options_.block.solver.allow_indefinite)
      counting_.at("collocation.equation.eta",
                   "must not have the sign of a and c, or the equation may be singular; solver.allow_indefinite: true "
                   "accepts it");
    return equation;
  }

  bool factors_exist(const ConstantEquation& equation, const Axis& x, const Axis& y) {
    try {
      line_coefficients(equation, x.mean_length(), y);
      return true;
    } catch (const NumericalError& error) {
      counting_.at("collocation.equation", error.what());
      return false;
    }
  }

  void check_verify() {
    const VerifyOptions& verify = options_.verify;
    const auto& range = verify.iterations;
    if (!range.empty() && (range.size() != 2 || range[0] > range[1]))
      counting_.at("verify.iterations", "must be a list of two numbers, [low, high]");
    if (!verify.exact.given()) {
      if (verify.max_error.given()) counting_.at("verify.max_error", "needs verify.exact");
      if (verify.rms_error.given()) counting_.at("verify.rms_error", "needs verify.exact");
    }
  }

  std::optional<Expression> read_exact() {
    if (options_.verify.exact.given()) return parse(options_.verify.exact);
    if (options_.manufactured())
      counting_.at("collocation.equation.f", "manufactured needs the exact solution in verify.exact");
    return std::nullopt;
  }

  std::optional<Expression> read_right_hand_side(const ConstantEquation& equation,
                                                 const std::optional<Expression>& exact) {
    if (!options_.manufactured()) return parse(options_.block.equation.f);
    if (!exact) return std::nullopt;
    const Expression u_x = derivative(*exact, 0), u_y = derivative(*exact, 1);
    return equation.a * derivative(u_x, 0) + equation.c * derivative(u_y, 1) + equation.e * u_y + equation.eta * *exact;
  }

  // Values of an expression on a side, at the given points along it.
  static std::vector<double> along(const Program& program, bool x_side, double at, const std::vector<double>& points) {
    std::vector<double> values(points.size());
    const std::span<const double> fixed(&at, 1), moving(points);
    const std::span<const double> inputs[2] = {x_side ? fixed : moving, x_side ? moving : fixed};
    const std::span<double> results[1] = {values};
    evaluate(program, inputs, results);
    return values;
  }

  bool finite(const std::vector<double>& values, const std::vector<double>& points, const std::string& path) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) {
        counting_.at(path, "is not finite at " + number(points[i]) + " along the side");
        return false;
      }
    return true;
  }

  std::optional<SideData> read_side(std::size_t side, const Axis& x, const Axis& y,
                                    const std::optional<Expression>& exact) {
    const SideOptions* given = options_.block.sides.of(side);
    const bool own = options_.block.sides.sides[side].given;
    const std::string path = std::string("collocation.sides.") + (own ? side_names[side] : "rest");
    if (given == nullptr) {
      counting_.at("collocation.sides", std::string("gives neither ") + side_names[side] + " nor rest");
      return std::nullopt;
    }
    if (options_.manufactured() && (given->value.given() || given->slope.given())) {
      counting_.at(path, "value and slope follow from verify.exact when f is manufactured; leave them out");
      return std::nullopt;
    }
    if (!options_.manufactured() && !given->value.given()) {
      counting_.at(path, "lacks `value`");
      return std::nullopt;
    }
    const std::string value_path = options_.manufactured() ? "verify.exact" : path + ".value";
    const auto value = options_.manufactured() ? exact : parse(given->value);
    const auto slope = given->slope.given() ? parse(given->slope) : std::nullopt;
    if (!value || (given->slope.given() && !slope)) return std::nullopt;
    return side_data(*value, slope, side, x, y, value_path, path + ".slope");
  }

  std::optional<SideData> side_data(const Expression& value, const std::optional<Expression>& slope, std::size_t side,
                                    const Axis& x, const Axis& y, const std::string& value_path,
                                    const std::string& slope_path) {
    const bool x_side = side < 2;
    const Axis& axis = x_side ? y : x;
    const Axis& across = x_side ? x : y;
    const double at = side % 2 == 0 ? across.nodes().front() : across.nodes().back();
    const Program program({&value, 1}, 2);
    const auto at_nodes = along(program, x_side, at, axis.nodes()), at_gauss = along(program, x_side, at, axis.gauss());
    if (!finite(at_nodes, axis.nodes(), value_path) || !finite(at_gauss, axis.gauss(), value_path)) return std::nullopt;
    std::vector<double> slopes;
    if (slope) {
      slopes = along(Program({&*slope, 1}, 2), x_side, at, axis.nodes());
      if (!finite(slopes, axis.nodes(), slope_path)) return std::nullopt;
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= axis.scale(static_cast<Index>(i));
    } else {
      slopes = axis.scaled_slopes(at_nodes, at_gauss);
    }
    SideData data;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      data.push_back(at_nodes[i]);
      data.push_back(slopes[i]);
    }
    return data;
  }

  std::optional<Boundary> read_boundary(const Axis& x, const Axis& y, const std::optional<Expression>& exact) {
    std::array<SideData, 4> sides;
    bool complete = true;
    for (std::size_t side = 0; side < 4; ++side) {
      auto data = read_side(side, x, y, exact);
      complete = complete && data.has_value();
      if (data) sides[side] = std::move(*data);
    }
    if (!complete) return std::nullopt;
    Boundary boundary(std::move(sides), x.elements(), y.elements());
    if (boundary.corner_gap() > 1e-8 * boundary.largest()) {
      counting_.at("collocation.sides", "two sides differ by " + number(boundary.corner_gap()) +
                                            " in the corner they share; their values must agree there");
      return std::nullopt;
    }
    return boundary;
  }

  const CollocationOptions& options_;
  Faults& faults_;
  Counting counting_{faults_};
  std::vector<FormulaFault> scope_faults_;  // the reader has reported them
  Scope scope_;
};

// Turns the first fault into an error.
struct Throwing final : Faults {
  void at(std::string_view path, const std::string& message) override {
    throw DeckError(std::string(path) + ": " + message);
  }
  void at(const Place& place, const std::string& message) override {
    throw DeckError(to_string(place) + ": " + message);
  }
};

}  // namespace

void evaluate_along_y(const Program& program, double x, std::span<const double> y,
                      std::span<const std::span<double>> results) {
  const std::span<const double> inputs[2] = {{&x, 1}, y};
  evaluate(program, inputs, results);
}

std::optional<Formulation> formulate(const CollocationOptions& options, Faults& faults) {
  return Builder(options, faults).build();
}

Formulation formulate(const CollocationOptions& options) {
  Throwing faults;
  return *formulate(options, faults);
}

}  // namespace halocline::collocation
