// From the block `data` to rasters: files are read, their grids compared with the domain, values checked where the
// domain uses them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/problems/data/data_options.hpp"

namespace halocline {

// Where formulas are evaluated.
struct DataDomain {
  int dimensions = 2;
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  double cell[3] = {0, 0, 0};  // widths of the cells whose means are unknowns; 0: unknowns are points
  friend bool operator==(const DataDomain&, const DataDomain&) = default;
};

// What a family tells of the files it has read.
struct DataSummary {
  std::vector<std::string> notes;
  std::size_t bytes = 0;  // of values, on every rank
  std::string identity;   // of what was read, for Plan::formulas
};

struct ReadData {
  Definitions names;  // those given, with rasters
  DataSummary summary;
};

// Every rank reads what the domain uses, whatever it owns of it. `path`: "diffusion.data"; `variables`: names that are
// taken. Names with faults stand for NaN, which causes no further ones. What has been read without faults is kept with
// `data`, and given again for the same domain. Not collective.
ReadData read_data(const Definitions& names, const DataList& data, const DataDomain& domain, const std::string& path,
                   std::span<const char* const> variables, Faults& faults);

}  // namespace halocline
