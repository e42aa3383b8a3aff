// How a part stores its vertical grid lines for the red-black Schur method.
//
// Lines come in pairs: pair m is the red line 2m and the black line 2m+1. A part owns consecutive pairs and cuts them
// into `lanes` strips of nearly equal length; strip l is lane l of every group, so group g holds the g-th pair of each
// strip and neighboring pairs lie in the same lane of neighboring groups. Eight lines then pass through every
// recurrence at once, whether in SIMD registers or in neighboring threads of a GPU.
//
// The values of a group are ordered [unknown k][V, W][lane], k = 0 .. 2ny-1, V = u and W = s_x u_x along the line.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "lib/base/pack.hpp"
#include "lib/base/types.hpp"

namespace halocline::collocation {

struct LineBlock {
  Index first_line = 0, end_line = 0;  // lines of the part, first even
  Index last_line = 0;                 // of the whole mesh (nx); where x is periodic the first one once more
  Index rows = 0;                      // unknowns along a line, 2 ny
  bool downward = false;               // whether unknown 0 lies at y_max; see runs_downward() in line_matrices.hpp

  Index lines() const { return end_line - first_line; }
  Index pairs() const { return (lines() + 1) / 2; }
  Index groups() const { return (pairs() + lanes - 1) / lanes; }
  Index group_size() const { return 2 * rows * lanes; }
  // Stored number of the unknown (or equation) k, counted from y_min.
  Index stored(Index k) const { return downward ? rows - 1 - k : k; }
  // Lanes 0 .. long_lanes()-1 have groups() pairs, the others one less.
  Index long_lanes() const { return pairs() - lanes * (groups() - 1); }
  Index length(Index lane) const { return groups() - (lane < long_lanes() ? 0 : 1); }
  // First pair of a lane, counted within the part.
  Index start(Index lane) const { return lane * groups() - std::max<Index>(lane - long_lanes(), 0); }
  // Black lines of a lane: one less where the part's last red line ends the mesh.
  Index black_length(Index lane) const {
    const Index n = length(lane);
    if (n == 0) return 0;
    return first_line + 2 * (start(lane) + n - 1) + 1 < end_line ? n : n - 1;
  }
  Index lane_of(Index pair) const {
    const Index in_long = long_lanes() * groups();
    return pair < in_long ? pair / groups() : long_lanes() + (pair - in_long) / (groups() - 1);
  }
  // Place of the first value of a pair's line within an array of groups; value (k, field) follows at
  // (2 k + field) * lanes.
  Index offset(Index pair) const {
    const Index lane = lane_of(pair);
    return (pair - start(lane)) * group_size() + lane;
  }
};

// Where a lane of a ghost group comes from.
struct GhostSource {
  enum Kind : Index { none, local, left_halo, right_halo };
  Index kind = none;
  Index offset = 0;   // of a local line
  double sign_v = 1;  // of V; -1 for the mirror image beyond a side with u = 0
};

// Lines outside of the mesh; mirrored, u is odd about a side, u_x even. Where x is periodic they are those of the other
// end, of the part itself if it has all.
enum class Beyond { nothing, mirror_image, other_end };

// Of black lines, group by group and lane by lane.
inline std::vector<GhostSource> ghost_sources(const LineBlock& block, std::initializer_list<Index> groups,
                                              Beyond beyond) {
  std::vector<GhostSource> sources;
  for (const Index g : groups)
    for (Index lane = 0; lane < lanes; ++lane) {
      GhostSource& source = sources.emplace_back();
      Index line = block.first_line + 2 * (block.start(lane) + g) + 1;
      const bool outside = line < 0 || line > block.last_line;
      if (block.length(lane) == 0 || g > block.length(lane) || (outside && beyond == Beyond::nothing)) continue;
      if (outside && beyond == Beyond::other_end) {
        if (block.lines() == block.last_line) line += line < 0 ? block.last_line : -block.last_line;
      } else if (outside) {
        line = line < 0 ? -line : 2 * block.last_line - line;
        source.sign_v = -1;
      }
      if (line < block.first_line) {
        source.kind = GhostSource::left_halo;
      } else if (line >= block.end_line) {
        source.kind = GhostSource::right_halo;
      } else {
        source.kind = GhostSource::local;
        source.offset = block.offset((line - block.first_line) / 2);
      }
    }
  return sources;
}

}  // namespace halocline::collocation
