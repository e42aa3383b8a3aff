// The legend of a figure, where it hides least, and the colors of series.
#pragma once

#include <string>
#include <vector>

#include "io/image/figure.hpp"

namespace halocline {

// The color of a series by its shade, or by its number among others: colors that the color-blind tell apart (M. Okabe,
// K. Ito, 2008), black first, six and then again.
Rgb color_of_series(const FigureSeries& series, std::size_t number);
// The length of the dashes of its line, in points: 0 for the first six, then lines differ by these.
double dashes_of_series(const FigureSeries& series, std::size_t number);

struct LegendEntry {
  std::string label;
  Rgb color;
  Mark mark = Mark::points;
  std::vector<SheetPoint> spots;  // what the series has drawn
  double dashes = 0;
};

// Entries without a label are left out; nothing is drawn where there are none.
void draw_legend(Canvas& canvas, const SheetBox& frame, const std::vector<LegendEntry>& entries, double letter);

}  // namespace halocline
