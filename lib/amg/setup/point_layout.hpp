// What a row of a level is for the next one.
#pragma once

#include "lib/base/types.hpp"

namespace halocline::amg {

// `isolated`: depends on nothing, and nothing depends on it; it has no part in coarser levels.
using PointKind = LocalIndex;  // as it travels
namespace points {
inline constexpr PointKind undecided = 0, coarse = 1, fine = 2, isolated = 3;
}

}  // namespace halocline::amg
