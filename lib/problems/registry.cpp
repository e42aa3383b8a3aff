// The table of families: one line each.
#include <array>

#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

std::span<const Family> families() {
  static const std::array<Family, 2> table{
      collocation_family(),
      diffusion_family(),
  };
  return table;
}

}  // namespace halocline
