#include "lib/problems/diffusion/walls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lib/base/format.hpp"

namespace halocline::diffusion {

namespace {

constexpr std::size_t most_pieces = 4096;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Reads the pieces of one side.
class SideReader {
 public:
  SideReader(const UniformGrid& g, int side, const Scope& scope, Faults& faults)
      : g_(g), axis_(side / 2), side_(side), scope_(scope), faults_(faults) {
    path_ = std::string("diffusion.walls.") + side_names[static_cast<std::size_t>(side)];
  }

  Side read(const ListOf<SegmentOptions>& pieces, const RestOptions& rest) {
    if (pieces.blocks.size() > most_pieces) {  // they are compared with each other, and looked for at every node
      faults_.at(path_, "has " + std::to_string(pieces.blocks.size()) + " pieces; at most " +
                            std::to_string(most_pieces) + " on a side");
      return std::move(made_);
    }
    for (const SegmentOptions& piece : pieces.blocks) {
      const std::string path = path_ + "[" + std::to_string(made_.segments.size()) + "]";
      Segment segment = condition(piece, path);
      for (int axis = 0; axis < 3; ++axis) place(piece, axis, path, segment);
      made_.segments.push_back(segment);
    }
    check_overlaps();
    if (!covered()) add_rest(rest);
    made_.periodic = false;
    for (const Segment& segment : made_.segments) made_.periodic |= segment.kind == SideKind::periodic;
    if (made_.periodic && !whole(made_.segments.front()))
      faults_.at(path_, "is periodic in part; a side is periodic as a whole or not at all");
    return std::move(made_);
  }

 private:
  bool along(int axis) const { return axis != axis_ && axis < g_.dimensions; }
  double tolerance(int axis) const { return 1e-9 * g_.spacing[axis]; }

  void place(const SegmentOptions& piece, int axis, const std::string& path, Segment& segment) {
    segment.from[axis] = -infinity;
    segment.to[axis] = infinity;
    if (!along(axis)) return check_foreign(piece, axis, path);
    const std::string name = axis_names[static_cast<std::size_t>(axis)];
    const bool unnamed = g_.dimensions == 3;
    for (const auto& [given, bound, key] :
         {std::tuple{&piece.from, &segment.from[axis], ".from"}, std::tuple{&piece.to, &segment.to[axis], ".to"}}) {
      if (!given->given()) continue;
      if (unnamed && given->entries.front().first.empty())
        return faults_.at(path + key, "must name its axes in 3D: {y: 0, z: 1}, say");
      const double value = given->of(name, *bound);
      if (value == *bound) continue;  // an axis that is not named
      if (value < g_.low(axis) - tolerance(axis) || value > g_.high(axis) + tolerance(axis))
        faults_.at(path + key, "lies outside the side: " + brief_text(value) + "; " + name + " runs from " +
                                   brief_text(g_.low(axis)) + " to " + brief_text(g_.high(axis)));
      // A piece that begins or ends with the side goes on beyond it.
      const bool at_end =
          std::abs(value - (bound == &segment.from[axis] ? g_.low(axis) : g_.high(axis))) <= tolerance(axis);
      if (!at_end) *bound = value;
    }
    if (!(segment.from[axis] < segment.to[axis])) faults_.at(path + ".to", "must be greater than `from`");
  }

  void check_foreign(const SegmentOptions& piece, int axis, const std::string& path) {
    for (const NamedNumbers* given : {&piece.from, &piece.to})
      for (const auto& [name, value] : given->entries)
        if (name == axis_names[static_cast<std::size_t>(axis)])
          faults_.at(path, "has a bound in " + name + ", which does not run along this side");
  }

  Segment condition(const SideCondition& given, const std::string& path) {
    Segment segment;
    segment.kind = given.kind;
    if (g_.layout == GridLayout::ringed && given.kind != SideKind::dirichlet && given.kind != SideKind::no_flux)
      faults_.at(path + ".kind", "layout hiperc has walls of kind dirichlet and no_flux only; use layout fv");
    check_condition(given, path, "this kind of wall", faults_);
    segment.transfer = std::max(given.transfer, 0.0);
    if (!wants_value(given.kind) || !given.value.given()) return segment;
    std::vector<FormulaFault> found;
    const auto expression = scope_.parse(given.value, moving_variables, found);
    for (const FormulaFault& fault : found) faults_.at(fault.place, fault.text());
    if (!expression) return segment;
    if (expression->is_constant() && !std::isfinite(expression->value())) faults_.at(path + ".value", "is not finite");
    segment.has_value = true;
    segment.value = Program({&*expression, 1}, static_cast<int>(variables.size()));
    made_.moving = made_.moving || segment.value.uses(3);
    return segment;
  }

