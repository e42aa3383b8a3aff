// Known solutions: a formula of the deck, the carburizing problem, and the formula the benchmark HiPerC compares with.
#pragma once

#include <variant>

#include "lib/expression/program.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/exact_kernels.hpp"

namespace halocline::diffusion {

// Square of side L, c = 1 on the lower half of the left wall and the upper half of the right one, no flux elsewhere,
// c = 0 at t = 0. By images of the solution for a wall x = 0 fixed at 1 for y < 0 and insulated for y > 0 (a wave
// diffracted by a half plane, in closed form but for one integral); neglected terms are below 1e-12 up to
// sqrt(4 D t) = L / 5. In layout hiperc the fixed walls lie on the first points, the others half a cell outside.
CarburizingCell carburizing(const UniformGrid& geometry, double diffusivity, double t);
// What both walls have let in up to t, per thickness: 2 l sqrt(4 D t / pi) + D t, l = L / 2.
double carburizing_uptake(const UniformGrid& geometry, double diffusivity, double t);

// c_a of the benchmark at the inner points, see BenchmarkCell.
BenchmarkCell benchmark(const UniformGrid& geometry, double diffusivity, double t);

// A formula of the five variables at a time.
struct FormulaAtTime {
  const Program* program;
  double t;
};

using KnownSolution = std::variant<FormulaAtTime, CarburizingCell, BenchmarkCell>;

}  // namespace halocline::diffusion
