#include "lib/problems/collocation/axes/side_conditions.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/problems/collocation/axes/coarse_conditions.hpp"
#include "lib/problems/collocation/axes/side_layout.hpp"

namespace halocline::collocation {

namespace {

using Four = std::array<double, 4>;

double dot(const Four& a, const Four& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

// A linear function of a node's unknowns and its value.
struct Equation {
  Four on{};
  double value = 0;
  double length() const { return std::sqrt(dot(on, on)); }
  void scale(int exponent) {  // by a power of two
    for (double& factor : on) factor = std::ldexp(factor, exponent);
    value = std::ldexp(value, exponent);
  }
  void add(double factor, const Equation& other) {
    for (std::size_t c = 0; c < 4; ++c) on[c] += factor * other.on[c];
    value += factor * other.value;
  }
};

// Equations of length 1, orthogonal to each other.
class Fixed {
 public:
  // What an equation says beside these. Twice, for rounding.
  Equation beside(Equation e) const {
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < count_; ++k) e.add(-dot(e.on, equations_[k].on), equations_[k]);
    return e;
  }
  void add(const Equation& given) {
    Equation e = beside(given);
    const double length = e.length();
    require(length > 0, "side_node: conditions that say the same");
    for (double& value : e.on) value /= length;
    e.value /= length;
    equations_[count_++] = e;
  }

  SideNode node() const {
    SideNode made;
    for (int k = 0; k < count_; ++k)
      for (std::size_t c = 0; c < 4; ++c) made.lifting[c] += equations_[k].value * equations_[k].on[c];
    Fixed all = *this;
    while (all.count_ < 4) {
      Equation longest;
      for (std::size_t c = 0; c < 4; ++c) {
        Equation unit;
        unit.on[c] = 1;
        unit = all.beside(unit);
        if (unit.length() > longest.length()) longest = unit;
      }
      all.add(longest);
      made.tangents[all.count_ - count_ - 1] = all.equations_[all.count_ - 1].on;
    }
    return made;
  }

 private:
  std::array<Equation, 4> equations_;
  int count_ = 0;
};

// Node (i, j) as the sides see it.
class Corner {
 public:
  Corner(const SideConditions& conditions, const std::array<std::vector<double>, 4>* data, const Axis& x, const Axis& y,
         Index i, Index j)
      : conditions_(conditions), data_(data), x_(x), y_(y), i_(i), j_(j) {}

  // On a side: the condition and its derivative along the side, times the local length; both times a power of two, so
  // that squares of extreme factors stay in range.
  std::array<Equation, 2> equations(std::size_t side) const {
    const NodeCondition& given = condition(side);
    const bool x_side = side < 2;
    const double across = x_side ? x_.scale(i_) : y_.scale(j_), along = x_side ? y_.scale(j_) : x_.scale(i_);
    const double outward = (side % 2 == 0 ? -1 : 1) / across;
    const std::size_t normal = x_side ? 1 : 2, tangential = x_side ? 2 : 1;
    std::array<Equation, 2> made;
    made[0].on[0] = given.alpha;
    made[0].on[normal] = outward * given.beta;
    made[1].on[0] = along * given.alpha_slope;
    made[1].on[normal] = outward * along * given.beta_slope;
    made[1].on[tangential] = given.alpha;
    made[1].on[3] = outward * given.beta;
    if (data_ != nullptr)
      for (std::size_t k = 0; k < 2; ++k)
        made[k].value = (*data_)[side][2 * static_cast<std::size_t>(x_side ? j_ : i_) + k];
    double largest = 0;
    for (const Equation& e : made)
      for (const double factor : e.on) largest = std::max(largest, std::abs(factor));
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (Equation& e : made) e.scale(-exponent);
    return made;
  }

  bool on_x() const { return !x_.periodic() && (i_ == 0 || i_ == x_.elements()); }
  bool on_y() const { return !y_.periodic() && (j_ == 0 || j_ == y_.elements()); }
  std::size_t x_side() const { return i_ == 0 ? 0 : 1; }
  std::size_t y_side() const { return j_ == 0 ? 2 : 3; }

  const NodeCondition& condition(std::size_t side) const {
    const std::vector<NodeCondition>& along = conditions_.sides[side];
    const Axis& axis = side < 2 ? y_ : x_;
    const Index step = static_cast<Index>(along.size() - 1) / axis.elements();
    return along[static_cast<std::size_t>(step * (side < 2 ? j_ : i_))];
  }

