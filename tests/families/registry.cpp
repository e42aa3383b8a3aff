#include <array>

#include "tests/families/families.hpp"

namespace halocline {

std::span<const Family> families() {
  static const std::array<Family, 2> table{stepper_family(), ensemble_family()};
  return table;
}

}  // namespace halocline
