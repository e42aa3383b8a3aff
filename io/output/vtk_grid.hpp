// Tensor-product grids as VTK knows them, as images or with cells and points spelled out (geometry.hpp).
//
// Points are numbered with x fastest. A grid with one axis missing has quadrilaterals, with two lines, with all a
// vertex.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/h5/writers.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// True when the nodes are equally spaced (to 1e-9 of the spacing), also for a single node.
bool is_uniform(const std::vector<double>& nodes);
bool is_uniform(const Grid& grid);
// Distance of the first two nodes; 1 for a missing axis.
double spacing(const std::vector<double>& nodes);

// How thick a plane is that is to have a cell's thickness, the plane in its middle: as the smallest edge of its cells.
double thickness_of(const Grid& grid);

// What an image says of itself, per axis x, y, z. A missing axis is one cell thick.
struct ImageBox {
  std::array<Index, 6> extent{};  // first and last point
  std::array<double, 3> origin{}, spacing{};
};
ImageBox image_box(const Grid& grid);

// Points or cells per axis in the order z, y, x.
std::array<Index, 3> file_shape(const Grid& grid, Centring centring);
Index count(const Grid& grid, Centring centring);

class VtkCells {
 public:
  explicit VtkCells(const Grid& grid);
  int type() const { return type_; }  // VTK's number: 1 vertex, 3 line, 9 quadrilateral, 12 hexahedron
  int corners() const { return static_cast<int>(corners_.size()); }
  // Coordinates of points first ... first + count - 1, three each.
  std::vector<double> points(Index first, Index count) const;
  // Point numbers of cells first ... first + count - 1, corners() each, in VTK's order.
  std::vector<Index> connectivity(Index first, Index count) const;

 private:
  const Grid& grid_;
  int type_;
  std::vector<Index> corners_;  // point numbers relative to the cell's first point
};

// Writes the coordinates per axis as /nodes/x, y, z, and with `cells` the geometry as /Points, /Connectivity, /Offsets,
// /Types, /NumberOf... of a VTKHDF unstructured grid. No rank holds more than its share, in batches. Collective.
void write_grid_file(const Writers& writers, const std::string& path, const Grid& grid, bool cells);
// True when `path` is a grid file of exactly this grid, with or without cells. By one rank.
bool is_grid_file_of(const std::string& path, const Grid& grid, bool cells);

}  // namespace halocline
