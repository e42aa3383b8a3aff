#include "mpi/halo/box_links.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

// Own lines next to an end (or all: 0) of `count` lines that begin behind `ghosts`; ghosts there.
struct Lines {
  Index from, count;
};
Lines sent(int side, Index count, Index ghosts) {
  return side == 0 ? Lines{ghosts, count} : Lines{side < 0 ? ghosts : count, ghosts};
}
Lines received(int side, Index count, Index ghosts) {
  return side == 0 ? Lines{ghosts, count} : Lines{side < 0 ? 0 : ghosts + count, ghosts};
}

// Rows of a plane lie one behind the other.
IndexSet box_of(const BoxMemory& m, Lines rows, Lines planes) {
  return {planes.from * m.plane + rows.from * m.row, {planes.count, 1, rows.count * m.row}, {m.plane, 0, 1}, {}};
}

struct Directed {
  Link link;
  int key;  // of the direction, as the part of the lower number sees it
};

}  // namespace

Links box_links(const BoxPartition& boxes, const Team& team, std::span<const BoxMemory> memory, BoxAround around) {
  require(boxes.parts() == team.total_parts(), "box_links: boxes and team differ in parts");
  require(static_cast<int>(memory.size()) == team.parts(), "box_links: one memory per part");
  Links links(memory.size());
  for (int local = 0; local < team.parts(); ++local) {
    const int part = team.first_part() + local;
    const BoxMemory& m = memory[static_cast<std::size_t>(local)];
    require((!boxes.cut_along_y() || m.rows >= m.rim) && (!boxes.cut_along_z() || m.planes >= m.halo),
            "box_links: a part is thinner than its ghosts");
    std::vector<Directed> found;
    const int reach_y = boxes.cut_along_y() ? 1 : 0, reach_z = boxes.cut_along_z() ? 1 : 0;
    for (int dz = -reach_z; dz <= reach_z; ++dz)
      for (int dy = -reach_y; dy <= reach_y; ++dy) {
        const bool none = (dy == 0 && dz == 0) || (dy != 0 && dz != 0 && !around.across);
        const int other = none ? -1 : boxes.neighbor(part, dy, dz, around.y, around.z);
        if (other < 0) continue;
        const int key = 3 * dz + dy;
        found.push_back({{other, box_of(m, sent(dy, m.rows, m.rim), sent(dz, m.planes, m.halo)),
                          box_of(m, received(dy, m.rows, m.rim), received(dz, m.planes, m.halo))},
                         part < other ? key : -key});
      }
    // Two parts may be neighbors in several directions; both list these in the same order.
    std::stable_sort(found.begin(), found.end(), [](const Directed& a, const Directed& b) { return a.key < b.key; });
    for (Directed& one : found) links[static_cast<std::size_t>(local)].push_back(std::move(one.link));
  }
  return links;
}

}  // namespace halocline
