#include "lib/problems/collocation/sides.hpp"

#include <span>
#include <string>

#include "lib/base/format.hpp"
#include "lib/expression/program.hpp"

namespace halocline::collocation {

namespace {

// The keys of a side: its own or those of `rest`.
std::string path_of(const CollocationOptions& options, std::size_t side) {
  const bool own = options.block.sides.sides[side].given;
  return std::string("collocation.sides.") + (own ? side_names[side] : "rest");
}

// A number that must not depend on the place along the side.
std::optional<double> factor(const Formula& formula, const std::string& path, FormulaReader& reader) {
  if (!formula.given()) {
    reader.at(path, "is required for kind robin");
    return std::nullopt;
  }
  const auto expression = reader.parse(formula);
  if (!expression) return std::nullopt;
  if (!expression->is_constant()) {
    reader.at(path, "must be constant along the side");
    return std::nullopt;
  }
  if (!std::isfinite(expression->value())) {
    reader.at(path, "is not finite");
    return std::nullopt;
  }
  return expression->value();
}

std::optional<EndCondition> condition_of(const SideOptions& side, const std::string& path, bool allow_indefinite,
                                         FormulaReader& reader) {
  if (side.kind != SideKind::robin) {
    if (side.alpha.given() || side.beta.given()) {
      reader.at(path + (side.alpha.given() ? ".alpha" : ".beta"), "belongs to kind robin; leave it out");
      return std::nullopt;
    }
    return side.kind == SideKind::dirichlet ? EndCondition{1, 0} : EndCondition{0, 1};
  }
  const auto alpha = factor(side.alpha, path + ".alpha", reader), beta = factor(side.beta, path + ".beta", reader);
  if (!alpha || !beta) return std::nullopt;
  if (*alpha == 0 && *beta == 0) {
    reader.at(path + ".alpha", "and beta must not both be 0");
    return std::nullopt;
  }
  if (*alpha * *beta < 0 && !allow_indefinite) {
    reader.at(path + ".alpha",
              "must not have the opposite sign of beta, or the equation may be singular; solver.allow_indefinite: true "
              "accepts it");
    return std::nullopt;
  }
  return EndCondition{*alpha, *beta};
}

// Values of an expression on a side, at the given points along it.
std::vector<double> along(const Expression& expression, bool x_side, double at, const std::vector<double>& points) {
  const Program program({&expression, 1}, 2);
  std::vector<double> values(points.size());
  const std::span<const double> fixed(&at, 1), moving(points);
  const std::span<const double> inputs[2] = {x_side ? fixed : moving, x_side ? moving : fixed};
  const std::span<double> results[1] = {values};
  evaluate(program, inputs, results);
  return values;
}

bool finite(const std::vector<double>& values, const std::vector<double>& points, const std::string& path,
            FormulaReader& reader) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) {
      reader.at(path, "is not finite at " + brief_text(points[i]) + " along the side");
      return false;
    }
  return true;
}

// Reads the data of one side.
class SideReader {
 public:
  SideReader(const CollocationOptions& options, FormulaReader& reader, std::size_t side, const Axis& x, const Axis& y)
      : options_(options),
        reader_(reader),
        side_(side),
        path_(path_of(options, side)),
        along_(side < 2 ? y : x),
        across_(side < 2 ? x : y) {}

  std::optional<SideData> read(const std::optional<Expression>& exact) {
    const SideOptions& given = *options_.block.sides.of(side_);
    const bool made = options_.manufactured();
    if (made && (given.value.given() || given.slope.given())) {
      reader_.at(path_, "value and slope follow from verify.exact when f is manufactured; leave them out");
      return std::nullopt;
    }
    if (!made && !given.value.given()) {
      reader_.at(path_, "lacks `value`");
      return std::nullopt;
    }
    const bool gauss = given.data == SideDataChoice::gauss;
    if (gauss && given.slope.given()) {
      reader_.at(path_ + ".slope", "is not used with data: gauss; leave it out");
      return std::nullopt;
    }
    const auto value = made ? manufactured(exact) : reader_.parse(given.value);
    const auto slope = given.slope.given() ? reader_.parse(given.slope) : std::nullopt;
    if (!value || (given.slope.given() && !slope) || options_.block.unread) return std::nullopt;
    return data(*value, slope, gauss);
  }

