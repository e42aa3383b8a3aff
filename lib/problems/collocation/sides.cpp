#include "lib/problems/collocation/sides.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/base/format.hpp"

namespace halocline::collocation {

namespace {

// What a piece gives at a node: the condition, its right-hand side and the derivative of that along the side, times the
// local length.
struct Given {
  NodeCondition condition;
  double value = 0, slope = 0;
};

// All of it times the power of two that brings the factor of u where u is given, else of du/dn, to about 1.
Given near_one(Given given) {
  NodeCondition& c = given.condition;
  int exponent = 0;
  std::frexp(c.gives_u() ? c.alpha : c.beta, &exponent);
  for (double* part : {&c.alpha, &c.beta, &c.alpha_slope, &c.beta_slope, &given.value, &given.slope})
    *part = std::ldexp(*part, -exponent);
  return given;
}

// The same condition with a factor 1 of u where u is given, else of du/dn; `s`: the local length.
Given normalized(const Given& as_given, double s) {
  const Given given = near_one(as_given);  // squares of extreme factors would leave the range
  const NodeCondition& c = given.condition;
  const double p = c.gives_u() ? c.alpha : c.beta, p_slope = c.gives_u() ? c.alpha_slope : c.beta_slope;
  const auto slope = [&](double q, double q_slope) { return (q_slope * p - q * p_slope) / (p * p); };
  return {{c.alpha / p, c.beta / p, slope(c.alpha, c.alpha_slope), slope(c.beta, c.beta_slope)},
          given.value / p,
          s * slope(given.value, given.slope / s)};
}

// At the node where two pieces meet: what gives u, else the mean of both, so that what is wrong on one side of the node
// is as wrong the other way on the other side.
Given where_pieces_meet(Given low, Given high, double s) {
  if (low.condition.gives_u() != high.condition.gives_u()) return low.condition.gives_u() ? low : high;
  if (!(low.condition == high.condition)) low = normalized(low, s), high = normalized(high, s);
  const auto mean = [&](double NodeCondition::*of) { return 0.5 * (low.condition.*of + high.condition.*of); };
  return {{mean(&NodeCondition::alpha), mean(&NodeCondition::beta), mean(&NodeCondition::alpha_slope),
           mean(&NodeCondition::beta_slope)},
          0.5 * (low.value + high.value),
          0.5 * (low.slope + high.slope)};
}

// Reads what one piece of a side gives.
class PieceData {
 public:
  PieceData(const CollocationOptions& options, FormulaReader& reader, std::size_t side, const Piece& piece,
            const Axis& x, const Axis& y)
      : options_(options),
        reader_(reader),
        side_(side),
        piece_(piece),
        along_(side < 2 ? y : x),
        across_(side < 2 ? x : y),
        nodes_(along_.nodes().begin() + piece.begin, along_.nodes().begin() + piece.end + 1),
        gauss_(along_.gauss().begin() + 2 * piece.begin, along_.gauss().begin() + 2 * piece.end) {}

  // Of the nodes of the piece. `gauss`: whether data may be given at Gauss points.
  std::optional<std::vector<Given>> read(const std::optional<Expression>& exact, bool gauss) {
    const PieceOptions& given = *piece_.options;
    const bool made = options_.manufactured(), at_gauss = given.data == SideDataChoice::gauss;
    if (made && (given.value.given() || given.slope.given()))
      return fault(piece_.path, "value and slope follow from verify.exact when f is manufactured; leave them out");
    if (!made && !given.value.given()) return fault(piece_.path, "lacks `value`");
    if (at_gauss && given.slope.given())
      return fault(piece_.path + ".slope", "is not used with data: gauss; leave it out");
    if (at_gauss && along_.periodic())
      return fault(piece_.path + ".data", "gauss: needs a side with ends; it runs along a periodic axis");
    if (at_gauss && !gauss)
      return fault(piece_.path + ".data", "gauss: needs sides in one piece, with constant alpha and beta");
    const auto value = made ? manufactured(exact) : reader_.parse(given.value);
    const auto slope = given.slope.given() ? reader_.parse(given.slope) : std::nullopt;
    if (!value || (given.slope.given() && !slope) || options_.block.unread) return std::nullopt;
    const auto data = data_of(*value, slope, at_gauss);
    std::vector<Given> all(nodes_.size());
    if (!data || !set_conditions(all)) return std::nullopt;
    for (std::size_t k = 0; k < all.size(); ++k) all[k].value = (*data)[2 * k], all[k].slope = (*data)[2 * k + 1];
    return all;
  }

