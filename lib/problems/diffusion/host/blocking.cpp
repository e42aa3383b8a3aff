#include "lib/problems/diffusion/host/blocking.hpp"

#include <unistd.h>

#include <algorithm>

namespace halocline::diffusion {

namespace {

std::size_t system_says(int name, std::size_t otherwise) {
  const long value = sysconf(name);
  return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

Index whole(Index cells, Index line) { return (cells + line - 1) / line * line; }

// Steps of a sweep that pay: rings of more would be too narrow for the caches, and masks with many weights are bound by
// arithmetic, not by memory.
int profitable_steps(const SweepShape& shape) {
  int steps = shape.dimensions == 3 ? 4 / shape.radius : shape.radius == 1 ? 16 : 24 / shape.radius;
  if (shape.kind == MaskKind::general) steps = shape.radius == 1 ? steps / 2 : shape.radius == 2 ? 2 : 1;
  // Halos of a part cost messages and rows computed twice.
  if (shape.open) steps = static_cast<int>(std::min<Index>(steps, shape.thinnest / (8 * shape.radius)));
  return std::max(steps, 1);
}

// Columns such that rings of all steps fit `bytes`.
Index ring_columns(const SweepShape& shape, int steps, std::size_t bytes) {
  const std::size_t of_column =
      static_cast<std::size_t>(steps) * static_cast<std::size_t>(2 * shape.radius + 2) * shape.value_bytes;
  return static_cast<Index>(bytes / of_column) - static_cast<Index>(shape.radius) * steps;
}

// An eighth of the cache: rows of both arrays pass through it, and rows being computed should stay in the first one.
void choose_strip(const SweepShape& shape, const Caches& caches, Index line, Blocking& b) {
  const Index least = std::max<Index>(16 * line, 12 * shape.radius * b.steps);
  b.width = std::clamp<Index>(ring_columns(shape, b.steps, caches.second / 8), least, 1024) / line * line;
}

void choose_column(const SweepShape& shape, const Caches& caches, Index line, Blocking& b) {
  const Index rim = 2 * static_cast<Index>(shape.radius) * b.steps;
  const auto planes = static_cast<std::size_t>(b.steps) * static_cast<std::size_t>(2 * shape.radius + 1);
  const auto cells = static_cast<Index>(caches.second * 6 / 10 / (planes * shape.value_bytes));
  b.width = std::min<Index>(whole(shape.extent[0], line), 64 * line);
  while (b.width > 8 * line && cells / (b.width + rim) - rim < 2 * rim + 8) b.width = whole(b.width / 2, line);
  b.height = std::max<Index>(cells / (b.width + rim) - rim, 4);
}

// Begins of pieces of [0, n): at most `size` long and of about the same size, whole lines but for the last, `edge` cut
// off on both sides.
std::vector<Index> cuts(Index n, Index size, Index edge, Index line, Index least_pieces) {
  std::vector<Index> result{0};
  Index from = 0, to = n;
  if (edge > 0 && n > 4 * edge) {
    result.push_back(edge);
    from = edge, to = (n - edge) / line * line;
  }
  const Index pieces = std::max((to - from + size - 1) / size, least_pieces);
  const Index piece = whole((to - from + pieces - 1) / pieces, line);
  for (Index at = from + piece; at < to; at += piece) result.push_back(at);
  if (to < n) result.push_back(to);
  result.push_back(n);
  return result;
}

}  // namespace

Caches read_caches() {
  return {system_says(_SC_LEVEL2_CACHE_SIZE, 1 << 20), system_says(_SC_LEVEL3_CACHE_SIZE, 16 << 20)};
}

Blocking choose_blocking(const SweepShape& shape, const Caches& caches) {
  const Index line = 64 / static_cast<Index>(shape.value_bytes);
  Blocking b;
  b.steps = std::clamp(shape.steps > 0 ? shape.steps : profitable_steps(shape), 1, most_pass_steps);
  const auto bytes =
      static_cast<std::size_t>(2 * shape.extent[0] * shape.extent[1] * shape.extent[2]) * shape.value_bytes;
  if (b.steps > 1) {
    if (shape.dimensions == 2) {
      choose_strip(shape, caches, line, b);
    } else {
      choose_column(shape, caches, line, b);
    }
    return b;
  }
  b.past_caches = bytes > caches.last / 4;
  b.edge_x = 8 * line;
  const Index columns = ring_columns(shape, 1, caches.second / 2);
  b.width = std::max<Index>(std::min<Index>(whole(shape.extent[0], line), columns / line * line), 64 * line);
  if (shape.dimensions == 3) {
    b.edge_m = 4 * shape.radius;
    b.height = std::max<Index>(columns / b.width, 2 * b.edge_m);
  }
  return b;
}

Tiling cut_tiles(const Blocking& blocking, int dimensions, int radius, int steps, const SlabBox& cells, int threads,
                 Index line) {
  const auto& [rows, along_y, along_x] = cells;
  // Every share of rows computes about radius * steps rows more than its own.
  const Index count = rows.hi - rows.lo, least_rows = std::max<Index>(4 * static_cast<Index>(radius) * steps, 1);
  const Index shares = std::clamp<Index>(count / least_rows, 1, threads);
  const Index least_pieces = shares < threads ? (threads + shares - 1) / shares : 1;
  std::vector<Index> x = cuts(along_x.hi - along_x.lo, blocking.width, blocking.edge_x, line, least_pieces);
  for (Index& begin : x) begin += along_x.lo;
  std::vector<Index> m{0, 1};
  if (dimensions == 3) m = cuts(along_y.hi - along_y.lo, blocking.height, blocking.edge_m, 1, 1);
  for (Index& begin : m) begin += along_y.lo;
  Tiling tiling;
  tiling.even = shares == threads;
  for (Index share = 0; share < shares; ++share) {
    const Rows own{rows.lo + count * share / shares, rows.lo + count * (share + 1) / shares};
    for (std::size_t j = 0; j + 1 < m.size(); ++j)
      for (std::size_t i = 0; i + 1 < x.size(); ++i) tiling.tiles.push_back({x[i], x[i + 1], m[j], m[j + 1], own});
  }
  return tiling;
}

}  // namespace halocline::diffusion
