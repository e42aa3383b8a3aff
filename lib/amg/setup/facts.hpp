// What is known of a hierarchy, for logs and reports.
#pragma once

#include <string>
#include <vector>

#include "lib/amg/setup/classical/interpolation.hpp"
#include "lib/linalg/sparse/formats/matrix_format.hpp"

namespace halocline::amg {

// Why a level was not coarsened.
enum class Ending { small, nothing_strong, stalled, levels, complexity };
std::string to_text(Ending ending);

// What a level is like; counts are of all parts.
struct LevelFacts {
  Index rows = 0, entries = 0, longest = 0;  // longest: most entries of a row
  Index weights = 0;                         // entries of the interpolation from the next level; 0 on the last
  int rounds = 0;                            // of PMIS
  Guards guards;
  double smallest_weight = 1, mean_weight = 1;
  sparse::FormatKind format = sparse::FormatKind::crs;
  double fill = 1;
  double bytes = 0;  // of its matrix and its interpolation, there and back, on one part or on all together
  int parts = 1;     // that hold rows
  bool replicated = false;
  bool by_few = false;         // replicated on some parts alone
  bool two_exchanges = false;  // of a visit, in place of four: see rows_of_others.hpp
};

struct HierarchyFacts {
  std::vector<LevelFacts> levels;  // the finest first
  Ending ending = Ending::small;
  bool inverted = true;                // the last level; else swept over
  bool cut = false;                    // rows of an interpolation were cut to two entries
  double operator_complexity() const;  // entries of all levels over those of the finest
  double grid_complexity() const;      // the same of rows
  double bytes() const;                // of all levels
};

}  // namespace halocline::amg