  void check_overlaps() {
    for (std::size_t i = 0; i < made_.segments.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        bool apart = false;
        const Segment &a = made_.segments[i], &b = made_.segments[j];
        for (int axis = 0; axis < 3; ++axis)
          apart = apart || (along(axis) && (a.from[axis] >= b.to[axis] - tolerance(axis) ||
                                            b.from[axis] >= a.to[axis] - tolerance(axis)));
        if (!apart)
          faults_.at(path_ + "[" + std::to_string(i) + "]", "overlaps piece " + std::to_string(j) + " of this side");
      }
  }

  // By area, which is exact enough once pieces do not overlap.
  bool covered() const {
    double area = 0, whole_area = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (along(axis)) whole_area *= g_.high(axis) - g_.low(axis);
    for (const Segment& segment : made_.segments) {
      double product = 1;
      for (int axis = 0; axis < 3; ++axis)
        if (along(axis))
          product *= std::min(segment.to[axis], g_.high(axis)) - std::max(segment.from[axis], g_.low(axis));
      area += product;
    }
    return area >= whole_area * (1 - 1e-9);
  }

  static bool whole(const Segment& segment) {
    for (int axis = 0; axis < 3; ++axis)
      if (segment.from[axis] != -infinity || segment.to[axis] != infinity) return false;
    return true;
  }

  void add_rest(const RestOptions& rest) {
    if (!rest.given)
      return faults_.at("diffusion.walls", std::string("neither `rest` nor pieces say what holds on ") +
                                               (made_.segments.empty() ? "" : "all of ") +
                                               side_names[static_cast<std::size_t>(side_)]);
    Segment segment = condition(rest, "diffusion.walls.rest");
    for (int axis = 0; axis < 3; ++axis) {
      segment.from[axis] = -infinity;
      segment.to[axis] = infinity;
    }
    if (segment.kind == SideKind::periodic && !made_.segments.empty())
      faults_.at(path_, "is periodic in part; a side is periodic as a whole or not at all");
    made_.segments.push_back(segment);
  }

