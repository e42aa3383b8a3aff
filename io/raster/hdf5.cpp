// Rasters in HDF5: a dataset of two or three indices, and fields that runs have written (VTKHDF).
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/h5/as_deck_error.hpp"
#include "io/h5/h5.hpp"
#include "io/input_file.hpp"
#include "io/raster/formats.hpp"
#include "lib/base/error.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {

namespace {

// Along an axis of a plane. A small file may claim any number, whose values nobody has written.
constexpr Index most_nodes = Index{1} << 24;

class Hdf5Raster final : public RasterFile {
 public:
  Hdf5Raster(const std::string& path, const std::string& dataset) : path_(path), dataset_(dataset) {
    name = path + ": " + dataset;
  }
  void take_extent() {
    const h5::File file(path_, h5::File::Mode::read);
    check_type(file);
    set_extent(*this, file.extent(dataset_));
  }
  void check_type(const h5::File& file) const {
    if (!file.holds_integers(dataset_) && !file.holds_reals(dataset_))
      throw DeckError(name + ": has no real numbers: complex ones and other types are not read");
  }
  // How places of the values follow each other in the dataset.
  enum class Order { slowest_first, flat_x_fastest, flat_y_fastest };
  Order order = Order::slowest_first;

  std::vector<double> read(const RasterWindow& w) const override {
    return as_deck_error([&] { return order == Order::slowest_first ? read_box(w) : read_flat(w); });
  }

 private:
  std::vector<double> values(h5::Extent offset, h5::Extent count) const {
    const h5::File file(path_, h5::File::Mode::read);
    Index all = 1;
    for (const Index n : count) all *= n;
    std::vector<double> made(static_cast<std::size_t>(all));
    const h5::Target box{std::move(offset), std::move(count), reinterpret_cast<std::byte*>(made.data())};
    if (all > 0) file.read(dataset_, h5::Type::float64, file.extent(dataset_), std::span(&box, 1));
    return made;
  }
  std::vector<double> read_box(const RasterWindow& w) const {
    h5::Extent offset{w.low[1], w.low[0]}, count{w.high[1] - w.low[1], w.high[0] - w.low[0]};
    if (h5::File(path_, h5::File::Mode::read).extent(dataset_).size() == 3) {
      offset.insert(offset.begin(), w.low[2]);
      count.insert(count.begin(), w.high[2] - w.low[2]);
    }
    return values(std::move(offset), std::move(count));
  }
  // Points of a plane, in one row.
  std::vector<double> read_flat(const RasterWindow& w) const {
    const bool x_fastest = order == Order::flat_x_fastest;
    const int fast = x_fastest ? 0 : 1, slow = 1 - fast;
    const Index lines = w.high[slow] - w.low[slow], line = extent[static_cast<std::size_t>(fast)];
    const std::vector<double> read = values({w.low[slow] * line}, {lines * line});
    std::vector<double> made;
    for (Index y = w.low[1]; y < w.high[1]; ++y)
      for (Index x = w.low[0]; x < w.high[0]; ++x)
        made.push_back(
            read[static_cast<std::size_t>(x_fastest ? (y - w.low[1]) * line + x : (x - w.low[0]) * line + y)]);
    return made;
  }

