// A field known by a formula, cut into parts along one axis, on device memory with gaps, as a problem would publish it.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// Nodes first + i * step, or stretched when `grading` is not 1.
inline std::vector<double> nodes(double first, double step, Index count, double grading = 1) {
  std::vector<double> result;
  for (Index i = 0; i < count; ++i, first += step, step *= grading) result.push_back(first);
  return result;
}

[[gnu::noinline]] inline double coordinate(const Grid& grid, Centring centring, int axis, Index i) {
  const auto& x = grid.nodes[axis];
  const bool between = centring == Centring::cell && x.size() > 1;
  return between ? 0.5 * (x[i] + x[i + 1]) : x[i];
}

// The formula of a field; distinguishes points, axes and times. Not inlined, so that it has the same bits everywhere.
[[gnu::noinline]] inline double sample(double x, double y, double z, double t) {
  return std::sin(x) + 2 * y + 3 * x * y - z * z + t;
}

// Where parts lie: `per_rank` of them on every rank, cut along `axis`; rows of their views are `gap` values longer than
// needed.
struct Layout {
  int axis = 0;
  int per_rank = 1;
  AxisOrder order = AxisOrder::x_slowest;
  Index gap = 0;
};

// Calls sink.field() once for every part of this rank.
inline void publish_sample(FieldSink& sink, const Communicator& comm, const std::vector<ExecutorPtr>& executors,
                           const Layout& layout, FieldInfo info, const Grid& grid, double t) {
  info.order = layout.order;
  const int parts = layout.per_rank * comm.size();
  for (int p = 0; p < layout.per_rank; ++p) {
    Range<3> block{};
    for (int d = 0; d < 3; ++d) {
      const Index n = info.centring == Centring::point ? grid.points(d) : grid.cells(d);
      const int part = comm.rank() * layout.per_rank + p;
      block.lo[d] = d == layout.axis ? n * part / parts : 0;
      block.hi[d] = d == layout.axis ? n * (part + 1) / parts : n;
    }
    const bool slowest = layout.order == AxisOrder::x_slowest;
    const int axes[3] = {slowest ? 0 : 2, 1, slowest ? 2 : 0};  // of the view's indices
    const Index row = block.extent(axes[2]) + layout.gap;
    std::vector<double> host(static_cast<std::size_t>(block.extent(axes[0]) * block.extent(axes[1]) * row), -1e30);
    for (Index i = block.lo[0]; i < block.hi[0]; ++i) {
      for (Index j = block.lo[1]; j < block.hi[1]; ++j) {
        for (Index k = block.lo[2]; k < block.hi[2]; ++k) {
          const Index at[3] = {i - block.lo[0], j - block.lo[1], k - block.lo[2]};
          host[static_cast<std::size_t>((at[axes[0]] * block.extent(axes[1]) + at[axes[1]]) * row + at[axes[2]])] =
              sample(coordinate(grid, info.centring, 0, i), coordinate(grid, info.centring, 1, j),
                     coordinate(grid, info.centring, 2, k), t);
        }
      }
    }
    Array<double, 1> device(executors[p % executors.size()], {static_cast<Index>(host.size())});
    device.assign(host);
    View<const double, 3> view(device.view().data, block.extent(axes[0]), block.extent(axes[1]), row);
    view.extent[2] -= layout.gap;
    sink.field(info, p, block, view, *device.executor());
  }
}

}  // namespace halocline
