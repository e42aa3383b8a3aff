#include "mpi/halo/links.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace halocline {

Links reversed(const Links& links) {
  Links back(links.size());
  for (std::size_t p = 0; p < links.size(); ++p) {
    Index at = 0;
    for (const Link& link : links[p]) {
      back[p].push_back({link.part, link.recv, IndexSet::run(at, link.send.size())});
      at += link.send.size();
    }
  }
  return back;
}

Links neighbor_links(const Team& team, std::span<const NeighborSwaps> swaps, bool periodic) {
  require(static_cast<int>(swaps.size()) == team.parts(), "neighbor_links: one pair of swaps per part");
  const int total = team.total_parts();
  Links links(swaps.size());
  for (int local = 0; local < team.parts(); ++local) {
    const int part = team.first_part() + local;
    const auto& [before, behind] = swaps[local];
    std::vector<Link>& own = links[local];
    if (total == 1) {  // links to itself: what is sent is received by the same link
      if (periodic) own = {{0, behind.send, before.recv}, {0, before.send, behind.recv}};
      continue;
    }
    // By the number of the boundary, so that two parts that share both boundaries list them in the same order.
    if (part > 0) own.push_back({part - 1, before.send, before.recv});
    if (part + 1 < total || periodic) own.push_back({(part + 1) % total, behind.send, behind.recv});
    if (part == 0 && periodic) own.push_back({total - 1, before.send, before.recv});
  }
  return links;
}

Links line_links(const Team& team, std::span<const Index> lines, Index line_size, const GhostLines& ghosts,
                 bool periodic) {
  require(ghosts.room >= ghosts.before, "line_links: no room for the lines before");
  const auto run = [line_size](Index line, Index count) { return IndexSet::run(line * line_size, count * line_size); };
  std::vector<NeighborSwaps> swaps;
  for (const Index own : lines) {
    require(own >= std::max(ghosts.before, ghosts.behind), "line_links: a part is thinner than its ghost lines");
    const Index first = ghosts.room, end = first + own;
    swaps.push_back({{run(first, ghosts.behind), run(first - ghosts.before, ghosts.before)},
                     {run(end - ghosts.before, ghosts.before), run(end, ghosts.behind)}});
  }
  return neighbor_links(team, swaps, periodic);
}

Links slab_links(const Partition& partition, const Team& team, Index row_size, int width, bool periodic) {
  require(partition.parts() == team.total_parts(), "slab_links: partition and team differ in parts");
  std::vector<Index> rows;
  for (int local = 0; local < team.parts(); ++local) rows.push_back(partition.block(team.first_part() + local).size());
  return line_links(team, rows, row_size, {width, width, width}, periodic);
}

Links edge_links(const Team& team, std::span<const Index> lines, Index line_size) {
  std::vector<NeighborSwaps> swaps;
  for (const Index own : lines) {
    require(own >= 1, "edge_links: a part without lines");
    const IndexSet first = IndexSet::run(0, line_size), last = IndexSet::run((own - 1) * line_size, line_size);
    swaps.push_back({{first, first}, {last, IndexSet::run(line_size, line_size)}});
  }
  return neighbor_links(team, swaps);
}

Links gather_links(const Team& team, const Partition& partition, Index row_size, Index offset) {
  require(partition.parts() == team.total_parts(), "gather_links: partition and team differ in parts");
  const auto rows = [&](int part) {
    const Range<1> block = partition.block(part);
    return IndexSet::run(offset + block.lo[0] * row_size, block.size() * row_size);
  };
  Links links(static_cast<std::size_t>(team.parts()));
  for (int local = 0; local < team.parts(); ++local) {
    const int own = team.first_part() + local;
    for (int other = 0; other < team.total_parts(); ++other)
      if (other != own) links[local].push_back({other, rows(own), rows(other)});
  }
  return links;
}

}  // namespace halocline
