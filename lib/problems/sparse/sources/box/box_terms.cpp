#include "lib/problems/sparse/sources/box/box_terms.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/fields/line_program.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"

namespace halocline::sparse {

namespace {

// Where along the axes values are wanted: shifts of half a spacing lead from unknowns to faces, of one to neighbors.
enum class Spot { center, low_face, high_face, low_neighbor, high_neighbor };

int step_to(Spot spot) { return spot == Spot::low_neighbor ? -1 : spot == Spot::high_neighbor ? 1 : 0; }

// Of the unknown itself where it has no neighbor.
double coordinate(const BoxLayout& layout, int axis, Index i, Spot spot) {
  if (axis >= layout.dimensions) return 0;
  if (spot == Spot::low_face || spot == Spot::high_face) return layout.face(axis, spot == Spot::low_face ? i : i + 1);
  return layout.center(axis, std::clamp<Index>(i + step_to(spot), 0, layout.n[axis] - 1));
}

// Whole lines of the grid that hold rows `rows`.
Range<1> lines_of(const BoxLayout& layout, const Range<1>& rows) {
  return {{rows.lo[0] / layout.n[0]},
          {rows.extent(0) == 0 ? rows.lo[0] / layout.n[0] : (rows.hi[0] - 1) / layout.n[0] + 1}};
}

// On whole lines: at the unknowns, or along `axis` at `spot`.
Array<double, 1> on_lines(const ExecutorPtr& executor, const BoxLayout& layout, const Program& program,
                          const Range<1>& lines, int axis, Spot spot, double t, FormulaPath path) {
  const auto spot_of = [&](int which) { return which == axis ? spot : Spot::center; };
  std::vector<double> x, y, z;
  for (Index i = 0; i < layout.n[0]; ++i) x.push_back(coordinate(layout, 0, i, spot_of(0)));
  for (Index line = lines.lo[0]; line < lines.hi[0]; ++line) {
    y.push_back(coordinate(layout, 1, line % layout.n[1], spot_of(1)));
    z.push_back(coordinate(layout, 2, line / layout.n[1], spot_of(2)));
  }
  const auto on_x = make_array(executor, x), on_y = make_array(executor, y), on_z = make_array(executor, z);
  const PointInput inputs[4] = {{on_x.view().data, 1, 0, 0},
                                {on_y.view().data, 0, 1, 0},
                                {on_z.view().data, 0, 1, 0},
                                {nullptr, 0, 0, 0, PointInput::Source::number}};
  Array<double, 1> values(executor, {lines.extent(0) * layout.n[0]});
  LineProgram(executor, program, path).evaluate(inputs, lines.extent(0), layout.n[0], {values.view().data, 0}, t);
  return values;
}

// On rows as they are numbered by bisection, as lines of some rows each.
Array<double, 1> on_rows(const ExecutorPtr& executor, const BoxLayout& layout, const Program& program,
                         const Range<1>& rows, int axis, Spot spot, double t, FormulaPath path) {
  constexpr Index line = 1024;
  const Index count = rows.extent(0), whole = count / line;
  std::vector<Array<double, 1>> along;
  for (int d = 0; d < 3; ++d) {
    std::vector<double> places;
    for (Index i = 0; i < layout.n[d]; ++i) places.push_back(coordinate(layout, d, i, d == axis ? spot : Spot::center));
    along.push_back(make_array(executor, places));
  }
  Array<double, 1> places(executor, {3 * count}), values(executor, {count});
  launch(*executor, {"places of rows", 24.0 * static_cast<double>(count)}, Range<1>{{0}, {count}},
         PlacesBody{layout,
                    rows.lo[0],
                    count,
                    {along[0].view().data, along[1].view().data, along[2].view().data},
                    places.view().data});
  const LineProgram formula(executor, program, path);
  const auto evaluate = [&](Index from, Index lines, Index points) {
    const double* first = places.view().data + from;
    const PointInput inputs[4] = {{first, 1, line, 0},
                                  {first + count, 1, line, 0},
                                  {first + 2 * count, 1, line, 0},
                                  {nullptr, 0, 0, 0, PointInput::Source::number}};
    formula.evaluate(inputs, lines, points, {values.view().data + from, 0}, t);
  };
  evaluate(0, whole, line);
  evaluate(whole * line, 1, count - whole * line);
  executor->synchronize();  // the places are in use until then
  return values;
}

class Evaluation {
 public:
  Evaluation(const ExecutorPtr& executor, const BoxModel& model, const Range<1>& own, double t, FormulaPath path)
      : executor_(executor), m_(model), own_(own), t_(t), path_(path) {}

  BoxPartTerms evaluate() {
    BoxTerms& terms = made_.terms;
    const BoxLayout& l = terms.layout = m_.layout;
    for (int axis = 0; axis < l.dimensions; ++axis) terms.volume *= l.spacing[axis];
    for (int axis = 0; axis < l.dimensions; ++axis) {
      terms.anisotropy[axis] = m_.anisotropy[axis];
      for (int other = 0; other < l.dimensions; ++other) terms.area[axis] *= other == axis ? 1 : l.spacing[other];
    }
    make_k();
    terms.reaction = at_rows(m_.reaction, own_);
    terms.source = at_rows(m_.source, own_);
    terms.convection = m_.convection;
    for (int axis = 0; axis < l.dimensions; ++axis) {
      for (int side = 0; side < 2; ++side) {
        if (m_.convection)
          terms.through[axis][side] = at_rows(m_.velocity[static_cast<std::size_t>(axis)], own_, axis,
                                              side == 0 ? Spot::low_face : Spot::high_face);
        make_wall(axis, side);
      }
    }
    return std::move(made_);
  }