 private:
  // alpha u + beta du/dn of the exact solution.
  std::optional<Expression> manufactured(const std::optional<Expression>& exact) const {
    if (!exact) return std::nullopt;
    const EndCondition& end = across_.condition(side_ % 2 == 0 ? End::low : End::high);
    const double outward = side_ % 2 == 0 ? -end.beta : end.beta;
    if (end.dirichlet()) return end.alpha * *exact;
    return end.alpha * *exact + outward * derivative(*exact, side_ < 2 ? 0 : 1);
  }

  std::optional<SideData> data(const Expression& value, const std::optional<Expression>& slope, bool gauss) {
    const bool x_side = side_ < 2;
    const double at = side_ % 2 == 0 ? across_.nodes().front() : across_.nodes().back();
    const std::string path = options_.manufactured() ? "verify.exact" : path_ + ".value";
    const auto at_nodes = along(value, x_side, at, along_.nodes()), at_gauss = along(value, x_side, at, along_.gauss());
    if (!finite(at_nodes, along_.nodes(), path, reader_) || !finite(at_gauss, along_.gauss(), path, reader_))
      return std::nullopt;
    std::vector<double> slopes;
    if (slope) {
      slopes = along(*slope, x_side, at, along_.nodes());
      if (!finite(slopes, along_.nodes(), path_ + ".slope", reader_)) return std::nullopt;
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= along_.scale(static_cast<Index>(i));
    } else {
      slopes = along_.scaled_slopes(at_nodes, at_gauss);
    }
    SideData made;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      made.push_back(at_nodes[i]);
      made.push_back(slopes[i]);
    }
    return gauss ? through_gauss_points(made, at_gauss) : made;
  }

  // In the corners: what the interpolated data give to the conditions of the sides that meet there.
  SideData through_gauss_points(const SideData& interpolated, const std::vector<double>& at_gauss) const {
    const auto low = along_.functional(End::low), high = along_.functional(End::high);
    const std::size_t last = interpolated.size() - 2;
    return spline_through(along_, at_gauss,
                          {low[0] * interpolated[0] + low[1] * interpolated[1],
                           high[0] * interpolated[last] + high[1] * interpolated[last + 1]});
  }

  const CollocationOptions& options_;
  FormulaReader& reader_;
  std::size_t side_;
  std::string path_;
  const Axis &along_, &across_;
};

}  // namespace

std::optional<std::array<EndCondition, 4>> read_conditions(const CollocationOptions& options, FormulaReader& reader) {
  std::array<EndCondition, 4> conditions;
  bool complete = true, rest_read = false;
  for (std::size_t side = 0; side < 4; ++side) {
    const SideOptions* given = options.block.sides.of(side);
    if (given == nullptr) {
      reader.at("collocation.sides", std::string("gives neither ") + side_names[side] + " nor rest");
      complete = false;
      continue;
    }
    // `rest` reports its faults once.
    const bool rest = !options.block.sides.sides[side].given;
    if (rest && rest_read && !complete) continue;
    rest_read = rest_read || rest;
    const auto one = condition_of(*given, path_of(options, side), options.block.solver.allow_indefinite, reader);
    complete = complete && one.has_value();
    if (one) conditions[side] = *one;
  }
  if (!complete) return std::nullopt;
  return conditions;
}

std::optional<Boundary> read_boundary(const CollocationOptions& options, FormulaReader& reader, const Axis& x,
                                      const Axis& y, const std::optional<Expression>& exact) {
  std::array<SideData, 4> sides;
  bool complete = true;
  for (std::size_t side = 0; side < 4; ++side) {
    auto data = SideReader(options, reader, side, x, y).read(exact);
    complete = complete && data.has_value();
    if (data) sides[side] = std::move(*data);
  }
  if (!complete) return std::nullopt;
  const bool mean = options.block.sides.corners == CornerChoice::mean;
  Boundary boundary(std::move(sides), x, y, mean);
  if (!mean && boundary.corner_gap() > 1e-8 * boundary.largest()) {
    reader.at("collocation.sides",
              "two sides differ by " + brief_text(boundary.corner_gap()) +
                  " in the corner they share; their values must agree there, or corners: mean takes the mean");
    return std::nullopt;
  }
  return boundary;
}

}  // namespace halocline::collocation
