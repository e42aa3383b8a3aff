#include "lib/linalg/strips/strips.hpp"

#include <algorithm>
#include <utility>

namespace halocline {

namespace strips {

namespace {

// use(last of A, A, B) for the pairs of the tree, small ones first.
template <class Use>
void each_pair(Index strips, const Use& use) {
  for (Index span = 1; span < strips; span *= 2)
    for (Index last = span - 1; last + 1 < strips; last += 2 * span)
      use(last, Range<1>{{last + 1 - span}, {last + 1}}, Range<1>{{last + 1}, {std::min(last + 1 + span, strips)}});
}

bool inside(const Range<1>& node, const Range<1>& range) {
  return node.lo[0] >= range.lo[0] && node.hi[0] <= range.hi[0];
}

}  // namespace

StripLayout strip_layout(Index rows) {
  require(rows >= 1, "strips: a line without rows");
  const Index count = std::max<Index>(1, rows / strip_length(rows));
  require(count < 65536, "strips: a line is too long");
  return {rows, count, static_cast<unsigned>(rows / count), static_cast<unsigned>(rows % count)};
}

std::vector<JoinStep> join_steps(Index strips) { return join_steps(strips, {{0}, {strips}}); }

std::vector<JoinStep> join_steps(Index strips, const Range<1>& own) {
  std::vector<JoinStep> steps;
  each_pair(strips, [&](Index last, const Range<1>& a, const Range<1>& b) {
    if (!inside({{a.lo[0]}, {b.hi[0]}}, own)) return;
    const auto place = [&](Index strip) { return static_cast<int>(strip - own.lo[0]); };
    steps.push_back({static_cast<int>(last), place(a.lo[0]), place(last), place(b.hi[0] - 1)});
  });
  return steps;
}

std::vector<Range<1>> top_nodes(Index strips, const Range<1>& own) {
  std::vector<Range<1>> nodes;
  for (Index s = own.lo[0]; s < own.hi[0]; ++s) nodes.push_back({{s}, {s + 1}});
  each_pair(strips, [&](Index, const Range<1>& a, const Range<1>& b) {
    const auto found = std::find(nodes.begin(), nodes.end(), a);
    if (found == nodes.end() || !inside(b, own)) return;
    found->hi[0] = b.hi[0];
    nodes.erase(found + 1);
  });
  return nodes;
}

std::vector<JoinStep> join_steps_above(Index strips, const std::vector<Range<1>>& nodes) {
  std::vector<int> place;  // of the node that holds a strip
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    require(nodes[n].lo[0] == static_cast<Index>(place.size()), "strips: nodes do not follow each other");
    place.resize(static_cast<std::size_t>(nodes[n].hi[0]), static_cast<int>(n));
  }
  require(static_cast<Index>(place.size()) == strips, "strips: nodes are not the whole line");
  std::vector<JoinStep> steps;
  each_pair(strips, [&](Index last, const Range<1>& a, const Range<1>& b) {
    if (place[last] != place[last + 1])
      steps.push_back({static_cast<int>(last), place[a.lo[0]], place[last], place[b.hi[0] - 1]});
  });
  return steps;
}

Partition rows_of_strips(const StripLayout& layout, const Partition& strips) {
  require(strips.count() == layout.count, "strips: a partition of other lines");
  std::vector<Index> starts;
  for (int part = 0; part < strips.parts(); ++part) starts.push_back(layout.begin(strips.block(part).lo[0]));
  starts.push_back(layout.rows);
  return Partition::from_starts(std::move(starts));
}

}  // namespace strips
}  // namespace halocline
