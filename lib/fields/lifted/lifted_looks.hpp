// Programs without their lookups in rasters, for devices that have none: what is looked up is sampled on the host,
// once, and becomes further variables. A value is the same wherever it is looked up, so nothing changes but the time it
// takes.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"

namespace halocline {

struct LiftedLooks {
  Program rest;                          // of the program's variables, then of what is looked up
  std::vector<Array<double, 1>> values;  // of each of these, in memory of the executor
};

/// `sample`: values of a program with one result, which looks a raster up, in any order that the caller likes.
LiftedLooks lift_looks(const ExecutorPtr& executor, const Program& program,
                       const std::function<std::vector<double>(const Program& look)>& sample);

/// Values on the points of a grid, [z][y][x]; the program's first three variables are x, y, z, others it does not use.
std::vector<double> sampled_on_grid(const Program& look, const std::array<std::vector<double>, 3>& at);
/// The same on points in a list.
std::vector<double> sampled_on_points(const Program& look, const std::array<std::vector<double>, 3>& at);

}  // namespace halocline
