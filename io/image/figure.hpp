// Figures as papers have them: points and lines over two axes, or a map in colors with a color bar and contours; as
// PNG, SVG or PDF of a given size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/image/axis.hpp"
#include "io/image/canvas.hpp"

namespace halocline {

enum class Mark { points, line, both };

struct FigureSeries {
  std::string label;         // of the legend; "" for none
  std::vector<double> x, y;  // of equal length; a value that is not finite leaves a gap
  Mark mark = Mark::points;
  // 0 to 1: a color from dark to light, for what has an order; else colors that differ, after six again with dashes.
  double shade = -1;
};

// Values on a raster that fills the frame (on logarithmic axes with equal ratios).
struct FigureMap {
  Index width = 0, height = 0;
  std::vector<double> values = {};  // the lowest row first; what is not finite stays blank
  PlotAxis color = {};              // its ends are those of the colors, its label is that of the bar
  std::vector<double> levels = {};  // of contours
  // The raster that contours are drawn from, where it is another one.
  Index line_width = 0, line_height = 0;
  std::vector<double> line_values = {};
};

struct Figure {
  double width = 150, height = 0;  // mm; height 0: as the axes want it
  double resolution = 200;         // pixels per inch
  std::string title;
  PlotAxis x, y;
  bool equal = false;  // one length along both axes, where the size allows it
  std::vector<FigureSeries> series;
  std::optional<FigureMap> map;
};

constexpr double least_width = 40, least_height = 30, most_length = 1200;  // mm

// Where the axes lie, in points, and how large the sheet is.
struct FigureLayout {
  double width = 0, height = 0;
  SheetBox frame, bar;
};
FigureLayout layout_of(const Figure& figure);

// From the end of a file's name; DeckError for another one than .png, .svg and .pdf.
FigureFormat format_of(const std::string& path);

// The bytes of a file. DeckError for a size too small for the frame, or larger than most_length.
std::string draw(const Figure& figure, FigureFormat format);

}  // namespace halocline
