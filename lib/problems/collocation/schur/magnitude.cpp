#include "lib/problems/collocation/schur/magnitude.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gpu/launch.hpp"

namespace halocline::collocation {

namespace {

struct AbsoluteValue {
  View<const double, 1> values;
  HALOCLINE_HD double operator()(Index n) const { return values(n) < 0 ? -values(n) : values(n); }
};

// Of two numbers; the first where the second is none.
struct Largest {
  HALOCLINE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

struct Multiply {
  View<double, 1> values;
  double factor;
  HALOCLINE_HD void operator()(Index n) const { values(n) *= factor; }
};

}  // namespace

double power_near(const Communicator& comm, double largest) {
  std::array<double, 1> all{largest};
  comm.max(all);
  return all[0] > 0 && std::isfinite(all[0]) ? std::exp2(std::ilogb(all[0])) : 1;
}

double scale_to_one(Vector<double>& x) {
  const Team& team = x.space().team();
  double largest = 0;
  for (int p = 0; p < team.parts(); ++p) {
    const auto values = std::as_const(x).part(p);
    const Label label{"largest value", static_cast<double>(values.size()) * sizeof(double)};
    largest = std::max(largest, reduce(*team.executor(p), label, Range<1>{{0}, {values.size()}}, 0.0, Largest{},
                                       AbsoluteValue{values}));
  }
  const double power = power_near(x.space().comm(), largest);
  for (int p = 0; p < team.parts(); ++p) {
    const auto values = x.part(p);
    launch(*team.executor(p), {"scale by a power", 2 * static_cast<double>(values.size()) * sizeof(double)},
           Range<1>{{0}, {values.size()}}, Multiply{values, 1 / power});
  }
  return power;
}

}  // namespace halocline::collocation
