// A box of unit cubes as a mesh, of hexahedra or of six tetrahedra each, with values by formula, handed over row by row
// by parts as a problem would.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "field_support.hpp"

namespace halocline {

struct BoxMesh {
  std::array<Index, 3> cubes{4, 3, 2};
  CellKind kind = CellKind::tetrahedron;

  Index points() const { return (cubes[0] + 1) * (cubes[1] + 1) * (cubes[2] + 1); }
  Index of_cube() const { return kind == CellKind::tetrahedron ? 6 : 1; }
  Mesh mesh() const { return {kind, points(), cubes[0] * cubes[1] * cubes[2] * of_cube(), "m"}; }

  std::array<double, 3> point(Index n) const {
    const Index across = cubes[0] + 1, up = cubes[1] + 1;
    return {static_cast<double>(n % across), static_cast<double>(n / across % up),
            static_cast<double>(n / across / up)};
  }
  // Of corner `place` of cell `n`. Tetrahedra go from the lowest corner along three edges to the highest.
  Index corner(Index n, Index place) const {
    static constexpr int hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    static constexpr int paths[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                        {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    const Index cube = n / of_cube(), x = cube % cubes[0], y = cube / cubes[0] % cubes[1],
                z = cube / cubes[0] / cubes[1];
    const int at = kind == CellKind::tetrahedron ? paths[n % 6][place] : hexahedron[place];
    return x + (at & 1) + (cubes[0] + 1) * (y + (at >> 1 & 1) + (cubes[1] + 1) * (z + (at >> 2)));
  }
};

// Hands over `total` rows of `width` values in two calls, every part first the first half of its rows.
template <class T>
void give_rows(const Communicator& comm, const std::vector<ExecutorPtr>& executors, Index total, Index width,
               const std::function<T(Index row, Index place)>& value,
               const std::function<void(std::span<const RowsOf<T>>)>& take) {
  const auto parts = static_cast<Index>(executors.size()), all = parts * comm.size();
  for (const int half : {0, 1}) {
    std::vector<Array<T, 1>> memory;
    std::vector<RowsOf<T>> rows;
    for (Index p = 0; p < parts; ++p) {
      const Index part = comm.rank() * parts + p, low = total * part / all, high = total * (part + 1) / all;
      const Index middle = (low + high) / 2;
      const Range<1> block{{half == 0 ? low : middle}, {half == 0 ? middle : high}};
      std::vector<T> host;
      for (Index row = block.lo[0]; row < block.hi[0]; ++row)
        for (Index place = 0; place < width; ++place) host.push_back(value(row, place));
      memory.push_back(make_array(executors[static_cast<std::size_t>(p)], host));
      rows.push_back({block, std::as_const(memory.back()).view(), memory.back().executor().get()});
    }
    take(rows);
  }
}

// A step with point values u = sample() and the vector v, and cell values of 6: number of the cell times place.
inline void publish_mesh(FieldSink& sink, const Communicator& comm, const std::vector<ExecutorPtr>& executors,
                         const BoxMesh& box, double t) {
  const Mesh mesh = box.mesh();
  if (sink.mesh(mesh)) {
    give_rows<double>(
        comm, executors, mesh.points, 3, [&](Index row, Index axis) { return box.point(row)[axis]; },
        [&](std::span<const RowsOf<double>> parts) { sink.mesh_points(parts); });
    give_rows<Index>(
        comm, executors, mesh.cells, mesh.corners(), [&](Index row, Index place) { return box.corner(row, place); },
        [&](std::span<const RowsOf<Index>> parts) { sink.mesh_cells(parts); });
  }
  const auto give = [&](const FieldInfo& info, const std::function<double(Index, Index)>& value) {
    give_rows<double>(comm, executors, info.centring == Centring::point ? mesh.points : mesh.cells, info.width, value,
                      [&](std::span<const RowsOf<double>> parts) { sink.on_mesh(info, parts); });
  };
  give({"u", "K"}, [&](Index row, Index) {
    const auto x = box.point(row);
    return sample(x[0], x[1], x[2], t);
  });
  FieldInfo vector{"v", "m"}, tensor{"s", "", Centring::cell};
  vector.width = 3;
  tensor.width = 6;
  give(vector, [&](Index row, Index axis) { return box.point(row)[axis] + t; });
  give(tensor, [](Index row, Index place) { return static_cast<double>(row * place); });
}

}  // namespace halocline
