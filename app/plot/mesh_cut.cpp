#include "app/plot/mesh_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

// A corner of what is cut, in the plane.
struct Corner {
  double x = 0, y = 0, value = 0;
};

// Six tetrahedra around the diagonal from corner 0 to corner 6.
constexpr std::array<std::array<std::size_t, 4>, 6> of_hexahedron{
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
constexpr std::array<std::array<std::size_t, 4>, 1> of_tetrahedron{{{0, 1, 2, 3}}};

class Cut {
 public:
  Cut(const MeshValues& mesh, int axis, double place, std::array<int, 2> axes)
      : mesh_(mesh), axis_(axis), place_(place), axes_(axes) {}

  std::vector<std::array<Corner, 3>> triangles() {
    const auto cells = static_cast<Index>(mesh_.corners.size()) / mesh_.per_cell;
    for (Index cell = 0; cell < cells; ++cell) {
      const Index* corners = mesh_.corners.data() + cell * mesh_.per_cell;
      if (mesh_.per_cell == 8) {
        for (const auto& parts : of_hexahedron) tetrahedron(corners, parts, cell);
      } else {
        tetrahedron(corners, of_tetrahedron[0], cell);
      }
    }
    return std::move(made_);
  }

 private:
  double coordinate(Index point, int axis) const { return mesh_.points[static_cast<std::size_t>(3 * point + axis)]; }
  double value(Index point, Index cell) const {
    return mesh_.values[static_cast<std::size_t>(mesh_.of_cells ? cell : point)];
  }
  Corner between(Index one, Index other, Index cell) const {
    const double from = coordinate(one, axis_) - place_, to = coordinate(other, axis_) - place_;
    const double share = from / (from - to);
    const auto mix = [&](double a, double b) { return a + share * (b - a); };
    return {mix(coordinate(one, axes_[0]), coordinate(other, axes_[0])),
            mix(coordinate(one, axes_[1]), coordinate(other, axes_[1])), mix(value(one, cell), value(other, cell))};
  }
  // Three corners where one corner lies alone on its side of the plane, four where two do.
  void tetrahedron(const Index* corners, const std::array<std::size_t, 4>& parts, Index cell) {
    std::array<Index, 4> above{}, below{};
    std::size_t ups = 0, downs = 0;
    for (const std::size_t part : parts) {
      const Index point = corners[part];
      if (coordinate(point, axis_) >= place_)
        above[ups++] = point;
      else
        below[downs++] = point;
    }
    if (ups == 0 || downs == 0) return;
    const auto edge = [&](std::size_t up, std::size_t down) { return between(above[up], below[down], cell); };
    if (ups == 1) made_.push_back({edge(0, 0), edge(0, 1), edge(0, 2)});
    if (downs == 1) made_.push_back({edge(0, 0), edge(1, 0), edge(2, 0)});
    if (ups != 2) return;
    made_.push_back({edge(0, 0), edge(0, 1), edge(1, 1)});
    made_.push_back({edge(0, 0), edge(1, 1), edge(1, 0)});
  }

  const MeshValues& mesh_;
  int axis_;
  double place_;
  std::array<int, 2> axes_;
  std::vector<std::array<Corner, 3>> made_;
};

// The pixels of a triangle.
void fill(const std::array<Corner, 3>& t, FieldPlane& plane, double pixel) {
  const auto columns = static_cast<Index>(plane.x.size()) - 1, rows = static_cast<Index>(plane.y.size()) - 1;
  const auto index = [&](double at, double from, Index most) {
    return std::clamp<Index>(static_cast<Index>(std::floor((at - from) / pixel)), 0, most - 1);
  };
  const auto [left, right] = std::minmax({t[0].x, t[1].x, t[2].x});
  const auto [low, high] = std::minmax({t[0].y, t[1].y, t[2].y});
  const double area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y);
  if (area == 0) return;
  for (Index j = index(low, plane.y[0], rows); j <= index(high, plane.y[0], rows); ++j)
    for (Index i = index(left, plane.x[0], columns); i <= index(right, plane.x[0], columns); ++i) {
      const double x = plane.x[0] + pixel * (static_cast<double>(i) + 0.5),
                   y = plane.y[0] + pixel * (static_cast<double>(j) + 0.5);
      const double b = ((x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (y - t[0].y)) / area,
                   c = ((t[1].x - t[0].x) * (y - t[0].y) - (x - t[0].x) * (t[1].y - t[0].y)) / area;
      constexpr double rounding = 1e-9;  // no gaps between neighbors
      if (b < -rounding || c < -rounding || b + c > 1 + rounding) continue;
      plane.values[static_cast<std::size_t>(j * columns + i)] =
          t[0].value + b * (t[1].value - t[0].value) + c * (t[2].value - t[0].value);
    }
}

std::vector<double> borders(double from, double pixel, Index count) {
  std::vector<double> made;
  for (Index i = 0; i <= count; ++i) made.push_back(from + pixel * static_cast<double>(i));
  return made;
}

}  // namespace

void cut_mesh(const MeshValues& mesh, int axis, double place, Index pixels, FieldPlane& plane) {
  const std::vector<std::array<Corner, 3>> triangles = Cut(mesh, axis, place, plane.axes).triangles();
  constexpr double far = std::numeric_limits<double>::infinity();
  double left = far, right = -far, low = far, high = -far;
  for (const auto& triangle : triangles)
    for (const Corner& corner : triangle) {
      left = std::min(left, corner.x), right = std::max(right, corner.x);
      low = std::min(low, corner.y), high = std::max(high, corner.y);
    }
  if (!(left < right) || !(low < high))
    throw DeckError(formatted("--plane {}={:.6g}: the plane misses the mesh", "xyz"[axis], place));
  const double pixel = std::max(right - left, high - low) / static_cast<double>(pixels);
  const auto count = [&](double length) { return std::max<Index>(1, static_cast<Index>(std::ceil(length / pixel))); };
  plane.cells = true;
  plane.x = borders(left, pixel, count(right - left));
  plane.y = borders(low, pixel, count(high - low));
  plane.values.assign((plane.x.size() - 1) * (plane.y.size() - 1), std::numeric_limits<double>::quiet_NaN());
  for (const auto& triangle : triangles) fill(triangle, plane, pixel);
}

}  // namespace halocline
