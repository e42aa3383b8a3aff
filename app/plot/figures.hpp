// The figures that `halocline plot` and the page of a report draw, out of the files of runs.
#pragma once

#include <string>
#include <vector>

#include "app/cli.hpp"
#include "app/plot/columns.hpp"
#include "io/image/figure.hpp"

namespace halocline {

struct NamedFigure {
  Figure figure;
  std::string name;   // for a file: "ymax"
  std::string words;  // what is seen, in a line
};

// "c from 1 to 2", by the ends of the colors; "c is 3" where all values are the same.
std::string words_of_colors(const std::string& name, const FigureMap& map);

// Columns of an ensemble over what was swept, over times, along trajectories; of two swept values a map. DeckError when
// there are no such columns.
NamedFigure ensemble_figure(const TableFile& tables, const Command::Plot& wanted);

// Whether a column of this path is drawn by series_figure().
bool is_series(const std::string& path);
// The series that are drawn when nobody says: residuals, what the family keeps over time; empty where there are none.
std::vector<std::string> default_series(const TableFile& tables);
// Series of one run or several over time or their number, probes over time and along lines.
NamedFigure series_figure(const std::vector<const TableFile*>& runs, const std::vector<std::string>& names,
                          const Command::Plot& wanted);

// The names of the fields that the last output of a run has; none where there are no fields.
std::vector<std::string> fields_of(const std::string& directory);
// A field in colors, of three dimensions on a plane.
NamedFigure field_figure(const std::string& directory, const std::string& field, const Command::Plot& wanted);

}  // namespace halocline
