// The table of families: one line each.
#include <array>

#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/fractional/fractional.hpp"
#include "lib/problems/ode_ensemble/ode_ensemble.hpp"
#include "lib/problems/problem.hpp"
#include "lib/problems/sparse/sparse.hpp"

namespace halocline {

std::span<const Family> families() {
  static const std::array<Family, 5> table{
      collocation_family(), diffusion_family(), fractional_family(), ode_ensemble_family(), sparse_family(),
  };
  return table;
}

}  // namespace halocline
