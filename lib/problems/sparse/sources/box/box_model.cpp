#include "lib/problems/sparse/sources/box/box_model.hpp"

#include <cmath>

#include "lib/base/format.hpp"

namespace halocline::sparse {

namespace {

constexpr int t_variable = 3;
const std::string box_path = "sparse.matrix.box.";

class Builder {
 public:
  Builder(const BoxOptions& options, const std::optional<Expression>& exact, FormulaReader& reader)
      : options_(options), exact_(exact), reader_(reader) {}

  std::optional<BoxModel> build() {
    const int before = reader_.count();
    make_layout();
    m_.stencil = options_.stencil;
    if (m_.stencil == Stencil::hpcg)
      check_hpcg();
    else if (reader_.count() == before)
      make_terms();
    return reader_.count() == before ? std::optional(m_) : std::nullopt;
  }

 private:
  void fault(const std::string& key, const std::string& message) { reader_.at(box_path + key, message); }

  void make_layout() {
    const BoxGridOptions& g = options_.grid;
    BoxLayout& l = m_.layout;
    if (g.cells.empty() == g.points.empty())
      return fault("grid", g.cells.empty() ? "lacks `cells` or `points`" : "has cells and points; give one of them");
    l.points = g.cells.empty();
    const char* key = l.points ? "grid.points" : "grid.cells";
    const std::vector<double>& counts = l.points ? g.points : g.cells;
    if (counts.size() != 2 && counts.size() != 3)
      return fault(key, "has " + std::to_string(counts.size()) + " numbers; expected 2 (2D) or 3 (3D)");
    l.dimensions = static_cast<int>(counts.size());
    if (g.size.empty() && options_.stencil != Stencil::hpcg) return fault("grid", "lacks `size`");
    for (const auto& [list, name] : {std::pair{&g.size, "grid.size"}, std::pair{&g.origin, "grid.origin"}})
      if (!list->empty() && list->size() != counts.size())
        return fault(name, "has " + std::to_string(list->size()) + " numbers; expected " +
                               std::to_string(counts.size()) + ", one for each axis of " + key);
    double rows = 1;
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
      if (counts[axis] != std::floor(counts[axis]))
        return fault(std::string(key) + "[" + std::to_string(axis) + "]", "must be a whole number");
      l.n[axis] = static_cast<Index>(counts[axis]);
      const double steps = counts[axis] + (l.points ? 1 : 0);
      l.size[axis] = g.size.empty() ? steps : g.size[axis];
      l.spacing[axis] = l.size[axis] / steps;
      l.origin[axis] = g.origin.empty() ? 0 : g.origin[axis];
      rows *= counts[axis];
    }
    if (rows > 1e13) fault(key, "gives more than 1e13 unknowns");
  }

  void check_hpcg() {
    if (!m_.layout.points) fault("stencil", "hpcg has unknowns on points; give grid.points instead of grid.cells");
    const auto refuse = [this](bool given, const char* key) {
      if (given) fault(key, "means nothing with stencil hpcg, whose entries are 26 and -1; leave it out");
    };
    refuse(options_.k.given(), "k");
    refuse(options_.anisotropy.given(), "anisotropy");
    refuse(!options_.velocity.empty(), "velocity");
    refuse(options_.reaction.given(), "reaction");
    refuse(options_.source.given(), "source");
    refuse(options_.random.given, "random");
    for (std::size_t side = 0; side < 7; ++side) {
      if (!options_.sides.sides[side].given) continue;
      return fault("sides", "mean nothing with stencil hpcg, which has entries inside alone; leave them out");
    }
  }

  Coefficient read(const Formula& formula, const char* key, double otherwise) {
    Coefficient made{otherwise, box_path + key, formula.place};
    if (!formula.given()) return made;
    if (const auto expression = reader_.parse(formula)) made.expression = *expression;
    return made;
  }

  void make_terms() {
    if (!options_.k.given()) fault("k", "missing");
    m_.k = read(options_.k, "k", 1);
    m_.reaction = read(options_.reaction, "reaction", 0);
    for (std::size_t axis = 0; axis < 3; ++axis) m_.anisotropy[axis] = options_.anisotropy.of(axis_names[axis], 1);
    for (const auto& [name, factor] : options_.anisotropy.entries)
      if (m_.layout.dimensions == 2 && name == axis_names[2]) fault("anisotropy", "names z; the grid is in 2D");
    make_velocity();
    make_random();
    if (options_.manufactured())
      manufacture();
    else
      m_.source = read(options_.source, "source", 0);
    for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(m_.layout.dimensions); ++side) make_side(side);
    for (std::size_t side = 2 * static_cast<std::size_t>(m_.layout.dimensions); side < 6; ++side)
      if (options_.sides.sides[side].given)
        fault(std::string("sides.") + side_names[side], "is no side of a box in 2D");
  }

