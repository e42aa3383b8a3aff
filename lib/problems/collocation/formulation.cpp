#include "lib/problems/collocation/formulation.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "lib/problems/collocation/discretization/coefficients.hpp"
#include "lib/problems/collocation/nonlinear.hpp"
#include "lib/problems/collocation/sides.hpp"

namespace halocline::collocation {

namespace {

// Results of a program at points of a side.
std::vector<std::vector<double>> results_along(const Program& program, bool x_side, double at,
                                               const std::vector<double>& points) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(program.result_count()),
                                          std::vector<double>(points.size()));
  const std::span<const double> fixed(&at, 1), moving(points);
  const std::span<const double> inputs[2] = {x_side ? fixed : moving, x_side ? moving : fixed};
  const std::vector<std::span<double>> results(values.begin(), values.end());
  evaluate(program, inputs, results);
  return values;
}

// Works through the options, reporting what is wrong and going on.
class Builder {
 public:
  Builder(const CollocationOptions& options, Faults& faults)
      : options_(options), reader_(variables, options.block.names, faults), terms_(options, reader_) {}

  std::optional<Formulation> build() {
    const auto x = options_.block.mesh.x.coordinates("collocation.mesh.x", options_.block.names, &reader_);
    const auto y = options_.block.mesh.y.coordinates("collocation.mesh.y", options_.block.names, &reader_);
    const auto pieces = read_pieces(x, y);
    const auto coefficients = read_coefficients();
    check_verify();
    const std::optional<Expression> exact = read_exact(), start = read_start();
    const std::optional<Expression> f = read_right_hand_side(coefficients, exact);
    if (x.empty() || y.empty() || !pieces) return std::nullopt;
    const auto axis = [&](const std::vector<double>& nodes, std::size_t low) {
      const Pieces &at_low = (*pieces)[low], &at_high = (*pieces)[low + 1];
      if (at_low.empty()) return Axis(nodes, Periodic());
      return Axis(nodes, end_condition(at_low), end_condition(at_high));
    };
    const Axis axis_x = axis(x, 0), axis_y = axis(y, 2);
    auto boundary = read_boundary(options_, reader_, axis_x, axis_y, *pieces, exact);
    if (!coefficients || !f || !boundary || !start || !terms_.good()) return std::nullopt;
    Formulation made{
        axis_x, axis_y, {}, {}, {}, {}, options_.block.equation.f.place, std::move(*boundary), exact.has_value(), {}};
    if (terms_.nonlinear()) {
      terms_.formulate(made, *coefficients, *f, *start, options_.block.newton);
    } else {
      set_equation(made, *coefficients, *f);
    }
    if (exact) {
      const auto u_x = differentiated("verify.exact", *exact, 0);
      const auto u_y = u_x ? differentiated("verify.exact", *exact, 1) : std::nullopt;
      if (!u_y) return std::nullopt;
      const Expression fields[4] = {*exact, *u_x, *u_y, derivative(*u_x, 1)};
      made.exact = Program(fields, 2);
    }
    check_constants(made);
    check_places(made);
    if (made.periodic() && !options_.block.unread) made.notes = differences_around(made);
    const Expression& eta = (*coefficients)[5];
    if (!made.nonlinear && made.derivatives_on_all_sides() && eta.is_constant() && eta.value() == 0)
      reader_.at("collocation.equation.eta", eta_vanishes);
    if (reader_.count() > 0) return std::nullopt;
    return made;
  }

 private:
  std::optional<std::array<Pieces, 4>> read_pieces(const std::vector<double>& x, const std::vector<double>& y) {
    std::optional<Axis> axis_x, axis_y;
    if (!x.empty()) axis_x.emplace(x);
    if (!y.empty()) axis_y.emplace(y);
    return collocation::read_pieces(options_, reader_, axis_x ? &*axis_x : nullptr, axis_y ? &*axis_y : nullptr);
  }

  // Without what is not linear in u.
  std::optional<Coefficients> read_coefficients() {
    const auto formulas = options_.block.equation.coefficients();
    const bool divergence = options_.block.equation.k.given();
    Coefficients coefficients;
    bool complete = true;
    for (int k = 0; k < coefficient_count; ++k) {
      const bool given = formulas[k]->given();
      const std::string path = std::string("collocation.equation.") + coefficient_names[k];
      if (divergence && k < 3 && given)
        reader_.at(path, "stands in k, which gives div (k grad u); leave out one of them");
      if (!divergence && !given) reader_.at(path, "missing; required unless k is given");
      const auto expression = given ? reader_.parse(*formulas[k]) : Expression(0);
      complete = complete && (given || divergence) && expression.has_value();
      if (expression) coefficients[k] = *expression;
    }
    if (!complete) return std::nullopt;
    const auto k = terms_.k_of_place();
    if (k && !add_divergence(*k, coefficients)) return std::nullopt;
    return coefficients;
  }

