#include "lib/problems/data/read_data.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/raster/raster_file.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {

struct DataKept {
  DataDomain domain;
  std::vector<std::shared_ptr<const Raster>> rasters;  // by name
  DataSummary summary;
};

namespace {

constexpr const char* axes[3] = {"x", "y", "z"};
constexpr double tolerance = 1e-9;

std::string extent_text(const RasterFile& file) {
  std::string text = std::to_string(file.extent[0]) + " x " + std::to_string(file.extent[1]);
  return file.dimensions == 3 ? text + " x " + std::to_string(file.extent[2]) : text;
}

// One name.
class Reader {
 public:
  Reader(const DataOptions& options, const DataDomain& domain) : options_(options), domain_(domain) {}

  // Throws DeckError.
  std::shared_ptr<const Raster> read() {
    const Formula& name = options_.file.front().formula;
    const std::string path = (std::filesystem::path(name.place.file).parent_path() / name.text).string();
    file_ = open_raster({path, options_.dataset, options_.field, options_.time});
    if (file_->dimensions != domain_.dimensions)
      refuse("has " + std::to_string(file_->dimensions) + " axes, the grid of this deck " +
             std::to_string(domain_.dimensions));
    if (file_->grid) {
      take_grid();
    } else {
      place();
    }
    if (options_.interpolation == Interpolation::conservative) {
      if (!cells_) refuse("interpolation: conservative means values of cells, these are of nodes; take linear");
      if (domain_.cell[0] == 0)
        refuse("interpolation: conservative makes means over cells, unknowns here are points; take linear");
    }
    check_cover();
    return read_window();
  }
  // Of the values read.
  std::string note() const {
    return formatted("{}, {} {}, {}", file_->name, extent_text(*file_), cells_ ? "cells" : "nodes",
                     word_for(options_.interpolation));
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw DeckError(file_->name + ": " + message); }

  void take_grid() {
    cells_ = file_->grid->cells;
    if (!options_.extent.empty()) refuse("knows its extent; leave `extent` out");
    if (options_.values_given && (options_.values == RasterValues::cells) != cells_)
      refuse(std::string("has values of ") + (cells_ ? "cells" : "nodes") + "; leave `values` out");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      view_.extent[axis] = file_->extent[axis];
      if (static_cast<int>(axis) >= domain_.dimensions) continue;
      view_.origin[axis] = file_->grid->first[axis];
      view_.spacing[axis] = file_->grid->spacing[axis];
      if (!(view_.spacing[axis] != 0) || !std::isfinite(view_.spacing[axis]) || !std::isfinite(view_.origin[axis]))
        refuse(std::string("has no spacing along ") + axes[axis]);
    }
  }

