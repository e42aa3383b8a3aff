// Places that a deck names on the grid of the fields, for probes and pictures: whether there are values.
#pragma once

#include <span>
#include <string>

#include "lib/base/publish.hpp"

namespace halocline {

constexpr char axis_letters[] = "xyz";

/// Why there is no value at a point with coordinates `x` along the first axes; empty if there is one.
std::string place_fault(const Grid& grid, std::span<const double> x);

/// The axis that the plane of a picture is normal to: `wanted`, or the one that a 2D grid lacks.
int normal_axis(const Grid& grid, int wanted);

/// Why there is no plane at `at` of an axis; empty if there is one.
std::string plane_fault(const Grid& grid, int axis, double at);

}  // namespace halocline
