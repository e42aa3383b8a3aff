#include "lib/problems/collocation/schur/magnitude.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace halocline::collocation {

double magnitude(const Communicator& comm, const std::vector<std::span<const double>>& arrays) {
  std::array<double, 1> largest{};
  for (const auto values : arrays)
    for (const double value : values) largest[0] = std::max(largest[0], std::abs(value));
  comm.max(largest);
  return largest[0] > 0 && std::isfinite(largest[0]) ? std::exp2(std::ilogb(largest[0])) : 1;
}

}  // namespace halocline::collocation
