// FineRows: rows of a level and what their couplings are for the interpolation of F-rows; see couplings.hpp.
#pragma once

#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/row_layout.hpp"

namespace halocline::amg {

using Coupling = unsigned char;
namespace couplings {
inline constexpr Coupling apart = 0;   // to a row of another component
inline constexpr Coupling weak = 1;    // all others that are not strong
inline constexpr Coupling coarse = 2;  // strong, to a C-point
inline constexpr Coupling fine = 3;    // strong, to an F-point
inline constexpr Coupling center = 4;  // the diagonal
}  // namespace couplings

struct FineRows {
  LevelRows rows;
  const Coupling* coupling;  // of every entry of F-rows; of other rows undefined
  const PointKind* kind;     // of local columns
  HALOCLINE_HD bool fine(Index row) const { return kind[rows.local(row)] == points::fine; }
};

}  // namespace halocline::amg