  void make_velocity() {
    if (options_.velocity.empty()) return;
    m_.convection = true;
    const auto expected = static_cast<std::size_t>(m_.layout.dimensions);
    if (options_.velocity.size() != expected || !options_.velocity.front().name.empty())
      return fault("velocity", "must be a list of " + std::to_string(expected) + " formulas, one for each axis");
    for (std::size_t axis = 0; axis < expected; ++axis)
      m_.velocity[axis] = read(options_.velocity[axis].formula, "velocity", 0);
  }

  void make_random() {
    const RandomOptions& given = options_.random;
    if (!given.given) return;
    const bool jump = given.kind == RandomKind::jump;
    if (jump && given.block == 0) fault("random", "lacks `block`, which kind jump needs");
    if (!jump && given.block != 0) fault("random.block", "means nothing for kind lognormal, which varies by cells");
    m_.random = {jump ? RandomField::Kind::jump : RandomField::Kind::lognormal, given.decades,
                 std::pow(10.0, given.decades), std::max<Index>(1, given.block),
                 static_cast<std::uint64_t>(given.seed)};
  }

  Expression flux(int axis) const { return m_.anisotropy[axis] * m_.k.expression * derivative(*exact_, axis); }

  void manufacture() {
    if (options_.random.given)
      fault("source", "manufactured needs derivatives of k, which `random` does not have; give a formula");
    if (!exact_) return fault("source", "manufactured needs the exact solution in verify.exact");
    Expression q = m_.reaction.expression * *exact_;
    for (int axis = 0; axis < m_.layout.dimensions; ++axis) {
      q = q - derivative(flux(axis), axis);
      if (m_.convection) q = q + m_.velocity[static_cast<std::size_t>(axis)].expression * derivative(*exact_, axis);
    }
    m_.source = {q, "verify.exact", {}};
  }

  void make_side(std::size_t side) {
    const BoxSideOptions* given = options_.sides.of(side);
    const std::string own = std::string("sides.") + side_names[side];
    if (given == nullptr) return fault("sides", std::string("give no condition for ") + side_names[side]);
    const std::string key = options_.sides.sides[side].given ? own : "sides.rest";
    BoxModel::Side& made = m_.sides[side];
    made.kind = given->kind;
    if (made.kind == SideKind::neumann && m_.layout.points)
      return fault(key + ".kind", "neumann needs cells, whose faces lie on walls; points have walls one spacing away");
    if (!options_.manufactured()) {
      if (!given->value.given()) return fault(key, "lacks `value`");
      made.value = read(given->value, (key + ".value").c_str(), 0);
      return;
    }
    if (given->value.given())
      return fault(key + ".value", "follows from verify.exact when the source is manufactured; leave it out");
    if (!exact_) return;
    const int axis = static_cast<int>(side / 2);
    const Expression outward = side % 2 == 0 ? -flux(axis) : flux(axis);
    made.value = {made.kind == SideKind::dirichlet ? *exact_ : outward, "verify.exact", {}};
  }

  const BoxOptions& options_;
  const std::optional<Expression>& exact_;
  FormulaReader& reader_;
  BoxModel m_;
};

}  // namespace

bool BoxModel::matrix_depends_on_time() const {
  const auto moves = [](const Coefficient& c) { return c.expression.depends_on(t_variable); };
  for (const Coefficient& v : velocity)
    if (convection && moves(v)) return true;
  return moves(k) || moves(reaction);
}

bool BoxModel::depends_on_time() const {
  for (const Side& side : sides)
    if (side.value.expression.depends_on(t_variable)) return true;
  return matrix_depends_on_time() || source.expression.depends_on(t_variable);
}

Index BoxModel::entries() const {
  const Index rows = layout.rows();
  return stencil == Stencil::hpcg ? layout.full_entries_before(rows) : layout.star_entries_before(rows);
}

std::string place_text(const BoxLayout& layout, Index row) {
  Index at[3];
  layout.place(row, at);
  std::string text;
  for (int axis = 0; axis < layout.dimensions; ++axis)
    text += (axis == 0 ? "" : ", ") + std::string(axis_names[static_cast<std::size_t>(axis)]) + " = " +
            brief_text(layout.center(axis, at[axis]));
  return text;
}

std::optional<BoxModel> make_box_model(const BoxOptions& options, const std::optional<Expression>& exact,
                                       FormulaReader& reader) {
  return Builder(options, exact, reader).build();
}

}  // namespace halocline::sparse