 private:
  std::nullopt_t fault(const std::string& path, const std::string& message) {
    reader_.at(path, message);
    return std::nullopt;
  }

  double side_at() const { return side_ % 2 == 0 ? across_.nodes().front() : across_.nodes().back(); }
  std::vector<double> values(const Expression& e, const std::vector<double>& points) const {
    return values_along(e, side_ < 2, side_at(), points);
  }

  bool finite(const std::vector<double>& given, const std::vector<double>& points, const std::string& path,
              const char* fault = "is not finite") {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!std::isfinite(given[i])) {
        reader_.at(path, std::string(fault) + " at " + brief_text(points[i]) + " along the side");
        return false;
      }
    return true;
  }

  // alpha u + beta du/dn of the exact solution.
  std::optional<Expression> manufactured(const std::optional<Expression>& exact) const {
    if (!exact) return std::nullopt;
    if (piece_.beta.is_constant() && piece_.beta.value() == 0) return piece_.alpha * *exact;
    const Expression outward = side_ % 2 == 0 ? -piece_.beta : piece_.beta;
    return piece_.alpha * *exact + outward * derivative(*exact, side_ < 2 ? 0 : 1);
  }

  bool set_conditions(std::vector<Given>& all) {
    const auto set = [&](const Expression& factor, const char* key, double NodeCondition::*value,
                         double NodeCondition::*slope) {
      Expression along;
      try {
        along = derivative(factor, side_ < 2 ? 1 : 0);
      } catch (const DeckError& error) {  // a name of `data` that has no derivative
        reader_.at(piece_.path + key, error.what());
        return false;
      }
      const auto at_nodes = values(factor, nodes_), slopes = values(along, nodes_);
      for (std::size_t k = 0; k < all.size(); ++k) {
        all[k].condition.*value = at_nodes[k];
        all[k].condition.*slope = slopes[k];
      }
      return finite(slopes, nodes_, piece_.path + key, "has no finite derivative");
    };
    return set(piece_.alpha, ".alpha", &NodeCondition::alpha, &NodeCondition::alpha_slope) &&
           set(piece_.beta, ".beta", &NodeCondition::beta, &NodeCondition::beta_slope);
  }

