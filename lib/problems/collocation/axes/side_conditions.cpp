#include "lib/problems/collocation/axes/side_conditions.hpp"

#include <cmath>

#include "lib/base/error.hpp"
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

  // On a side: the condition and its derivative along the side, times the local length.
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
    return made;
  }

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

}  // namespace

SideNode side_node(const SideConditions& conditions, const std::array<std::vector<double>, 4>* data, const Axis& x,
                   const Axis& y, Index i, Index j) {
  const Corner node(conditions, data, x, y, i, j);
  const bool on_x = i == 0 || i == x.elements(), on_y = j == 0 || j == y.elements();
  require(on_x || on_y, "side_node: a node on a side");
  const std::size_t x_side = i == 0 ? 0 : 1, y_side = j == 0 ? 2 : 3;
  const bool y_first = !on_x || (on_y && node.condition(y_side).gives_u());
  Fixed fixed;
  for (const Equation& e : node.equations(y_first ? y_side : x_side)) fixed.add(e);
  if (on_x && on_y) {
    std::array<Equation, 2> others = node.equations(y_first ? x_side : y_side);
    for (Equation& e : others) e = fixed.beside(e);
    fixed.add(longest_of(others));
  }
  return fixed.node();
}

namespace {

// Calls use(number, i, j) for every node on a side.
template <class Use>
void each_side_node(const SideNodes& nodes, const Use& use) {
  for (const Index i : {Index{0}, nodes.nx})
    for (Index j = 0; j <= nodes.ny; ++j) use(nodes.number(i, j), i, j);
  for (const Index j : {Index{0}, nodes.ny})
    for (Index i = 1; i < nodes.nx; ++i) use(nodes.number(i, j), i, j);
}

}  // namespace

std::vector<double> side_tangents(const SideConditions& conditions, const Axis& x, const Axis& y) {
  const SideNodes nodes{x.elements(), y.elements()};
  std::vector<double> table(static_cast<std::size_t>(8 * nodes.count()), 0.0);
  each_side_node(nodes, [&](Index number, Index i, Index j) {
    const SideNode node = side_node(conditions, nullptr, x, y, i, j);
    for (std::size_t k = 0; k < 8; ++k) table[static_cast<std::size_t>(8 * number) + k] = node.tangents[k / 4][k % 4];
  });
  return table;
}

std::vector<double> side_liftings(const SideConditions& conditions, const std::array<std::vector<double>, 4>& data,
                                  const Axis& x, const Axis& y) {
  const SideNodes nodes{x.elements(), y.elements()};
  std::vector<double> table(static_cast<std::size_t>(4 * nodes.count()), 0.0);
  each_side_node(nodes, [&](Index number, Index i, Index j) {
    const SideNode node = side_node(conditions, &data, x, y, i, j);
    for (std::size_t c = 0; c < 4; ++c) table[static_cast<std::size_t>(4 * number) + c] = node.lifting[c];
  });
  return table;
}

}  // namespace halocline::collocation