  std::string path_, dataset_;
};

std::string absolute(const std::string& name) { return name.starts_with("/") ? name : "/" + name; }

// What may have been meant, or what there is.
std::string choice_text(const std::string& wanted, const std::vector<std::string>& names) {
  if (const std::string near = nearest_name(wanted, names); !near.empty()) return "; did you mean " + near + "?";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; there are " : ", ") + name;
  return text;
}

Index length(const h5::File& file, const std::string& path, const std::string& dataset) {
  const h5::Extent extent = file.extent(dataset);
  if (extent.size() != 1)
    throw DeckError(path + ": " + dataset + ": has " + std::to_string(extent.size()) + " indices; expected one");
  return extent.front();
}

std::vector<double> numbers(const h5::File& file, const std::string& dataset, Index first, Index count) {
  std::vector<double> made(static_cast<std::size_t>(count));
  const h5::Target box{{first}, {count}, reinterpret_cast<std::byte*>(made.data())};
  file.read(dataset, h5::Type::float64, file.extent(dataset), std::span(&box, 1));
  return made;
}

// The distance of places that follow each other at equal distances.
double equal_distance(const std::vector<double>& places, const std::string& name, const char* axis) {
  const double all = places.back() - places.front(), step = all / static_cast<double>(places.size() - 1);
  for (std::size_t n = 0; n < places.size(); ++n)
    if (!(std::abs(places.front() + static_cast<double>(n) * step - places[n]) <= 1e-9 * std::abs(all)))
      throw DeckError(name + ": nodes lie at unequal distances along " + axis +
                      "; those of a uniform grid can be read");
  return step;
}

// The grid of points in a plane, whose geometry is a file beside that of the fields.
void take_points(Hdf5Raster& raster, const std::string& path, Index count) {
  const std::string geometry = (std::filesystem::path(path).parent_path() / "fields_grid.h5").string();
  const InputFile exists(geometry);
  const h5::File file(geometry, h5::File::Mode::read);
  if (!file.contains("/nodes/x") || !file.contains("/nodes/y") || !file.contains("/nodes/z"))
    throw DeckError(geometry + ": has no /nodes: the result does not lie on a grid");
  RasterFile::Grid grid;
  grid.cells = false;
  std::vector<double> nodes[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string dataset = std::string("/nodes/") + "xyz"[axis];
    const Index many = length(file, geometry, dataset);
    if (many < (axis < 2 ? 2 : 1)) throw DeckError(geometry + ": has a single node along an axis");
    if (many > most_nodes) throw DeckError(geometry + ": " + dataset + ": has more than 16 million nodes");
    nodes[axis] = numbers(file, dataset, 0, many);
    if (axis < 2) grid.spacing[axis] = equal_distance(nodes[axis], raster.name, axis == 0 ? "x" : "y");
    grid.first[axis] = nodes[axis].front();
  }
  const auto nx = static_cast<Index>(nodes[0].size()), ny = static_cast<Index>(nodes[1].size());
  if (nodes[2].size() != 1 || nx * ny != count)
    throw DeckError(raster.name + ": has " + std::to_string(count) + " values for " + std::to_string(nx) + " x " +
                    std::to_string(ny) + " nodes");
  double second[3];  // the second point tells which axis runs fastest
  const h5::Target box{{1, 0}, {1, 3}, reinterpret_cast<std::byte*>(second)};
  if (!file.contains("/Points") || file.extent("/Points") != h5::Extent{count, 3})
    throw DeckError(geometry + ": has no /Points of three coordinates for every value");
  file.read("/Points", h5::Type::float64, file.extent("/Points"), std::span(&box, 1));
  const bool x_fastest = second[0] != nodes[0].front();
  raster.order = x_fastest ? Hdf5Raster::Order::flat_x_fastest : Hdf5Raster::Order::flat_y_fastest;
  set_extent(raster, {ny, nx});
  raster.grid = grid;
}

// That of an image: cells, or points.
void take_image(Hdf5Raster& raster, const h5::File& file, const std::string& dataset, bool cells) {
  h5::Extent extent = file.extent(dataset);
  if (extent.size() != 3) throw DeckError(raster.name + ": has " + std::to_string(extent.size()) + " indices, not 3");
  if (extent[0] == 1) extent.erase(extent.begin());  // a plane
  set_extent(raster, extent);
  const std::vector<double> origin = file.numbers_attribute("/VTKHDF", "Origin"),
                            spacing = file.numbers_attribute("/VTKHDF", "Spacing");
  if (origin.size() != 3 || spacing.size() != 3) throw DeckError(raster.name + ": Origin and Spacing are no 3 numbers");
  RasterFile::Grid grid;
  grid.cells = cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.spacing[axis] = spacing[axis];
    grid.first[axis] = origin[axis] + (cells ? 0.5 * spacing[axis] : 0);
  }
  raster.grid = grid;
}

}  // namespace

std::unique_ptr<RasterFile> open_hdf5_raster(const std::string& path, const std::string& dataset) {
  const InputFile exists(path);
  return as_deck_error([&] {
    const h5::File file(path, h5::File::Mode::read);
    const std::string wanted = absolute(dataset);
    if (wanted == "/" || !file.contains(wanted))
      throw DeckError(path + ": there is no dataset " + wanted + choice_text(wanted.substr(1), file.children("/")));
    auto raster = std::make_unique<Hdf5Raster>(path, wanted);
    raster->take_extent();
    return raster;
  });
}

std::unique_ptr<RasterFile> open_result(const std::string& path, const std::string& field) {
  const InputFile exists(path);
  return as_deck_error([&] {
    const h5::File file(path, h5::File::Mode::read);
    if (!file.contains("/VTKHDF")) throw DeckError(path + ": is no result of a run: it has no group VTKHDF");
    std::vector<std::string> fields;
    for (const char* group : {"/VTKHDF/CellData", "/VTKHDF/PointData"}) {
      if (!file.contains(group)) continue;
      for (const std::string& name : file.children(group)) fields.push_back(name);
      const std::string dataset = std::string(group) + "/" + field;
      if (!file.contains(dataset)) continue;
      auto raster = std::make_unique<Hdf5Raster>(path, dataset);
      raster->check_type(file);
      if (file.text_attribute("/VTKHDF", "Type") == "ImageData") {
        take_image(*raster, file, dataset, std::string(group).ends_with("CellData"));
      } else {
        take_points(*raster, path, length(file, path, dataset));
      }
      return raster;
    }
    throw DeckError(path + ": there is no field " + field + choice_text(field, fields));
  });
}

}  // namespace halocline
