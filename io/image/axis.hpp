// Axes of figures: their ends, and ticks where one would put them by hand.
#pragma once

#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct PlotAxis {
  std::string label;  // "^" raises what follows: "T (m^2/d)"
  bool logarithmic = false;
  double low = 0, high = 1;             // ends; on a logarithmic axis both are positive
  std::vector<std::string> words = {};  // texts of the values 0, 1, ... in place of numbers
};

// Where a value lies on an axis, 0 at its low end, 1 at its high one.
double share(const PlotAxis& axis, double value);

// Whether two values differ by rounding at most, which figures do not show.
bool same_in_figures(double low, double high);

// The ends of an axis that shows all finite values (positive ones on a logarithmic axis), with `margin` of its length
// on both sides. Throws DeckError when there is none.
PlotAxis axis_for(const std::string& label, bool logarithmic, const std::vector<const std::vector<double>*>& values,
                  double margin = 0.03);

// The label with the power of ten that the numbers of a linear axis leave out: "T (10^6 m^2/d)".
std::string full_label(const PlotAxis& axis);

struct Tick {
  double value = 0;
  std::string text;  // "" for a small one; powers as "10^4", a minus sign in UTF-8
};
// At most `most` ticks with a text: at 1, 2 or 5 times a power of ten on a linear axis, with equally many digits; at
// powers of ten on a logarithmic one, and at 2 and 5 times them where there is room.
std::vector<Tick> ticks_of(const PlotAxis& axis, Index most = 10);
// Values between the ends for about `count` contours.
std::vector<double> levels_of(const PlotAxis& axis, Index count);

}  // namespace halocline
