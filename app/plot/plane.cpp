// Values of a plane between those that are known.
#include "app/plot/plane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The interval that a place lies in, and its share of it from the low end.
struct Interval {
  std::size_t first = 0;
  double share = 0, length = 1;
};

Interval interval_of(const std::vector<double>& places, double at) {
  if (places.size() < 2) return {0, 0, 1};
  const auto above = std::upper_bound(places.begin() + 1, places.end() - 1, at);
  const auto first = static_cast<std::size_t>(above - places.begin()) - 1;
  const double length = places[first + 1] - places[first];
  return {first, (at - places[first]) / length, length};
}

// Value and slope of the cubic functions that are 1 (or have the slope 1) at one end of an interval: value at the low
// end, slope there, value at the high end, slope there; or their derivatives.
std::array<double, 4> hermite(const Interval& in, bool derived) {
  const double t = in.share, h = in.length;
  if (derived) return {6 * t * (t - 1) / h, (1 - t) * (1 - 3 * t), 6 * t * (1 - t) / h, t * (3 * t - 2)};
  return {(1 + 2 * t) * (1 - t) * (1 - t), h * t * (1 - t) * (1 - t), t * t * (3 - 2 * t), h * t * t * (t - 1)};
}

std::vector<double> middles(const std::vector<double>& borders) {
  std::vector<double> made;
  for (std::size_t i = 1; i < borders.size(); ++i) made.push_back((borders[i - 1] + borders[i]) / 2);
  return made;
}

double clamped(const std::vector<double>& places, double at) { return std::clamp(at, places.front(), places.back()); }

class Sampler {
 public:
  Sampler(const FieldPlane& plane, bool smooth) : plane_(plane), between_(!plane.cells || smooth) {
    x_ = plane.cells && smooth ? middles(plane.x) : plane.x;
    y_ = plane.cells && smooth ? middles(plane.y) : plane.y;
    columns_ = plane.cells ? plane.x.size() - 1 : plane.x.size();
  }
  double at(double x, double y) const {
    const Interval along{interval_of(x_, clamped(x_, x))}, up{interval_of(y_, clamped(y_, y))};
    if (!between_) return value(plane_.values, along.first, up.first);
    return plane_.bicubic() ? bicubic(along, up) : bilinear(along, up);
  }

 private:
  double value(const std::vector<double>& of, std::size_t i, std::size_t j) const { return of[j * columns_ + i]; }
  double bilinear(const Interval& along, const Interval& up) const {
    const std::size_t right = std::min(along.first + 1, x_.size() - 1), above = std::min(up.first + 1, y_.size() - 1);
    const auto row = [&](std::size_t j) {
      return value(plane_.values, along.first, j) * (1 - along.share) + value(plane_.values, right, j) * along.share;
    };
    return row(up.first) * (1 - up.share) + row(above) * up.share;
  }
  double bicubic(const Interval& along, const Interval& up) const {
    const std::array<double, 4> a = hermite(along, plane_.derived[0] > 0), b = hermite(up, plane_.derived[1] > 0);
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const std::size_t column = along.first + i, row = up.first + j;
        sum += a[2 * i] * b[2 * j] * value(plane_.values, column, row) +
               a[2 * i + 1] * b[2 * j] * value(plane_.slopes[0], column, row) +
               a[2 * i] * b[2 * j + 1] * value(plane_.slopes[1], column, row) +
               a[2 * i + 1] * b[2 * j + 1] * value(plane_.slopes[2], column, row);
      }
    return sum;
  }

  const FieldPlane& plane_;
  bool between_;
  std::vector<double> x_, y_;
  std::size_t columns_;
};

}  // namespace

void take_plane(const std::string& text, PlaneRequest& request) {
  const std::size_t axis = text.empty() ? std::string::npos : std::string("xyz").find(text[0]);
  std::size_t used = 0;
  request.middle = text.size() == 1;
  try {
    if (text.size() > 2 && text[1] == '=') request.place = std::stod(text.substr(2), &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (axis == std::string::npos ||
      (!request.middle && (used == 0 || used + 2 != text.size() || !std::isfinite(request.place))))
    throw DeckError("--plane " + text + ": expected x, y or z, or a place on that axis as z=9.5");
  request.axis = static_cast<int>(axis);
}

double FieldPlane::at(double x_place, double y_place, bool smooth) const {
  if (x_place < x.front() || x_place > x.back() || y_place < y.front() || y_place > y.back()) return nan;
  return Sampler(*this, smooth).at(x_place, y_place);
}

std::vector<double> FieldPlane::raster(Index width, Index height, bool smooth) const {
  const Sampler sampler(*this, smooth);
  std::vector<double> made;
  made.reserve(static_cast<std::size_t>(width * height));
  const auto place = [](const std::vector<double>& of, Index pixel, Index pixels) {
    return of.front() + (of.back() - of.front()) * (static_cast<double>(pixel) + 0.5) / static_cast<double>(pixels);
  };
  for (Index row = 0; row < height; ++row)
    for (Index column = 0; column < width; ++column)
      made.push_back(sampler.at(place(x, column, width), place(y, row, height)));
  return made;
}

double FieldPlane::variation() const {
  const std::size_t columns = cells ? x.size() - 1 : x.size(), rows = values.size() / std::max<std::size_t>(1, columns);
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    low = std::min(low, values[i]), high = std::max(high, values[i]);
    const double before = i % columns == 0 ? nan : values[i - 1], below = i < columns ? nan : values[i - columns];
    for (const double other : {before, below})
      if (std::isfinite(other)) sum += std::abs(values[i] - other);
  }
  return high > low ? sum / static_cast<double>(rows + columns) / (high - low) : 0;
}

}  // namespace halocline
