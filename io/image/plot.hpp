// Diagrams: points over two axes with ticks and labels, drawn into an Image with a small font of our own.
#pragma once

#include <string>
#include <vector>

#include "io/image/image.hpp"

namespace halocline {

struct PlotAxis {
  std::string label;
  bool logarithmic = false;
  double low = 0, high = 1;  // ends; on a logarithmic axis both are positive
};

struct PlotSeries {
  std::string label;
  std::vector<double> x, y;  // of equal length; points that are not finite or outside the axes are left out
};

struct Plot {
  Index width = 1200, height = 800;  // pixels; at least 400 x 300
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;  // colors repeat after six
};

// The ends of an axis that shows all finite values (positive ones on a logarithmic axis), with a margin. Throws
// DeckError when there is none.
PlotAxis axis_for(const std::string& label, bool logarithmic, const std::vector<const std::vector<double>*>& values);

struct Tick {
  double value = 0;
  std::string text;  // "" for a small one
};
// Ticks at 1, 2 or 5 times powers of ten, six to twelve on a linear axis; on a logarithmic one the powers of ten, and
// 2 and 5 times them where there are few.
std::vector<Tick> ticks_of(const PlotAxis& axis);

// Levels are those of ColorMap::drawing.
Image draw(const Plot& plot);

}  // namespace halocline
