// Contours of values on a raster, by marching squares: linear between neighbors, joined to lines.
#pragma once

#include <span>
#include <vector>

#include "io/image/canvas.hpp"
#include "lib/base/types.hpp"

namespace halocline {

// Lines along which the values are `level`, in indices of the raster: (0, 0) is the first value, x runs fastest. A line
// that is closed ends where it begins. Squares with a corner that is not finite have none; where two lines could cross
// a square either way, the mean of its corners decides.
std::vector<std::vector<SheetPoint>> contours(std::span<const double> values, Index width, Index height, double level);

}  // namespace halocline