 private:
  // At the unknowns and their neighbors.
  void make_k() {
    const BoxLayout& l = m_.layout;
    BoxTerms& terms = made_.terms;
    const bool random = m_.random.kind != RandomField::Kind::none;
    if (!l.bisected) {
      const Index reach = l.stride(l.dimensions - 1);
      terms.k = at_rows(m_.k, {{std::max<Index>(0, own_.lo[0] - reach)}, {std::min(l.rows(), own_.hi[0] + reach)}}, -1,
                        Spot::center, random);
      return;
    }
    terms.k = at_rows(m_.k, own_, -1, Spot::center, random);
    for (int axis = 0; axis < l.dimensions; ++axis)
      for (int side = 0; side < 2; ++side)
        terms.beside[axis][side] =
            at_rows(m_.k, own_, axis, side == 0 ? Spot::low_neighbor : Spot::high_neighbor, random);
  }

  Values keep(Array<double, 1> values, Index first) {
    made_.memory.push_back(std::move(values));
    return {made_.memory.back().view().data, first, 0};
  }

  Values at_rows(const Coefficient& c, const Range<1>& rows, int axis = -1, Spot spot = Spot::center,
                 bool random = false) {
    if (c.constant() && !random) return {nullptr, 0, c.expression.value()};
    const Range<1> lines = lines_of(m_.layout, rows);
    const bool bisected = m_.layout.bisected;
    const Index first = bisected ? rows.lo[0] : lines.lo[0] * m_.layout.n[0];
    auto values = bisected ? on_rows(executor_, m_.layout, c.program(), rows, axis, spot, t_, path_)
                           : on_lines(executor_, m_.layout, c.program(), lines, axis, spot, t_, path_);
    if (random)
      launch(*executor_, {"random medium", 16.0 * static_cast<double>(values.size())}, Range<1>{{0}, {values.size()}},
             ScaleRowsBody{m_.layout, m_.random, first, values.view(), std::max(axis, 0), step_to(spot)});
    return keep(std::move(values), first);
  }

  void make_wall(int axis, int side) {
    const BoxModel::Side& given = m_.sides[static_cast<std::size_t>(2 * axis + side)];
    BoxWall& wall = made_.terms.walls[axis][side];
    wall.neumann = given.kind == SideKind::neumann;
    wall.value = on_side(given.value, axis, side, false);
    if (!wall.neumann) wall.k = on_side(m_.k, axis, side, m_.random.kind != RandomField::Kind::none);
  }

  Values on_side(const Coefficient& c, int axis, int side, bool random) {
    if (c.constant() && !random) return {nullptr, 0, c.expression.value()};
    const BoxLayout& l = m_.layout;
    const int fast = BoxLayout::fast(axis), slow = BoxLayout::slow(axis);
    std::vector<double> along, across;
    for (Index i = 0; i < l.n[fast]; ++i) along.push_back(coordinate(l, fast, i, Spot::center));
    for (Index i = 0; i < l.n[slow]; ++i) across.push_back(coordinate(l, slow, i, Spot::center));
    const auto on_fast = make_array(executor_, along), on_slow = make_array(executor_, across);
    const auto on_wall = make_array(executor_, std::vector<double>{l.wall(axis, side)});
    PointInput inputs[4];
    inputs[fast] = {on_fast.view().data, 1, 0, 0};
    inputs[slow] = {on_slow.view().data, 0, 1, 0};
    inputs[axis] = {on_wall.view().data, 0, 0, 0};
    inputs[3] = {nullptr, 0, 0, 0, PointInput::Source::number};
    Array<double, 1> values(executor_, {l.side_size(axis)});
    LineProgram(executor_, c.program(), path_).evaluate(inputs, l.n[slow], l.n[fast], {values.view().data, 0}, t_);
    if (random)
      launch(*executor_, "random medium of a side", Range<1>{{0}, {values.size()}},
             ScaleSideBody{l, m_.random, axis, side, values.view()});
    return keep(std::move(values), 0);
  }

  const ExecutorPtr& executor_;
  const BoxModel& m_;
  Range<1> own_;
  double t_;
  FormulaPath path_;
  BoxPartTerms made_;
};

}  // namespace

BoxPartTerms evaluate_terms(const ExecutorPtr& executor, const BoxModel& model, const Range<1>& own, double t,
                            FormulaPath path) {
  return Evaluation(executor, model, own, t, path).evaluate();
}

Array<double, 1> at_unknowns(const ExecutorPtr& executor, const BoxLayout& layout, const Expression& expression,
                             const Range<1>& rows, double t, FormulaPath path) {
  const Program program({&expression, 1}, static_cast<int>(variables.size()));
  if (layout.bisected) return on_rows(executor, layout, program, rows, -1, Spot::center, t, path);
  const Range<1> lines = lines_of(layout, rows);
  const auto whole = on_lines(executor, layout, program, lines, -1, Spot::center, t, path);
  Array<double, 1> values(executor, {rows.extent(0)});
  if (rows.extent(0) > 0)
    executor->copy_async(values.view().data, whole.view().data + (rows.lo[0] - lines.lo[0] * layout.n[0]),
                         static_cast<std::size_t>(rows.extent(0)) * sizeof(double), Queue::compute);
  return values;
}

Array<double, 1> BoxSource::conductivity(const ExecutorPtr& executor, const Range<1>& own, double t) const {
  Array<double, 1> k = at_unknowns(executor, model_.layout, model_.k.expression, own, t, path_);
  launch(*executor, {"random medium", 16.0 * static_cast<double>(k.size())}, Range<1>{{0}, {k.size()}},
         ScaleRowsBody{model_.layout, model_.random, own.lo[0], k.view()});
  return k;
}

}  // namespace halocline::sparse