  void place() {
    cells_ = options_.values == RasterValues::cells;
    const auto dimensions = static_cast<std::size_t>(domain_.dimensions);
    if (!options_.extent.empty() && options_.extent.size() != dimensions)
      refuse("extent has " + std::to_string(options_.extent.size()) + " axes, the grid of this deck " +
             std::to_string(dimensions));
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const bool given = !options_.extent.empty();
      const double low = given ? options_.extent[axis][0] : domain_.low[axis];
      const double high = given ? options_.extent[axis][1] : domain_.high[axis];
      const Index values = file_->extent[axis], gaps = cells_ ? values : values - 1;
      if (!std::isfinite(low) || !std::isfinite(high) || low == high)
        refuse(std::string("extent along ") + axes[axis] + " must be two different numbers");
      if (gaps == 0) refuse(std::string("has a single node along ") + axes[axis] + "; nodes lie on both ends");
      view_.extent[axis] = values;
      view_.spacing[axis] = (high - low) / static_cast<double>(gaps);
      view_.origin[axis] = cells_ ? low + 0.5 * view_.spacing[axis] : low;
    }
  }

  void check_cover() {
    for (int axis = 0; axis < domain_.dimensions; ++axis) {
      const double half = cells_ ? 0.5 : 0, step = view_.spacing[axis];
      const double first = view_.origin[axis] - half * step;
      const double last = view_.origin[axis] + (static_cast<double>(view_.extent[axis] - 1) + half) * step;
      const double low = std::min(first, last), high = std::max(first, last);
      const double room = tolerance * std::max(high - low, domain_.high[axis] - domain_.low[axis]);
      if (low > domain_.low[axis] + room || high < domain_.high[axis] - room)
        refuse(formatted("covers {} = {:.6g} to {:.6g}; the domain has {:.6g} to {:.6g}", axes[axis], low, high,
                         domain_.low[axis], domain_.high[axis]));
      view_.reach[axis] = 0.5 * domain_.cell[axis];
    }
    view_.interpolation = options_.interpolation;
  }

  // Values that places of the domain use along an axis, see RasterView.
  void window(int axis, Index& low, Index& high) const {
    const double last = static_cast<double>(view_.extent[axis] - 1);
    const auto at = [&](double place) {
      const double steps = (place - view_.origin[axis]) / view_.spacing[axis], whole = std::round(steps);
      return std::abs(steps - whole) < tolerance ? whole : steps;
    };
    double from = std::min(at(domain_.low[axis]), at(domain_.high[axis]));
    double to = std::max(at(domain_.low[axis]), at(domain_.high[axis]));
    const double half = view_.interpolation == Interpolation::linear ? 0 : 0.5;
    from = std::clamp(std::floor(from + half), 0.0, last), to = std::clamp(std::ceil(to - half), 0.0, last);
    if (half == 0 && last > 0) from = std::min(from, last - 1), to = std::max(to, 1.0);  // two to go on from
    low = static_cast<Index>(std::min(from, to)), high = static_cast<Index>(std::max(from, to)) + 1;
  }

  std::shared_ptr<const Raster> read_window() {
    RasterWindow w;
    double all = 1;
    for (int axis = 0; axis < domain_.dimensions; ++axis) {
      const auto n = static_cast<std::size_t>(axis);
      window(axis, w.low[n], w.high[n]);
      all *= static_cast<double>(w.high[n] - w.low[n]);
      view_.extent[axis] = w.high[n] - w.low[n];
      view_.origin[axis] += static_cast<double>(w.low[n]) * view_.spacing[axis];
    }
    if (all > static_cast<double>(most_raster_values))
      refuse(formatted("the domain uses {:.4g} values; {} can be read", all, most_raster_values));
    std::vector<double> values = file_->read(w);
    const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (bad != values.end()) {
      Index n = bad - values.begin();
      std::string place;
      for (int axis = 0; axis < domain_.dimensions; ++axis) {
        const Index i = n % view_.extent[axis];
        n /= view_.extent[axis];
        place += formatted("{}{} = {:.6g} (number {})", axis > 0 ? ", " : "", axes[axis],
                           view_.origin[axis] + static_cast<double>(i) * view_.spacing[axis],
                           i + w.low[static_cast<std::size_t>(axis)]);
      }
      refuse("is not finite at " + place);
    }
    return make_raster(std::move(values), view_);
  }

  const DataOptions& options_;
  const DataDomain& domain_;
  std::unique_ptr<RasterFile> file_;
  bool cells_ = true;
  RasterView view_;
};

// What decides the values of a raster at any place.
std::string identity_of(const Raster& raster) {
  const RasterView& v = raster.view;
  const std::vector<double>& values = *raster.values;
  std::string text = digest({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  for (int axis = 0; axis < 3; ++axis)
    text += " " + std::to_string(v.extent[axis]) + " " + exact_text(v.origin[axis]) + " " + exact_text(v.spacing[axis]);
  return text + " " + word_for(v.interpolation);
}

// Why a name cannot be one of data; empty when it can.
std::string fault_of(const std::string& name, std::span<const char* const> variables) {
  for (const char* variable : variables)
    if (name == variable) return "the name '" + name + "' is already a variable";
  return fault_of_name(name);
}

}  // namespace

ReadData read_data(const Definitions& names, const DataList& data, const DataDomain& domain, const std::string& path,
                   std::span<const char* const> variables, Faults& faults) {
  ReadData made{names, {}};
  if (data.kept && data.kept->domain == domain) {
    for (std::size_t n = 0; n < data.names.size(); ++n) made.names.data[n].raster = data.kept->rasters[n];
    made.summary = data.kept->summary;
    return made;
  }
  DataKept read{domain, {}, {}};
  for (std::size_t n = 0; n < data.names.size(); ++n) {
    const std::string& name = data.names[n];
    const std::string place = path + "." + name;
    std::shared_ptr<const Raster>& raster = made.names.data[n].raster;
    raster = make_raster({std::numeric_limits<double>::quiet_NaN()}, {});
    if (const std::string fault = fault_of(name, variables); !fault.empty()) {
      faults.at(place, fault);
      continue;
    }
    try {
      Reader reader(data.blocks[n], domain);
      raster = reader.read();
      const std::size_t bytes = raster->values->size() * sizeof(double);
      const std::string identity = identity_of(*raster);
      made.summary.bytes += bytes;
      made.summary.identity += name + " " + identity + "\n";
      made.summary.notes.push_back(formatted("data {}: {}, {:.3g} MB on every rank, digest {}", name, reader.note(),
                                             1e-6 * static_cast<double>(bytes),
                                             identity.substr(0, identity.find(' '))));
      read.rasters.push_back(raster);
    } catch (const DeckError& error) {
      faults.at(place, error.what());
    }
  }
  if (read.rasters.size() == data.names.size()) {
    read.summary = made.summary;
    data.kept = std::make_shared<const DataKept>(std::move(read));
  }
  return made;
}

}  // namespace halocline
