// A field on a plane, read from the files of a run and known between their values.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct PlaneRequest {
  std::string directory, field;  // "u"; "u_x" also of a vector u on a mesh
  std::string time;              // "first", "last" or a number, for the output that is nearest; "" for the last one
  int axis = 2;                  // across the plane, of what has three dimensions
  double place = 0;              // along it
  bool middle = true;            // the plane is in the middle, in place of `place`
};

// "z=9.5", "y": DeckError for anything else.
void take_plane(const std::string& text, PlaneRequest& request);

struct FieldPlane {
  std::string unit, length_unit;
  std::array<int, 2> axes{0, 1};  // to the right, upwards: 0 is x
  int dimensions = 2;             // 1: values along a line, y has one value
  double time = 0, place = 0;     // of the output, of a plane in space
  bool cells = false;             // values lie between x[i] and x[i + 1], one less than places
  std::vector<double> x, y;       // places of values, or borders of cells; increasing
  std::vector<double> values;     // [y][x]; NaN outside of a mesh

  // Of bicubic functions u (collocation): u_x, u_y, u_xy as `values` has u, and how often the field is derived by x and
  // y.
  std::array<std::vector<double>, 3> slopes;
  std::array<int, 2> derived{0, 0};
  bool bicubic() const { return !slopes[0].empty(); }

  // At a place: bicubic, bilinear, or that of the cell; `smooth`: bilinear between the middles of cells, too. NaN
  // outside.
  double at(double x, double y, bool smooth) const;
  // On a raster over all of the plane, the lowest row first, in the middles of its pixels.
  std::vector<double> raster(Index width, Index height, bool smooth) const;
  // How often the values go through all of their range along a line of the grid, in the mean: 1 for a slope, 2 for a
  // hill.
  double variation() const;
};

// DeckError when there are no such files, no such field, or no such place.
FieldPlane read_plane(const PlaneRequest& request);

}  // namespace halocline
