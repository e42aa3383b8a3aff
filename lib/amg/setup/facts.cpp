#include "lib/amg/setup/facts.hpp"

namespace halocline::amg {

std::string to_text(Ending ending) {
  switch (ending) {
    case Ending::small:
      return "the level is small enough to be solved directly";
    case Ending::nothing_strong:
      return "no row depends on another";
    case Ending::stalled:
      return "the next level would have more than 0.9 times the rows";
    case Ending::levels:
      return "there are as many levels as allowed";
    case Ending::complexity:
      break;
  }
  return "the next level would bring the operator complexity above max_complexity";
}

double HierarchyFacts::operator_complexity() const {
  double entries = 0;
  for (const LevelFacts& level : levels) entries += static_cast<double>(level.entries);
  return entries / static_cast<double>(levels.front().entries);
}

double HierarchyFacts::grid_complexity() const {
  double rows = 0;
  for (const LevelFacts& level : levels) rows += static_cast<double>(level.rows);
  return rows / static_cast<double>(levels.front().rows);
}

double HierarchyFacts::bytes() const {
  double bytes = 0;
  for (const LevelFacts& level : levels) bytes += level.bytes;
  return bytes;
}

}  // namespace halocline::amg
