// Openers of the formats of raster_file.hpp, for use there.
#pragma once

#include "io/raster/raster_file.hpp"

namespace halocline {

std::unique_ptr<RasterFile> open_npy(const std::string& path);
std::unique_ptr<RasterFile> open_csv(const std::string& path);
std::unique_ptr<RasterFile> open_hdf5_raster(const std::string& path, const std::string& dataset);
// One file of a run, and the file of its folder that has a time.
std::unique_ptr<RasterFile> open_result(const std::string& path, const std::string& field);
std::string result_at(const std::string& folder, const std::string& time);

// Sets extent and dimensions from indices as files have them, the slowest first: [y][x] or [z][y][x].
void set_extent(RasterFile& file, const std::vector<Index>& slowest_first);

}  // namespace halocline
