// Raster: what a name of a deck's data stands for, a function of place given by values on a regular grid.
#pragma once

#include <memory>
#include <vector>

#include "lib/expression/raster_kernels.hpp"

namespace halocline {

struct Raster {
  std::shared_ptr<const std::vector<double>> values;  // [z][y][x]; rasters that differ in how they are looked up share
  RasterView view;                                    // of `values`
};

// `view` without its values.
inline std::shared_ptr<const Raster> make_raster(std::vector<double> values, RasterView view) {
  auto shared = std::make_shared<const std::vector<double>>(std::move(values));
  view.values = shared->data();
  return std::make_shared<const Raster>(Raster{std::move(shared), view});
}

}  // namespace halocline
