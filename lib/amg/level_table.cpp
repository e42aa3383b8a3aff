#include "lib/amg/level_table.hpp"

#include <algorithm>

#include "lib/base/format.hpp"

namespace halocline::amg {
namespace {

constexpr double mebibyte = 1 << 20;

std::string place_of(const LevelFacts& level, bool inverted) {
  const char* format = inverted                                  ? "inverse"
                       : level.format == sparse::FormatKind::crs ? "rows"
                       : level.format == sparse::FormatKind::ell ? "wide rows"
                                                                 : "slices";
  return level.by_few          ? formatted("{}, on each of {} parts", format, level.parts)
         : level.replicated    ? formatted("{}, on every part", format)
         : level.two_exchanges ? formatted("{}, on {} parts, two exchanges", format, level.parts)
         : level.parts > 1     ? formatted("{}, on {} parts", format, level.parts)
                               : std::string(format);
}

}  // namespace

std::vector<std::string> level_table(const HierarchyFacts& facts) {
  std::vector<std::string> lines{
      "level        rows      entries  a row   most  interpolation  rounds  weights (least, mean)     MiB"};
  Guards guards;
  for (std::size_t l = 0; l < facts.levels.size(); ++l) {
    const LevelFacts& level = facts.levels[l];
    const double of_row = static_cast<double>(level.entries) / static_cast<double>(std::max<Index>(level.rows, 1));
    lines.push_back(formatted("{:5} {:11} {:12} {:6.1f} {:6} {:14} {:7} {:14.2f} {:6.2f} {:7.1f}  {}", l, level.rows,
                              level.entries, of_row, level.longest, level.weights, level.rounds, level.smallest_weight,
                              level.mean_weight, level.bytes / mebibyte,
                              place_of(level, facts.inverted && l + 1 == facts.levels.size())));
    guards.without_itself += level.guards.without_itself;
    guards.direct += level.guards.direct;
  }
  lines.push_back(formatted("operator complexity {:.3g}, grid complexity {:.3g}, {:.1f} MiB; last level: {}, {}",
                            facts.operator_complexity(), facts.grid_complexity(), facts.bytes() / mebibyte,
                            to_text(facts.ending), facts.inverted ? "inverted" : "solved by sweeps"));
  if (facts.cut) lines.emplace_back("rows of an interpolation were cut to two entries to stay below max_complexity");
  if (guards.without_itself + guards.direct > 0)
    lines.push_back(
        formatted("small denominators of the interpolation: {} rows without couplings that lead back, {} by "
                  "their own couplings alone",
                  guards.without_itself, guards.direct));
  return lines;
}

}  // namespace halocline::amg
