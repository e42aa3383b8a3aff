#include "io/image/contours.hpp"

#include <array>
#include <cmath>
#include <unordered_map>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// An edge of the raster: below a value (to its right) or left of it (upwards).
using Edge = Index;

class Tracer {
 public:
  Tracer(std::span<const double> values, Index width, Index height, double level)
      : values_(values), width_(width), height_(height), level_(level) {}

  std::vector<std::vector<SheetPoint>> lines() {
    for (Index y = 0; y + 1 < height_; ++y)
      for (Index x = 0; x + 1 < width_; ++x) cross(x, y);
    std::vector<std::vector<SheetPoint>> found;
    // From open ends first; what is left is closed.
    for (const bool open : {true, false})
      for (const Edge start : order_)
        if (const Ends& ends = joined_.at(start); !ends.used && (!open || ends.count == 1))
          found.push_back(trace(start));
    return found;
  }

 private:
  struct Ends {
    std::array<Edge, 2> to{};
    int count = 0;
    bool used = false;
  };
  double at(Index x, Index y) const { return values_[static_cast<std::size_t>(y * width_ + x)]; }
  Edge right_of(Index x, Index y) const { return 2 * (y * width_ + x); }
  Edge above(Index x, Index y) const { return 2 * (y * width_ + x) + 1; }

  // The lines through the square above and to the right of a value.
  void cross(Index x, Index y) {
    const std::array<double, 4> corners{at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)};
    const std::array<Edge, 4> edges{right_of(x, y), above(x + 1, y), right_of(x, y + 1), above(x, y)};
    std::array<Edge, 4> cut{};
    std::size_t cuts = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!std::isfinite(corners[k])) return;
      if ((corners[k] >= level_) != (corners[(k + 1) % 4] >= level_)) cut[cuts++] = edges[k];
    }
    if (cuts == 2) join(cut[0], cut[1]);
    if (cuts != 4) return;
    const bool middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4 >= level_;
    const bool same = middle == (corners[0] >= level_);  // the first corner and the one across are joined
    join(cut[0], cut[same ? 1 : 3]);
    join(cut[2], cut[same ? 3 : 1]);
  }

  void join(Edge one, Edge other) {
    for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}}) {
      const auto [place, fresh] = joined_.try_emplace(from);
      if (fresh) order_.push_back(from);
      place->second.to[static_cast<std::size_t>(place->second.count++)] = to;
    }
  }

  SheetPoint spot(Edge edge) const {
    const Index place = edge / 2, x = place % width_, y = place / width_;
    const bool upwards = edge % 2 == 1;
    const double from = at(x, y), to = upwards ? at(x, y + 1) : at(x + 1, y);
    const double share = (level_ - from) / (to - from);
    return {static_cast<double>(x) + (upwards ? 0 : share), static_cast<double>(y) + (upwards ? share : 0)};
  }

  std::vector<SheetPoint> trace(Edge start) {
    std::vector<SheetPoint> line;
    for (Edge edge = start;;) {
      Ends& ends = joined_.at(edge);
      ends.used = true;
      line.push_back(spot(edge));
      int next = 0;
      while (next < ends.count && joined_.at(ends.to[static_cast<std::size_t>(next)]).used) ++next;
      if (next == ends.count) {
        const bool closed = ends.count == 2 && line.size() > 2 && (ends.to[0] == start || ends.to[1] == start);
        if (closed) line.push_back(line.front());
        return line;
      }
      edge = ends.to[static_cast<std::size_t>(next)];
    }
  }

  std::span<const double> values_;
  Index width_, height_;
  double level_;
  std::unordered_map<Edge, Ends> joined_;
  std::vector<Edge> order_;
};

}  // namespace

std::vector<std::vector<SheetPoint>> contours(std::span<const double> values, Index width, Index height, double level) {
  require(values.size() == static_cast<std::size_t>(width * height), "contours: as many values as the raster has");
  return Tracer(values, width, height, level).lines();
}

}  // namespace halocline