  const UniformGrid& g_;
  int axis_, side_;
  const Scope& scope_;
  Faults& faults_;
  std::string path_;
  Side made_;
};

}  // namespace

bool Segment::covers(int axis, const double (&at)[3], double tolerance) const {
  for (int other = 0; other < 3; ++other) {
    if (other == axis) continue;
    if (at[other] < from[other] - tolerance || at[other] >= to[other] - tolerance) return false;
  }
  return true;
}

std::size_t Side::at(int axis, const double (&position)[3], double tolerance) const {
  for (std::size_t n = 0; n < segments.size(); ++n)
    if (segments[n].covers(axis, position, tolerance)) return n;
  return segments.size() - 1;
}

Walls::Walls(const WallsOptions& options, const UniformGrid& geometry, const Scope& scope, Faults& faults)
    : geometry_(geometry) {
  for (int side = 0; side < 6; ++side) {
    const auto& pieces = options.sides[static_cast<std::size_t>(side)];
    if (side / 2 < geometry.dimensions) {
      sides_[static_cast<std::size_t>(side)] = SideReader(geometry, side, scope, faults).read(pieces, options.rest);
    } else if (pieces.size() > 0) {
      faults.at(std::string("diffusion.walls.") + side_names[static_cast<std::size_t>(side)],
                "is no side of a grid in 2D");
    }
  }
  for (int axis = 0; axis < geometry.dimensions; ++axis) {
    const bool low = side(axis, 0).periodic, high = side(axis, 1).periodic;
    if (low != high)
      faults.at(
          std::string("diffusion.walls.") + side_names[static_cast<std::size_t>(2 * axis + (low ? 1 : 0))],
          std::string("must be periodic as ") + side_names[static_cast<std::size_t>(2 * axis + (low ? 0 : 1))] + " is");
  }
}

bool Walls::moving() const {
  return std::any_of(sides_.begin(), sides_.end(), [](const Side& side) { return side.moving; });
}

bool Walls::has_flux() const {
  for (const Side& side : sides_)
    for (const Segment& segment : side.segments)
      if (segment.kind == SideKind::flux) return true;
  return false;
}

bool Walls::closed() const {
  for (const Side& side : sides_)
    for (const Segment& segment : side.segments)
      if (segment.kind != SideKind::no_flux && segment.kind != SideKind::periodic) return false;
  return true;
}

Walls::Positions Walls::positions(int axis, int which, const WallPatch& patch) const {
  const SideAxes axes = axes_of_side(axis);
  const auto count = static_cast<std::size_t>(patch.count());
  const double across = geometry_.layout == GridLayout::ringed
                            ? geometry_.coordinate(axis, which == 0 ? 0 : geometry_.extent[axis] - 1)
                            : (which == 0 ? geometry_.low(axis) : geometry_.high(axis));
  Positions p;
  for (int a = 0; a < 3; ++a) p.at[a].assign(count, a == axis ? across : 0.0), p.inside[a] = p.at[a];
  const auto locate = [&](std::size_t n, int a, Index i) {
    if (a >= geometry_.dimensions) return;
    const Index cells = geometry_.extent[a];
    const Index place = periodic(a) ? (i % cells + cells) % cells : i;
    p.at[a][n] = geometry_.coordinate(a, place);
    p.inside[a][n] = geometry_.coordinate(a, std::clamp<Index>(place, 0, cells - 1));
  };
  std::size_t n = 0;
  for (Index s = patch.slow_from; s < patch.slow_to; ++s)
    for (Index f = patch.fast_from; f < patch.fast_to; ++f, ++n) {
      locate(n, axes.slow, s);
      locate(n, axes.fast, f);
    }
  const double tolerance = 1e-9 * geometry_.least_spacing();
  const Side& own = side(axis, which);
  std::size_t near = 0;  // pieces do not overlap; the last one may be the rest, which covers all
  p.piece.reserve(count);
  for (n = 0; n < count; ++n) {
    const double place[3] = {p.inside[0][n], p.inside[1][n], p.inside[2][n]};
    if (near + 1 >= own.segments.size() || !own.segments[near].covers(axis, place, tolerance))
      near = own.at(axis, place, tolerance);
    p.piece.push_back(near);
  }
  return p;
}

// The value given at every position (0 where none is).
std::vector<double> Walls::given(const Side& side, const Positions& p, double t) const {
  const std::size_t count = p.piece.size();
  std::vector<double> g(count, 0), values(count), clamped;
  std::vector<char> present(side.segments.size(), 0);
  for (const std::size_t piece : p.piece) present[piece] = 1;
  for (std::size_t number = 0; number < side.segments.size(); ++number) {
    const Segment& segment = side.segments[number];
    if (!segment.has_value || present[number] == 0) continue;
    const auto evaluate_at = [&](const std::vector<double>(&at)[3], std::vector<double>& results) {
      const double zero = 0;
      const std::span<const double> inputs[5] = {at[0], at[1], at[2], {&t, 1}, {&zero, 1}};
      const std::span<double> spans[1] = {results};
      evaluate(segment.value, inputs, spans);
    };
    evaluate_at(p.at, values);  // beyond the ends of the side too, for masks with corners
    bool finite = true;
    for (const double value : values) finite = finite && std::isfinite(value);
    clamped.resize(finite ? 0 : count);
    if (!finite) evaluate_at(p.inside, clamped);
    for (std::size_t n = 0; n < count; ++n)
      if (p.piece[n] == number) g[n] = std::isfinite(values[n]) ? values[n] : clamped[n];
  }
  return g;
}

bool Walls::finite(int axis, int which, const Positions& positions, double t) const {
  const std::vector<double> g = given(side(axis, which), positions, t);
  return std::all_of(g.begin(), g.end(), [](double value) { return std::isfinite(value); });
}

Walls::Values Walls::values(int axis, int which, const Positions& positions, int rings, double t) const {
  const bool hiperc = geometry_.layout == GridLayout::ringed;
  const Side& own = side(axis, which);
  const std::size_t count = positions.piece.size();
  const std::vector<double> g = given(own, positions, t);
  Values v{std::vector<double>(count * static_cast<std::size_t>(rings), 1),
           std::vector<double>(count * static_cast<std::size_t>(rings), 0),
           std::vector<double>(hiperc ? count : 0, std::nan(""))};
  for (std::size_t n = 0; n < count; ++n) {
    const Segment& segment = own.segments[positions.piece[n]];
    if (hiperc) {
      if (segment.kind == SideKind::dirichlet) v.fixed[n] = g[n];
      continue;
    }
    for (int k = 0; k < rings; ++k) {
      const std::size_t place = static_cast<std::size_t>(k) * count + n;
      const double distance = (2 * k + 1) * geometry_.spacing[axis], product = segment.transfer * distance;
      if (segment.kind == SideKind::dirichlet) {
        v.alpha[place] = -1;
        v.beta[place] = 2 * g[n];
      } else if (segment.kind == SideKind::neumann) {
        v.beta[place] = distance * g[n];
      } else if (segment.kind == SideKind::flux) {
        v.beta[place] = distance * g[n] / diffusivity_[static_cast<std::size_t>(axis)];
      } else if (segment.kind == SideKind::robin) {
        v.alpha[place] = (2 - product) / (2 + product);
        v.beta[place] = 2 * product * g[n] / (2 + product);
      }
    }
  }
  return v;
}

}  // namespace halocline::diffusion
