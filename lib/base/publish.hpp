// What a problem writes, saves and verifies, as interfaces that io/ implements.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/executor.hpp"
#include "lib/base/types.hpp"
#include "lib/base/view.hpp"

namespace halocline {

// A tensor-product grid of points, axis order x, y, z. A missing axis has the single coordinate 0.
struct Grid {
  std::array<std::vector<double>, 3> nodes;  // global coordinates of the points per axis (not of the cells)
  std::string unit;                          // of length, "" if dimensionless
  std::array<double, 3> period = {};         // of values along an axis; 0: not periodic
  Index points(int axis) const { return static_cast<Index>(nodes[axis].size()); }
  Index cells(int axis) const { return points(axis) > 1 ? points(axis) - 1 : 1; }
  bool missing(int axis) const { return points(axis) == 1 && period[axis] == 0; }
  // Ends of the box. Where values at points are periodic the first point comes again at the high end.
  double low(int axis) const { return nodes[axis].front(); }
  double high(int axis) const { return period[axis] > 0 ? low(axis) + period[axis] : nodes[axis].back(); }
};

// Cells of one kind between points, both numbered by the problem. Corners of a cell come in VTK's order.
enum class CellKind { tetrahedron, hexahedron };
struct Mesh {
  CellKind kind = CellKind::tetrahedron;
  Index points = 0, cells = 0;                                             // of all parts
  std::string unit;                                                        // of length, "" if dimensionless
  Index corners() const { return kind == CellKind::tetrahedron ? 4 : 8; }  // of a cell
};

// Rows `block` of a global array, one after the other, in memory of the executor.
template <class T>
struct RowsOf {
  Range<1> block;
  View<const T, 1> values;
  const Executor* executor;
};

enum class Centring { point, cell };
// How a part's values lie in memory: `x_slowest` views are indexed (x, y, z), `x_fastest` views (z, y, x).
enum class AxisOrder { x_slowest, x_fastest };

struct FieldInfo {
  std::string name;
  std::string unit;
  Centring centring = Centring::point;
  AxisOrder order = AxisOrder::x_slowest;
  Index width = 1;  // of a column, or on a mesh: values per row, stored one after the other
  std::vector<std::pair<std::string, std::string>> attributes = {};  // of a column: names and texts
};

// One of two axes over which rows of columns are a map: a swept value.
struct MapAxis {
  std::string name;
  std::vector<double> values;
};

// Implemented by the writers of io/. Calls are collective over ranks and in the same order on each;
// a rank with several parts calls once per part. Views lie in memory of the executor, which stages them.
class FieldSink {
 public:
  virtual ~FieldSink() = default;
  // False when the deck does not ask for the field; the problem then need not compute it.
  virtual bool wants(const std::string& field) const = 0;
  // The grid of the fields that follow; `grid` is global, the same on all ranks.
  virtual void grid(const Grid& grid) = 0;
  // Values of one part: `block` is its box in global point (or cell) indices, axes x, y, z.
  virtual void field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
                     const Executor& executor) = 0;
  // A mesh in place of a grid, for what follows on it; the same on all ranks. True when the sink lacks its geometry:
  // mesh_points(), three coordinates a point, and then mesh_cells(), the numbers of a cell's corners, come next. These
  // and on_mesh() get rows of all parts of a rank in one call, and may be called again for others, equally often on all
  // ranks, until every row has been given once.
  virtual bool mesh(const Mesh& /*mesh*/) { return false; }
  virtual void mesh_points(std::span<const RowsOf<double>> /*parts*/) {}
  virtual void mesh_cells(std::span<const RowsOf<Index>> /*parts*/) {}
  // Values at the points or cells of the mesh: 1 each, 3 of a vector, or the 6 (xx, yy, zz, xy, yz, xz) of a symmetric
  // tensor, as `info.width` says.
  virtual void on_mesh(const FieldInfo& /*info*/, std::span<const RowsOf<double>> /*parts*/) {}
  // One row per system of an ensemble: rows `block` of a global column. A name with a slash is a path of its own,
  // "sweep/p" or "/status"; others go to "columns/".
  virtual void column(const FieldInfo& info, int part, const Range<1>& block, View<const double, 1> values,
                      const Executor& executor) = 0;
  virtual void column(const FieldInfo& info, int part, const Range<1>& block, View<const Index, 1> values,
                      const Executor& executor) = 0;
  // Rows of columns are numbered over two axes, the second one fastest: columns of one value per row are maps. The same
  // on all ranks.
  virtual void map(const std::array<MapAxis, 2>& /*axes*/) {}
  // A text that belongs to the results, the same on all ranks; the name is a path, "model/source".
  virtual void text(const std::string& /*name*/, const std::string& /*text*/) {}
  // Places where the sink wants fields as well. A problem that knows its solution between the points of the grid better
  // than linear interpolation answers with at_places(), the same values on every rank, after field().
  virtual std::span<const std::array<double, 3>> places() const { return {}; }
  virtual void at_places(const std::string& /*field*/, std::span<const double> /*values*/) {}
  // A sequence known to every rank: residual history, probes over time.
  virtual void series(const std::string& name, const std::string& unit, std::span<const double> values) = 0;
};

// One description both saves and restores; restoring may happen on another number of parts.
class StateArchive {
 public:
  virtual ~StateArchive() = default;
  virtual bool restoring() const = 0;
  virtual void scalar(const char* name, double& value) = 0;
  virtual void scalar(const char* name, Index& value) = 0;
  // Rows `global` of an array of `total` rows with `width` values each, lying in `values` (rows * width) of one part.
  virtual void block(const char* name, Index total, Index width, Range<1> global, View<double, 1> values,
                     const Executor& executor) = 0;
  virtual void block(const char* name, Index total, Index width, Range<1> global, View<Index, 1> values,
                     const Executor& executor) = 0;
};

// One figure of the result, with the interval it must lie in when the deck's `verify` block says so.
struct Finding {
  std::string name;
  std::string unit;
  double value = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool checked() const {
    return low > -std::numeric_limits<double>::infinity() || high < std::numeric_limits<double>::infinity();
  }
  bool holds() const { return value >= low && value <= high; }  // false for NaN
};

struct Findings {
  std::vector<Finding> list;
  std::string failure;  // set when the numerical method failed (no convergence): exit code 3, results marked
  void add(std::string name, std::string unit, double value) {
    list.push_back({std::move(name), std::move(unit), value});
  }
  void check(std::string name, std::string unit, double value, double low, double high) {
    list.push_back({std::move(name), std::move(unit), value, low, high});
  }
};

}  // namespace halocline
