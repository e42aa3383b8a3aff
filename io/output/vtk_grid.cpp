#include "io/output/vtk_grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

#include "io/h5/h5.hpp"
#include "io/h5/output_file.hpp"
#include "io/output/row_batches.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr const char* axis_names[3] = {"/nodes/x", "/nodes/y", "/nodes/z"};

void write_small(h5::File& file, const std::string& name, const std::vector<double>& values) {
  file.make_dataset(name, h5::Type::float64, {static_cast<Index>(values.size())});
  const h5::Source box{{0}, {static_cast<Index>(values.size())}, reinterpret_cast<const std::byte*>(values.data())};
  file.write(name, h5::Type::float64, {static_cast<Index>(values.size())}, std::span(&box, 1));
}

Index bytes_of_cells(const Grid& grid) {
  const Index points = count(grid, Centring::point), number = count(grid, Centring::cell);
  return 24 * points + 8 * (VtkCells(grid).corners() * number + number + 1) + number;
}

void make_cells(h5::File& file, const Grid& grid) {
  const Index points = count(grid, Centring::point), number = count(grid, Centring::cell);
  const Index corners = VtkCells(grid).corners();
  file.make_dataset("/Points", h5::Type::float64, {points, 3});
  if (!grid.unit.empty()) file.set_attribute("/Points", "unit", grid.unit);
  file.make_dataset("/Connectivity", h5::Type::int64, {corners * number});
  file.make_dataset("/Offsets", h5::Type::int64, {number + 1});
  file.make_dataset("/Types", h5::Type::uint8, {number});
  write_number(file, "/NumberOfPoints", points);
  write_number(file, "/NumberOfCells", number);
  write_number(file, "/NumberOfConnectivityIds", corners * number);
}

void write_cells(const Communicator& comm, OutputFile& file, const Grid& grid) {
  const VtkCells cells(grid);
  const Index points = count(grid, Centring::point), number = count(grid, Centring::cell), corners = cells.corners();
  write_rows(comm, file, "/Points", h5::Type::float64, {points, 3},
             [&](Index first, Index rows) { return cells.points(first, rows); });
  write_rows(comm, file, "/Connectivity", h5::Type::int64, {number, corners},
             [&](Index first, Index rows) { return cells.connectivity(first, rows); });
  write_rows(comm, file, "/Offsets", h5::Type::int64, {number + 1}, [&](Index first, Index rows) {
    std::vector<Index> offsets(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) offsets[i] = (first + i) * corners;
    return offsets;
  });
  write_rows(comm, file, "/Types", h5::Type::uint8, {number}, [&](Index, Index rows) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(rows), static_cast<std::uint8_t>(cells.type()));
  });
}

}  // namespace

bool is_uniform(const std::vector<double>& nodes) {
  const double step = spacing(nodes);
  if (nodes.size() > 1 && !(step > 0)) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::abs(nodes[i] - (nodes[0] + static_cast<double>(i) * step)) > 1e-9 * step) return false;
  }
  return true;
}

bool is_uniform(const Grid& grid) {
  return std::all_of(grid.nodes.begin(), grid.nodes.end(), [](const auto& nodes) { return is_uniform(nodes); });
}

double spacing(const std::vector<double>& nodes) {
  return nodes.size() > 1 ? (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1) : 1.0;
}

double thickness_of(const Grid& grid) {
  double thickness = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& nodes : grid.nodes) {
    if (nodes.size() < 2) continue;
    double least = spacing(nodes);
    if (!is_uniform(nodes))
      for (std::size_t i = 1; i < nodes.size(); ++i) least = std::min(least, nodes[i] - nodes[i - 1]);
    thickness = std::min(thickness, least);
  }
  return std::isfinite(thickness) ? thickness : 1;
}

