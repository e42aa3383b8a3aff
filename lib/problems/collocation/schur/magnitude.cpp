#include "lib/problems/collocation/schur/magnitude.hpp"

#include <array>
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/linalg/largest_size.hpp"

namespace halocline::collocation {

namespace {

struct Multiply {
  View<double, 1> values;
  double factor;
  HALOCLINE_HD void operator()(Index n) const { values(n) *= factor; }
};

double power_of(double largest) { return largest > 0 && std::isfinite(largest) ? std::exp2(std::ilogb(largest)) : 1; }

}  // namespace

double power_near(const Communicator& comm, double largest) {
  std::array<double, 1> all{largest};
  comm.max(all);
  return power_of(all[0]);
}

double scale_to_one(Vector<double>& x) {
  const Team& team = x.space().team();
  const double power = power_of(largest_size(x));
  for (int p = 0; p < team.parts(); ++p) {
    const auto values = x.part(p);
    launch(*team.executor(p), {"scale by a power", 2 * static_cast<double>(values.size()) * sizeof(double)},
           Range<1>{{0}, {values.size()}}, Multiply{values, 1 / power});
  }
  return power;
}

}  // namespace halocline::collocation
