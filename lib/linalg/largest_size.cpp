#include "lib/linalg/largest_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gpu/launch.hpp"

namespace halocline {

namespace {

struct SizeOfNumber {
  const double* x;
  double beyond = std::numeric_limits<double>::infinity();  // of what is no number
  HALOCLINE_HD double operator()(Index i) const {
    const double size = x[i] < 0 ? -x[i] : x[i];
    return size - size == 0 ? size : beyond;
  }
};
struct LargerNumber {
  HALOCLINE_HD double operator()(double a, double b) const { return b > a ? b : a; }
};

}  // namespace

double largest_size(const Vector<double>& x) {
  std::array<double, 1> largest{0};
  const Team& team = x.space().team();
  for (int p = 0; p < team.parts(); ++p) {
    const auto values = x.part(p);
    const double one =
        reduce(*team.executor(p), {"largest number", static_cast<double>(values.size()) * sizeof(double)},
               Range<1>{{0}, {values.size()}}, 0.0, LargerNumber{}, SizeOfNumber{values.data});
    largest[0] = std::max(largest[0], one);
  }
  x.space().comm().max(largest);
  return std::isinf(largest[0]) ? std::nan("") : largest[0];
}

}  // namespace halocline