ImageBox image_box(const Grid& grid) {
  const double thickness = thickness_of(grid);
  ImageBox box;
  for (int d = 0; d < 3; ++d) {
    const bool missing = grid.points(d) == 1;
    box.extent[2 * d + 1] = grid.cells(d);
    box.spacing[d] = missing ? thickness : spacing(grid.nodes[d]);
    box.origin[d] = grid.nodes[d][0] - (missing ? thickness / 2 : 0);
  }
  return box;
}

std::array<Index, 3> file_shape(const Grid& grid, Centring centring) {
  std::array<Index, 3> shape{};
  for (int d = 0; d < 3; ++d) shape[2 - d] = centring == Centring::point ? grid.points(d) : grid.cells(d);
  return shape;
}

Index count(const Grid& grid, Centring centring) {
  const auto shape = file_shape(grid, centring);
  return shape[0] * shape[1] * shape[2];
}

VtkCells::VtkCells(const Grid& grid) : grid_(grid), corners_{0} {
  int axes = 0;
  Index step = 1;
  for (int d = 0; d < 3; ++d) {
    if (grid.points(d) > 1) {
      // The cell so far, moved along the new axis; a quadrilateral closes its loop, so its second edge runs backward.
      std::vector<Index> moved = corners_;
      if (axes == 1) std::reverse(moved.begin(), moved.end());
      for (const Index corner : moved) corners_.push_back(corner + step);
      ++axes;
    }
    step *= grid.points(d);
  }
  constexpr int types[4] = {1, 3, 9, 12};
  type_ = types[axes];
}

std::vector<double> VtkCells::points(Index first, Index count) const {
  const Index nx = grid_.points(0), ny = grid_.points(1);
  std::vector<double> result(static_cast<std::size_t>(3 * count));
  for (Index p = 0; p < count; ++p) {
    const Index number = first + p;
    double* point = result.data() + 3 * p;
    point[0] = grid_.nodes[0][number % nx];
    point[1] = grid_.nodes[1][number / nx % ny];
    point[2] = grid_.nodes[2][number / nx / ny];
  }
  return result;
}

std::vector<Index> VtkCells::connectivity(Index first, Index count) const {
  const Index nx = grid_.points(0), ny = grid_.points(1), cx = grid_.cells(0), cy = grid_.cells(1);
  std::vector<Index> result;
  result.reserve(static_cast<std::size_t>(count) * corners_.size());
  for (Index c = first; c < first + count; ++c) {
    const Index corner = (c / cx / cy * ny + c / cx % cy) * nx + c % cx;
    for (const Index offset : corners_) result.push_back(corner + offset);
  }
  return result;
}

void write_grid_file(const Writers& writers, const std::string& path, const Grid& grid, bool cells) {
  OutputFile file(writers, path);
  const Index coordinates = 8 * (grid.points(0) + grid.points(1) + grid.points(2));
  const Index bytes = coordinates + (cells ? bytes_of_cells(grid) : 0);
  file.structure(static_cast<std::size_t>(bytes), [&](h5::File& made) {
    if (cells) make_cells(made, grid);
    for (int d = 0; d < 3; ++d) write_small(made, axis_names[d], grid.nodes[d]);
  });
  if (cells) write_cells(writers.comm(), file, grid);
  file.commit();
}

bool is_grid_file_of(const std::string& path, const Grid& grid, bool cells) {
  if (!std::filesystem::exists(path)) return false;
  const h5::File file(path, h5::File::Mode::read);
  if (file.contains("/Points") != cells) return false;
  for (int d = 0; d < 3; ++d) {
    if (!file.contains(axis_names[d]) || file.extent(axis_names[d]) != h5::Extent{grid.points(d)}) return false;
    std::vector<double> nodes(grid.nodes[d].size());
    const h5::Target box{{0}, {grid.points(d)}, reinterpret_cast<std::byte*>(nodes.data())};
    file.read(axis_names[d], h5::Type::float64, {grid.points(d)}, std::span(&box, 1));
    if (nodes != grid.nodes[d]) return false;
  }
  return true;
}

}  // namespace halocline
