// Fields in files: rasters of 2 or 3 axes as .npy, .csv and datasets of HDF5, and fields that an earlier run has
// written. What is wrong with a file is a DeckError with the file's name and the place in it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct RasterRequest {
  std::string path;     // .npy, .csv (.txt), .h5 (.hdf5); .vtkhdf (.hdf), or the folder of a run: an earlier result
  std::string dataset;  // of .h5
  std::string field;    // of an earlier result
  std::string time;     // of a run: "last", "first" or a number; empty: last
};

// Ranges of values along x, y and z, low <= index < high.
struct RasterWindow {
  std::array<Index, 3> low{0, 0, 0}, high{1, 1, 1};
};

class RasterFile {
 public:
  // What an earlier result knows of its grid.
  struct Grid {
    std::array<double, 3> first{}, spacing{};  // place of the first value, distance of values
    bool cells = true;                         // whether values are those of cells, in their middles
  };

  virtual ~RasterFile() = default;
  int dimensions = 2;
  std::array<Index, 3> extent{1, 1, 1};  // values along x, y, z
  std::optional<Grid> grid;
  std::string name;  // path, and what was chosen in it, for messages

  // Values of a window, [z][y][x]; not collective.
  virtual std::vector<double> read(const RasterWindow& window) const = 0;
};

// Reads headers, of .csv all values. Every rank that calls opens the file for itself.
std::unique_ptr<RasterFile> open_raster(const RasterRequest& request);

// Most values that are read from a file.
constexpr Index most_raster_values = Index{1} << 31;

}  // namespace halocline
