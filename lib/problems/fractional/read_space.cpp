// Grid, sides and equation: what a deck gives in space.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/reading.hpp"

namespace halocline::fractional {

namespace {

constexpr Index least_cells = 2, least_periodic = 4;  // along an axis

Side read_side(Reading& reading, const SideOptions& given, const std::string& key) {
  Side side{given.kind, {}, std::max(given.transfer, 0.0)};
  check_condition(given, "fractional." + key, "a side of kind " + std::string(word_for(given.kind)), reading);
  if (!wants_value(given.kind) || !given.value.given()) return side;
  side.value = reading.coefficient(given.value, moving_variables, 0);
  return side;
}

void pair_periodic_sides(Reading& reading, Formulation& f) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t low = 2 * axis, high = low + 1;
    const bool periodic[2] = {f.sides[low].kind == SideKind::periodic, f.sides[high].kind == SideKind::periodic};
    if (periodic[0] != periodic[1]) {
      const std::size_t other = periodic[0] ? high : low, one = periodic[0] ? low : high;
      const bool named = reading.block().sides.sides[other].given;
      reading.fault(named ? std::string("sides.") + side_names[other] : "sides",
                    named ? std::string("must be periodic as ") + side_names[one] + " is"
                          : std::string(side_names[other]) + " must be periodic as " + side_names[one] + " is");
    }
    if (periodic[0] && f.grid.dimensions > 0) f.grid.make_periodic(static_cast<int>(axis));
  }
}

void check_cells(Reading& reading, const Formulation& f) {
  for (int axis = 0; axis < f.grid.dimensions; ++axis) {
    const Index least = f.grid.periodic[axis] ? least_periodic : least_cells;
    if (f.grid.cells(axis) < least)
      reading.fault("grid.cells[" + std::to_string(axis) + "]",
                    formatted("is {}, too few: {} axis has {} cells at least", f.grid.cells(axis),
                              f.grid.periodic[axis] ? "a periodic" : "an", least));
  }
}

// A number; formulas are looked at at the nodes. Numbers are finite: no others come out of the parser.
void check_positive(Reading& reading, const Coefficient& value, const char* key) {
  if (value.constant() && !(value.number > 0))
    reading.fault(std::string("equation.") + key, "must be positive and finite, is " + brief_text(value.number));
}

void read_source(Reading& reading, Formulation& f) {
  const Formula& given = reading.block().equation.source;
  if (!given.given()) return;
  const auto source = reading.parse(given, variables);
  if (!source) return;
  f.source = coefficient_of(*source);
  f.source_slope = coefficient_of(derivative(*source, variable_c));
}

void read_parts(Reading& reading, Formulation& f) {
  const std::vector<double>& given = reading.block().grid.parts;
  if (given.empty()) return;
  const bool whole = std::all_of(given.begin(), given.end(), [](double n) { return n >= 1 && n == std::floor(n); });
  if (given.size() != 2 || !whole)
    return reading.fault("grid.parts", "must be a list of two whole numbers: parts along y and along z");
  f.parts = {static_cast<Index>(given[0]), static_cast<Index>(given[1])};
}

void read_split(Reading& reading, Formulation& f) {
  const SolverOptions& given = reading.block().solver;
  f.split = {given.split, given.split_error, given.tol, given.maxit};
  if (given.split_error_given && given.split != Split::automatic)
    reading.fault("solver.split_error", "belongs to split auto");
  for (const auto& [is_given, key] : {std::pair{given.tol_given, "solver.tol"}, {given.maxit_given, "solver.maxit"}})
    if (is_given && !f.split.may_be_unsplit())
      reading.fault(key, "belongs to unsplit steps, of split auto and unsplit");
}

}  // namespace

void read_grid(Reading& reading, Formulation& f) {
  const GridOptions& grid = reading.block().grid;
  f.grid.dimensions = 0;
  bool three = true;
  for (const auto& [numbers, key] : {std::pair{&grid.cells, "grid.cells"}, std::pair{&grid.size, "grid.size"}}) {
    if (numbers->size() == 3) continue;
    three = false;
    reading.fault(key, formatted("has {} numbers; expected three, for x, y and z (a problem in 2D: a periodic axis of "
                                 "4 cells, say)",
                                 numbers->size()));
  }
  if (three)
    f.grid = grid_of_box(GridLayout::nodes, {grid.size, grid.cells, grid.origin, grid.refinement}, "fractional.grid",
                         reading);
  read_parts(reading, f);
}

void read_sides(Reading& reading, Formulation& f) {
  const SidesOptions& options = reading.block().sides;
  bool rest_used = false;
  std::optional<Side> rest;
  if (options.rest.given) rest = read_side(reading, options.rest, "sides.rest");
  for (std::size_t side = 0; side < f.sides.size(); ++side) {
    if (options.sides[side].given) {
      f.sides[side] = read_side(reading, options.sides[side], std::string("sides.") + side_names[side]);
    } else if (rest) {
      f.sides[side] = *rest;
      rest_used = true;
    } else {
      reading.fault("sides",
                    std::string("neither ") + side_names[side] + " nor `rest` says what holds on " + side_names[side]);
    }
  }
  if (rest && !rest_used) reading.fault("sides.rest", "says nothing: all six sides are named");
  pair_periodic_sides(reading, f);
  check_cells(reading, f);
}

void read_equation(Reading& reading, Formulation& f) {
  const EquationOptions& equation = reading.block().equation;
  f.diffusivity = reading.coefficient(equation.diffusivity, place_variables, 0);
  f.sigma = reading.coefficient(equation.sigma, place_variables, 1);
  f.reaction = reading.coefficient(equation.reaction, place_variables, 0);
  check_positive(reading, f.diffusivity, "D");
  check_positive(reading, f.sigma, "sigma");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    f.velocity[axis] = reading.coefficient(equation.velocity.along[axis], place_variables, 0);
    f.along[axis] = equation.anisotropy.of(axis_names[axis], 1);
  }
  f.harmonic = equation.face_mean == MeanChoice::harmonic;
  f.upwind = reading.block().solver.advection == Advection::upwind;
  read_split(reading, f);
  f.extrapolated = reading.block().solver.predictor == Predictor::extrapolated;
  read_source(reading, f);
  if (const auto initial = reading.parse(equation.initial, place_variables)) f.initial = program_of(*initial);
}

}  // namespace halocline::fractional