  bool add_divergence(const Expression& k, Coefficients& coefficients) {
    const auto along_x = differentiated("collocation.equation.k", k, 0);
    const auto along_y = along_x ? differentiated("collocation.equation.k", k, 1) : std::nullopt;
    if (!along_y) return false;
    coefficients[0] = coefficients[2] = k;
    coefficients[3] = *along_x + coefficients[3];
    coefficients[4] = *along_y + coefficients[4];
    return true;
  }

  // Not every name of `data` has a derivative.
  std::optional<Expression> differentiated(const char* path, const Expression& e, int variable) {
    try {
      return derivative(e, variable);
    } catch (const DeckError& error) {
      reader_.at(path, error.what());
      return std::nullopt;
    }
  }

  std::optional<Expression> read_start() {
    const NewtonOptions& newton = options_.block.newton;
    if (newton.given && terms_.good() && !terms_.nonlinear())
      reader_.at("collocation.newton", "belongs to an equation whose k or source depends on u; leave it out");
    return newton.start.given() ? reader_.parse(newton.start) : Expression(0);
  }

  // The equation times a sign, so that a > 0 (in the middle; check_coefficients sees to the rest).
  static void set_equation(Formulation& made, Coefficients coefficients, const Expression& f) {
    const double middle[2] = {made.x.gauss()[made.x.gauss().size() / 2], made.y.gauss()[made.y.gauss().size() / 2]};
    const double sign = evaluate(coefficients[0], middle) < 0 ? -1 : 1;
    bool constant = true;
    for (Expression& coefficient : coefficients) {
      coefficient = sign * coefficient;
      constant = constant && coefficient.is_constant();
    }
    const Expression signed_f = sign * f;
    made.coefficients = Program(coefficients, 2);
    made.f = Program({&signed_f, 1}, 2);
    if (!constant) return;
    made.constants.emplace();
    for (int k = 0; k < coefficient_count; ++k) (*made.constants)[k] = coefficients[k].value() + 0.0;  // no -0
    const auto& c = *made.constants;
    made.equation = {c[0], c[2], c[4], c[5]};
  }

  void check_constants(const Formulation& made) {
    if (!made.constants) return;
    CoefficientColumn column;
    evaluate_coefficients(made, made.x.gauss()[0], made.y, column);
    const bool allow = options_.block.solver.allow_indefinite;
    if (const auto fault = check_coefficients(column, made.x.gauss()[0], made.y, allow))
      reader_.at(std::string("collocation.equation.") + coefficient_names[fault->coefficient], fault->what);
  }

  void check_verify() {
    const VerifyOptions& verify = options_.verify;
    const auto check_range = [&](const char* path, const std::vector<double>& range) {
      if (!range.empty() && (range.size() != 2 || range[0] > range[1]))
        reader_.at(path, "must be two numbers, [low, high], the smaller one first");
    };
    check_range("verify.iterations", verify.iterations);
    check_range("verify.newton_steps", verify.newton_steps);
    if (!verify.newton_steps.empty() && terms_.good() && !terms_.nonlinear())
      reader_.at("verify.newton_steps", "belongs to an equation whose k or source depends on u");
    if (verify.values.empty() && verify.max_value_error > 0)
      reader_.at("verify.max_value_error", "needs verify.values");
    if (!verify.exact.given()) {
      if (verify.max_error.given()) reader_.at("verify.max_error", "needs verify.exact");
      if (verify.rms_error.given()) reader_.at("verify.rms_error", "needs verify.exact");
    }
  }

  void check_places(const Formulation& made) {
    const auto inside = [](const Axis& axis, double at) {
      return at >= axis.nodes().front() && at <= axis.nodes().back();
    };
    for (const auto& value : options_.verify.values)
      if (!inside(made.x, value[0]) || !inside(made.y, value[1]))
        return reader_.at("verify.values", "has a point outside of the mesh");
  }

