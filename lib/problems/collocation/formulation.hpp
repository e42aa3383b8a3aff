// Formulation: the options of a deck turned into what the numerics need: axes, coefficients, programs, side data.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "lib/base/publish.hpp"
#include "lib/expression/program.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/boundary.hpp"
#include "lib/problems/collocation/options.hpp"
#include "lib/problems/collocation/schur/line_matrices.hpp"
#include "lib/problems/data/read_data.hpp"

namespace halocline::collocation {

// An equation E(x, y, u, ...) = 0 that is not linear in u, in the variables of state_names (nonlinear.hpp).
struct Nonlinear {
  Program residual;  // E
  Program jacobian;  // its derivatives by u_xx, u_xy (half), u_yy, u_x, u_y, u: coefficients of the linearized equation
  Program right_side;  // f + source
  Index max_steps = 0;
  bool damped = true;
};

// Of an equation that is not linear, coefficients and f are those of the equation linearized at the function that
// Newton's method begins with; its solution is the first iterate.
struct Formulation {
  Axis x, y;
  // a, b, c, d, e, eta of x and y; a, c > 0. Of an equation that is not linear: linearized where Newton's method
  // begins.
  Program coefficients;
  std::optional<std::array<double, 6>> constants;  // the same when none depends on x or y
  ConstantEquation equation;                       // the same for method schur with constant coefficients
  Program f;                                       // of x and y, one result
  Place f_place;                                   // of its formula in the deck
  Boundary boundary;
  bool has_exact = false;
  Program exact;                                    // u, u_x, u_y, u_xy; only if has_exact
  std::shared_ptr<const Nonlinear> nonlinear = {};  // where the equation is not linear in u
  DataSummary data = {};                            // what was read from files
  std::vector<std::string> notes = {};              // for the user: what differs on the two sides of a periodic axis

  // Numbers of all unknowns that the sides leave.
  double unknowns() const { return static_cast<double>(x.unknowns()) * static_cast<double>(y.unknowns()); }
  // What FieldSink wants: values at the corners of elements.
  Grid output_grid() const { return {{x.nodes(), y.nodes(), {0.0}}, ""}; }
  bool periodic() const { return x.periodic() || y.periodic(); }
  // Whether u itself is given nowhere, so that eta = 0 would leave it undetermined.
  bool derivatives_on_all_sides() const {
    if (boundary.conditions() != nullptr) return boundary.conditions()->derivatives_only();
    const auto nowhere = [](const Axis& axis) {
      return axis.periodic() || (axis.condition(End::low).neumann() && axis.condition(End::high).neumann());
    };
    return nowhere(x) && nowhere(y);
  }
};
constexpr const char* eta_vanishes =
    "is 0 everywhere, which leaves u undetermined where all four sides give derivatives only or are periodic";

// Values of a program of (x, y) at the points (x, y[k]), one span per result.
void evaluate_along_y(const Program& program, double x, std::span<const double> y,
                      std::span<const std::span<double>> results);

// Checks everything that concerns several keys or needs formulas evaluated, whatever the method (variable coefficients
// and f are checked at the Gauss points elsewhere). Nothing, with faults reported, when something is wrong.
std::optional<Formulation> formulate(const CollocationOptions& options, Faults& faults);
// For options that are known to be right; throws DeckError otherwise.
Formulation formulate(const CollocationOptions& options);

}  // namespace halocline::collocation