 private:
  const SideConditions& conditions_;
  const std::array<std::vector<double>, 4>* data_;
  const Axis &x_, &y_;
  Index i_, j_;
};

// Of two equations the combination of length 1 (as a combination) that is longest.
Equation longest_of(const std::array<Equation, 2>& pair) {
  const double a = dot(pair[0].on, pair[0].on), b = dot(pair[0].on, pair[1].on), c = dot(pair[1].on, pair[1].on);
  const double angle = std::atan2(2 * b, a - c) / 2;
  Equation sum;
  sum.add(std::cos(angle), pair[0]);
  sum.add(std::sin(angle), pair[1]);
  return sum;
}

// Of the sides that a node lies on, the equations of that one which holds as a whole and those of the other.
struct NodeEquations {
  explicit NodeEquations(const Corner& node) {
    require(node.on_x() || node.on_y(), "side_node: a node on a side");
    const bool both = node.on_x() && node.on_y();
    const bool y_first = !node.on_x() || (both && node.condition(node.y_side()).gives_u());
    side = y_first ? node.y_side() : node.x_side();
    first = node.equations(side);
    if (both) others = node.equations(y_first ? node.x_side() : node.y_side());
  }
  bool corner() const { return others.has_value(); }
  std::array<Equation, 2> beside(const Fixed& fixed) const {
    return {fixed.beside((*others)[0]), fixed.beside((*others)[1])};
  }

  std::size_t side;
  std::array<Equation, 2> first;
  std::optional<std::array<Equation, 2>> others;
};

// What the derivative of a condition along its side says beside the condition; less is rounding.
constexpr double least_of_side = 1e-12;
// What the other side of a corner says beside the whole of the one, for what it says beside its condition alone; less
// would enlarge errors of the data too much.
constexpr double least_of_corner = 1e-8;

}  // namespace

bool SideConditions::derivatives_only() const {
  return std::all_of(sides.begin(), sides.end(), [](const auto& side) {
    return std::all_of(side.begin(), side.end(), [](const NodeCondition& c) { return c.alpha == 0; });
  });
}

SideNode side_node(const SideConditions& conditions, const std::array<std::vector<double>, 4>* data, const Axis& x,
                   const Axis& y, Index i, Index j) {
  const NodeEquations node(Corner(conditions, data, x, y, i, j));
  Fixed fixed;
  for (const Equation& e : node.first) fixed.add(e);
  if (node.corner()) fixed.add(longest_of(node.beside(fixed)));
  return fixed.node();
}

namespace {

// Calls use(number, i, j) for every node on a side; along a periodic axis for that of both ends.
template <class Use>
void each_side_node(const Axis& x, const Axis& y, const Use& use) {
  const SideNodes nodes{x.elements(), y.elements()};
  for (const Index i : {Index{0}, nodes.nx})
    for (Index j = 0; j <= nodes.ny; ++j) {
      const bool on_y = !y.periodic() && (j == 0 || j == nodes.ny);
      if (!x.periodic() || on_y) use(nodes.number(i, j), i, j);
    }
  for (const Index j : {Index{0}, nodes.ny})
    for (Index i = 1; i < nodes.nx && !y.periodic(); ++i) use(nodes.number(i, j), i, j);
}

}  // namespace

std::optional<WeakNode> weak_node(const SideConditions& conditions, const Axis& x, const Axis& y) {
  std::optional<WeakNode> found;
  each_side_node(x, y, [&](Index, Index i, Index j) {
    const NodeEquations node(Corner(conditions, nullptr, x, y, i, j));
    Fixed fixed;
    fixed.add(node.first[0]);
    const Equation& along = node.first[1];
    if (!(fixed.beside(along).length() > least_of_side * along.length())) {
      found = {i, j, node.side, false};
      return;
    }
    if (!node.corner()) return;
    const auto beside_condition = node.beside(fixed);
    fixed.add(along);
    const double size = std::max(beside_condition[0].length(), beside_condition[1].length());
    if (!(longest_of(node.beside(fixed)).length() > least_of_corner * size)) found = {i, j, node.side, true};
  });
  return found;
}

std::vector<double> side_tangents(const SideConditions& given, const Axis& x, const Axis& y) {
  const SideConditions conditions = conditions_on_mesh(given, x, y);
  const SideNodes nodes{x.elements(), y.elements()};
  std::vector<double> table(static_cast<std::size_t>(8 * nodes.count()), 0.0);
  each_side_node(x, y, [&](Index number, Index i, Index j) {
    const SideNode node = side_node(conditions, nullptr, x, y, i, j);
    for (std::size_t k = 0; k < 8; ++k) table[static_cast<std::size_t>(8 * number) + k] = node.tangents[k / 4][k % 4];
  });
  return table;
}

std::vector<double> side_liftings(const SideConditions& conditions, const std::array<std::vector<double>, 4>& data,
                                  const Axis& x, const Axis& y) {
  const SideNodes nodes{x.elements(), y.elements()};
  std::vector<double> table(static_cast<std::size_t>(4 * nodes.count()), 0.0);
  each_side_node(x, y, [&](Index number, Index i, Index j) {
    const SideNode node = side_node(conditions, &data, x, y, i, j);
    for (std::size_t c = 0; c < 4; ++c) table[static_cast<std::size_t>(4 * number) + c] = node.lifting[c];
  });
  return table;
}

}  // namespace halocline::collocation