  // What is not the same on both sides of a periodic axis, in words: it jumps there.
  std::vector<std::string> differences_around(const Formulation& made) const {
    std::vector<std::string> found;
    for (const bool along_x : {true, false}) {
      const Axis &across = along_x ? made.x : made.y, &along = along_x ? made.y : made.x;
      if (!across.periodic()) continue;
      std::string names;
      const auto compare = [&](const Program& program, std::span<const char* const> of_results) {
        const auto along_line = [&](double at) { return results_along(program, along_x, at, along.gauss()); };
        const auto at_low = along_line(across.nodes().front()), at_high = along_line(across.nodes().back());
        const auto inside = along_line(across.gauss()[1]),
                   further = along_line(across.gauss()[across.gauss().size() / 3]);
        for (std::size_t k = 0; k < of_results.size(); ++k) {
          double size = 0, difference = 0;
          for (std::size_t g = 0; g < along.gauss().size(); ++g) {
            for (const auto* values : {&at_low, &at_high, &inside, &further})
              size = std::max(size, std::abs((*values)[k][g]));
            difference = std::max(difference, std::abs(at_low[k][g] - at_high[k][g]));
          }
          if (difference > 1e-8 * size) names += (names.empty() ? "" : ", ") + std::string(of_results[k]);
        }
      };
      constexpr std::array<const char*, 1> f{"f"}, exact{"verify.exact"};
      compare(made.coefficients, coefficient_names);
      compare(made.f, f);
      if (made.has_exact) compare(made.exact, exact);
      if (names.empty()) continue;
      const char axis = along_x ? 'x' : 'y';
      found.push_back(std::string(1, axis) + " is periodic, but values differ on " + axis + "_min and " + axis +
                      "_max, where they jump: " + names);
    }
    return found;
  }

  std::optional<Expression> read_exact() {
    if (options_.verify.exact.given()) {
      auto exact = reader_.parse(options_.verify.exact);
      if (!exact || !options_.manufactured() || Program({&*exact, 1}, 2).rasters().empty()) return exact;
      reader_.at("verify.exact", "uses names of `data`, which have no second derivatives for f: manufactured");
      return std::nullopt;
    }
    if (options_.manufactured())
      reader_.at("collocation.equation.f", "manufactured needs the exact solution in verify.exact");
    return std::nullopt;
  }

  std::optional<Expression> read_right_hand_side(const std::optional<Coefficients>& coefficients,
                                                 const std::optional<Expression>& exact) {
    if (!options_.manufactured()) return reader_.parse(options_.block.equation.f);
    if (!exact || !coefficients || !terms_.good()) return std::nullopt;
    if (terms_.nonlinear()) return terms_.at(terms_.without_f(*coefficients), *exact);
    Expression sum = 0;
    for (int k = 0; k < coefficient_count; ++k) {
      Expression term = *exact;
      for (int order = 0; order < x_order[k]; ++order) term = derivative(term, 0);
      for (int order = 0; order < y_order[k]; ++order) term = derivative(term, 1);
      sum = sum + term_factor[k] * (*coefficients)[k] * term;
    }
    return sum;
  }

  const CollocationOptions& options_;
  FormulaReader reader_;
  StateTerms terms_;
};

// Gives the names of `data` their rasters; nothing to read for where there is no mesh, whose faults the builder tells.
DataSummary read_files(BlockOptions& block, Faults& faults) {
  DataDomain domain;
  int axis = 0;
  for (const AxisOptions* along : {&block.mesh.x, &block.mesh.y}) {
    const std::vector<double> nodes = along->coordinates("", block.names, nullptr);
    if (nodes.empty()) return {};
    domain.low[axis] = nodes.front(), domain.high[axis] = nodes.back();
    ++axis;
  }
  const std::span<const char* const> taken =
      block.equation.names_u() ? std::span<const char* const>(state_names) : std::span<const char* const>(variables);
  ReadData read = read_data(block.names, block.data, domain, "collocation.data", taken, faults);
  block.names = std::move(read.names);
  return read.summary;
}

}  // namespace

void evaluate_along_y(const Program& program, double x, std::span<const double> y,
                      std::span<const std::span<double>> results) {
  const std::span<const double> inputs[2] = {{&x, 1}, y};
  evaluate(program, inputs, results);
}

std::optional<Formulation> formulate(const CollocationOptions& options, Faults& faults) {
  if (options.block.data.size() == 0) return Builder(options, faults).build();
  CollocationOptions with_data = options;
  FormulaReader counted(variables, {}, faults);
  DataSummary summary = read_files(with_data.block, counted);
  with_data.block.unread = counted.count() > 0;
  std::optional<Formulation> made = Builder(with_data, faults).build();
  if (!made) return std::nullopt;
  made->data = std::move(summary);
  return made;
}

Formulation formulate(const CollocationOptions& options) {
  ThrownFaults faults;
  return *formulate(options, faults);
}

}  // namespace halocline::collocation