  std::optional<SideData> data_of(const Expression& value, const std::optional<Expression>& slope, bool gauss) {
    const std::string path = options_.manufactured() ? "verify.exact" : piece_.path + ".value";
    const auto at_nodes = values(value, nodes_), at_gauss = values(value, gauss_);
    if (!finite(at_nodes, nodes_, path) || !finite(at_gauss, gauss_, path)) return std::nullopt;
    std::vector<double> slopes;
    if (slope) {
      slopes = values(*slope, nodes_);
      if (!finite(slopes, nodes_, piece_.path + ".slope")) return std::nullopt;
      for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= along_.scale(piece_.begin + static_cast<Index>(i));
    } else {
      slopes = along_.scaled_slopes(at_nodes, at_gauss, piece_.begin);
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
  const Piece& piece_;
  const Axis &along_, &across_;
  std::vector<double> nodes_, gauss_;  // of the piece
};

// Where pieces of a side that give u meet, they may differ.
struct Gap {
  double size = 0, at = 0;
};

// Puts the pieces of a side together.
std::vector<Given> joined(const Pieces& pieces, const std::vector<std::vector<Given>>& parts, const Axis& along,
                          Gap& gap) {
  std::vector<Given> all = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Given &low = all.back(), &high = parts[k].front();
    const double s = along.scale(pieces[k].begin);
    if (low.condition.gives_u() && high.condition.gives_u()) {
      const double jump = std::abs(low.value / low.condition.alpha - high.value / high.condition.alpha);
      if (jump > gap.size) gap = {jump, along.nodes()[pieces[k].begin]};
    }
    all.back() = where_pieces_meet(low, high, s);
    all.insert(all.end(), parts[k].begin() + 1, parts[k].end());
  }
  return all;
}

// Along a periodic axis a side ends where it begins, as pieces meet.
void join_ends(std::vector<Given>& all, const Axis& along, Gap& gap) {
  const Given &low = all.back(), &high = all.front();
  if (low.condition.gives_u() && high.condition.gives_u()) {
    const double jump = std::abs(low.value / low.condition.alpha - high.value / high.condition.alpha);
    if (jump > gap.size) gap = {jump, along.nodes().front()};
  }
  all.front() = all.back() = where_pieces_meet(low, high, along.scale(0));
}

// Whether the equations of all nodes on sides determine what they are to determine.
bool determined(const SideConditions& conditions, FormulaReader& reader, const Axis& x, const Axis& y) {
  const auto weak = weak_node(conditions, x, y);
  if (!weak) return true;
  const std::string sides = "collocation.sides", name = side_names[weak->side];
  if (weak->corner) {
    reader.at(sides, std::string("in the corner of ") + side_names[weak->i == 0 ? 0 : 1] + " and " +
                         side_names[weak->j == 0 ? 2 : 3] +
                         " beta of both is 0, with slopes so that both conditions say the same about u_x and u_y, and "
                         "the solution is not determined there; give u on one of the two (kind dirichlet), or change "
                         "the slope of a beta");
  } else {
    const bool x_side = weak->side < 2;
    reader.at(sides + "." + name, "alpha and beta must not both be 0, or nearly so, at " +
                                      brief_text(x_side ? y.nodes()[weak->j] : x.nodes()[weak->i]) + " along the side");
  }
  return false;
}

}  // namespace

std::optional<Boundary> read_boundary(const CollocationOptions& options, FormulaReader& reader, const Axis& x,
                                      const Axis& y, const std::array<Pieces, 4>& pieces,
                                      const std::optional<Expression>& exact) {
  const bool vary = !std::all_of(pieces.begin(), pieces.end(), of_one_condition);
  std::array<SideData, 4> sides;
  auto conditions = std::make_shared<SideConditions>();
  std::array<Gap, 4> gaps;
  bool complete = true, rest_failed = false;
  for (std::size_t side = 0; side < 4; ++side) {
    const bool rest = !options.block.sides.sides[side].given;
    if (rest && rest_failed) continue;  // `rest` reports its faults once
    std::vector<std::vector<Given>> parts;
    for (const Piece& piece : pieces[side]) {
      auto part = PieceData(options, reader, side, piece, x, y).read(exact, !vary && pieces[side].size() == 1);
      if (part) parts.push_back(std::move(*part));
    }
    const bool failed = parts.size() != pieces[side].size();
    rest_failed = rest_failed || (rest && failed);
    complete = complete && !failed;
    if (!complete) continue;
    const Axis& along = side < 2 ? y : x;
    if (parts.empty()) {  // periodic
      sides[side].assign(2 * along.nodes().size(), 0);
      continue;
    }
    std::vector<Given> all = joined(pieces[side], parts, along, gaps[side]);
    if (along.periodic()) join_ends(all, along, gaps[side]);
    for (const Given& given : all) {
      sides[side].insert(sides[side].end(), {given.value, given.slope});
      conditions->sides[side].push_back(given.condition);
    }
  }
  if (!complete || (vary && !determined(*conditions, reader, x, y))) return std::nullopt;
  const bool mean = options.block.sides.corners == CornerChoice::mean;
  Boundary boundary(std::move(sides), x, y, mean, vary ? std::move(conditions) : nullptr);
  const double tolerance = 1e-8 * boundary.largest();
  if (!mean && boundary.corner_gap() > tolerance) {
    reader.at("collocation.sides",
              "two sides differ by " + brief_text(boundary.corner_gap()) +
                  " in the corner they share; their values must agree there, or corners: mean takes the mean");
    return std::nullopt;
  }
  for (std::size_t side = 0; side < 4; ++side)
    if (!mean && gaps[side].size > tolerance) {
      reader.at(
          std::string("collocation.sides.") + side_names[side],
          "two pieces differ by " + brief_text(gaps[side].size) + " at " + brief_text(gaps[side].at) +
              ", where they meet; their values must agree there, or corners: mean takes the mean" +
              ((side < 2 ? y : x).periodic() ? " (the other axis is periodic, so that a side ends where it begins)"
                                             : ""));
      return std::nullopt;
    }
  return boundary;
}

}  // namespace halocline::collocation
