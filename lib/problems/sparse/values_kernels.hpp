// Bodies for gpu/launch.hpp: values on rows in their natural order.
#pragma once

#include "lib/base/hash.hpp"
#include "lib/base/view.hpp"

namespace halocline::sparse {

struct SetBody {
  double value;
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index n) const { values(n) = value; }
};

// Numbers between -1 and 1 by row and seed.
struct RandomBody {
  std::uint64_t seed;
  Index first;
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index n) const {
    values(n) = 2 * u01(mix64(seed) ^ static_cast<std::uint64_t>(first + n)) - 1;
  }
};

struct ScaleBody {
  double factor;
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index n) const { values(n) *= factor; }
};

struct MagnitudeBody {
  View<double, 1> values;
  HALOCLINE_HD void operator()(Index n) const { values(n) = values(n) < 0 ? -values(n) : values(n); }
};

// Squares of differences, chunk by chunk of rows.
struct SquaresBody {
  View<const double, 1> u, known;
  Index chunk;
  template <class Sink>
  HALOCLINE_HD void operator()(Index n, Sink& sink) const {
    const Index begin = n * chunk, end = begin + chunk < u.extent[0] ? begin + chunk : u.extent[0];
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += (u(i) - known(i)) * (u(i) - known(i));
    sink.add(0, sum);
  }
};

// The size of a difference; infinite where it is no number.
struct DifferenceBody {
  View<const double, 1> u, known;
  double infinity;
  HALOCLINE_HD double operator()(Index i) const {
    const double e = u(i) - known(i), size = e < 0 ? -e : e;
    return size >= 0 ? size : infinity;
  }
};

struct LargerSize {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

// The row's own number where its value is not finite, else `none`.
struct NotFiniteBody {
  View<const double, 1> values;
  Index first, none;
  HALOCLINE_HD Index operator()(Index n) const { return values(n) - values(n) == 0 ? none : first + n; }
};
struct LowerRow {
  HALOCLINE_HD Index operator()(Index a, Index b) const { return b < a ? b : a; }
};

}  // namespace halocline::sparse
