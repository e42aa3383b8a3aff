// Fields of runs, as VTKHDF has them: images, grids by their nodes, meshes.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/plot/figures.hpp"
#include "app/plot/mesh_cut.hpp"
#include "app/plot/plane.hpp"
#include "io/files.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {
namespace {

constexpr const char* groups[] = {"/VTKHDF/PointData", "/VTKHDF/CellData"};
constexpr Index pixels_of_cut = 700;

// Files of fields, by their names of today or of earlier versions.
std::vector<std::string> field_files(const std::string& directory) {
  std::vector<std::string> files = list_files(directory, "fields_", ".vtkhdf");
  return files.empty() ? list_files(directory, "fields_", ".hdf") : files;
}

std::vector<std::string> outputs_of(const std::string& directory) {
  std::vector<std::string> files = field_files(directory);
  if (files.empty()) throw DeckError(directory + " holds no fields of a run (fields_0001.vtkhdf and so on)");
  for (std::string& file : files) file = directory + "/" + file;
  return files;
}

// The output that is asked for.
std::string output_at(const std::string& directory, const std::string& time) {
  const std::vector<std::string> files = outputs_of(directory);
  if (time.empty() || time == "last") return files.back();
  if (time == "first") return files.front();
  double wanted = 0;
  std::size_t used = 0;
  try {
    wanted = std::stod(time, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != time.size() || !std::isfinite(wanted))
    throw DeckError("--time " + time + ": expected first, last or a number");
  const auto distance = [&](const std::string& file) {
    return std::abs(h5::File(file, h5::File::Mode::read).number_attribute("/", "time") - wanted);
  };
  return *std::min_element(files.begin(), files.end(), [&](const std::string& one, const std::string& other) {
    return distance(one) < distance(other);
  });
}

std::vector<double> read_all(const h5::File& file, const std::string& dataset) {
  const h5::Extent extent = file.extent(dataset);
  h5::Target box{h5::Extent(extent.size(), 0), extent, nullptr};
  std::vector<double> values(static_cast<std::size_t>(box.size()));
  box.values = reinterpret_cast<std::byte*>(values.data());
  file.read(dataset, h5::Type::float64, extent, {&box, 1});
  return values;
}

std::vector<Index> read_whole(const h5::File& file, const std::string& dataset) {
  const h5::Extent extent = file.extent(dataset);
  std::vector<Index> values(static_cast<std::size_t>(extent.at(0)));
  const h5::Target box{{0}, extent, reinterpret_cast<std::byte*>(values.data())};
  file.read(dataset, h5::Type::int64, extent, {&box, 1});
  return values;
}

// A dataset of a field, and which number of several per place is meant.
struct Found {
  std::string path;
  bool cells = false;
  Index width = 1, component = -1;  // -1: the length of a vector
};

class PlaneReader {
 public:
  explicit PlaneReader(const PlaneRequest& request)
      : request_(request),
        path_(output_at(request.directory, request.time)),
        file_(std::make_unique<h5::File>(path_, h5::File::Mode::read)) {}

  FieldPlane read() {
    const Found found = find(request_.field);
    plane_.time = file_->number_attribute("/", "time");
    plane_.unit = file_->has_attribute(found.path, "unit") ? file_->text_attribute(found.path, "unit") : "";
    if (file_->has_attribute("/VTKHDF", "length_unit"))
      plane_.length_unit = file_->text_attribute("/VTKHDF", "length_unit");
    if (!find_nodes()) return cut(found);
    if (found.width != 1) throw DeckError(found.path + ": several values per place of a grid");
    take_grid(found);
    if (file_->has_attribute("/", "problem") && file_->text_attribute("/", "problem") == "collocation")
      take_slopes(found);
    return std::move(plane_);
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const char* group : groups)
      if (file_->contains(group))
        for (const std::string& name : file_->children(group)) all.push_back(name);
    return all;
  }

  Found find(const std::string& name) const {
    for (const char* group : groups) {
      const std::string path = std::string(group) + "/" + name;
      if (file_->contains(path)) return found_at(path, "");
      const std::size_t under = name.rfind('_');
      if (under == std::string::npos) continue;
      const std::string whole = std::string(group) + "/" + name.substr(0, under);
      if (file_->contains(whole) && file_->extent(whole).size() == 2) return found_at(whole, name.substr(under + 1));
    }
    std::string known;
    for (const std::string& one : names()) known += (known.empty() ? "" : ", ") + one;
    const std::string near = nearest_name(name, names());
    throw DeckError(path_ + ": there is no field " + name +
                    (near.empty() ? "; there are " + known : "; did you mean " + near + "?"));
  }

  Found found_at(const std::string& path, const std::string& component) const {
    Found found{path, path.starts_with(groups[1])};
    const h5::Extent extent = file_->extent(path);
    if (extent.size() != 2) return found;
    found.width = extent[1];
    const std::vector<std::string> words = found.width == 6
                                               ? std::vector<std::string>{"xx", "yy", "zz", "xy", "yz", "xz"}
                                               : std::vector<std::string>{"x", "y", "z"};
    const auto word = std::find(words.begin(), words.end(), component);
    if (word != words.end() && word - words.begin() < found.width) found.component = word - words.begin();
    if (found.component < 0 && (!component.empty() || found.width == 6))
      throw DeckError(path + ": a component is " + words.front() + " to " + words.back() + ", as in NAME_" +
                      words.front());
    return found;
  }

  // Nodes of a grid along x, y and z; false for a mesh.
  bool find_nodes() {
    if (file_->text_attribute("/VTKHDF", "Type") == "ImageData" && file_->has_attribute("/VTKHDF", "WholeExtent")) {
      const std::vector<Index> whole = file_->integers_attribute("/VTKHDF", "WholeExtent");
      const std::vector<double> origin = file_->numbers_attribute("/VTKHDF", "Origin"),
                                spacing = file_->numbers_attribute("/VTKHDF", "Spacing");
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (Index i = whole[2 * axis]; i <= whole[2 * axis + 1]; ++i)
          nodes_[axis].push_back(origin[axis] + spacing[axis] * static_cast<double>(i));
      return true;
    }
    const std::string geometry = request_.directory + "/fields_grid.h5";
    std::error_code ignored;
    if (!std::filesystem::exists(geometry, ignored)) return false;
    const h5::File grid(geometry, h5::File::Mode::read);
    if (!grid.contains("/nodes")) return false;
    for (std::size_t axis = 0; axis < 3; ++axis) nodes_[axis] = read_all(grid, std::string("/nodes/") + "xyz"[axis]);
    if (grid.contains("/Points") && grid.extent("/Points")[0] > 1) {
      double second[3];
      const h5::Target box{{1, 0}, {1, 3}, reinterpret_cast<std::byte*>(second)};
      grid.read("/Points", h5::Type::float64, grid.extent("/Points"), {&box, 1});
      x_fastest_ = nodes_[0].size() == 1 || second[0] != nodes_[0].front();
    }
    return true;
  }

  Index values_along(std::size_t axis, bool cells) const {
    const auto count = static_cast<Index>(nodes_[axis].size());
    return cells && count > 1 ? count - 1 : count;
  }

  // Values of one layer across an axis, [upwards][right].
  std::vector<double> layer(const std::string& dataset, bool cells, std::size_t across, Index index) const {
    const std::array<Index, 3> n{values_along(0, cells), values_along(1, cells), values_along(2, cells)};
    const h5::Extent stored = file_->extent(dataset);
    const std::size_t right = static_cast<std::size_t>(plane_.axes[0]), up = static_cast<std::size_t>(plane_.axes[1]);
    if (stored.size() == 3) {
      h5::Target box{{0, 0, 0}, stored, nullptr};
      box.offset[2 - across] = index;
      box.count[2 - across] = 1;
      std::vector<double> values(static_cast<std::size_t>(box.size()));
      if (static_cast<Index>(values.size()) != n[right] * n[up])
        throw DeckError(dataset + ": has not as many values as its grid");
      box.values = reinterpret_cast<std::byte*>(values.data());
      file_->read(dataset, h5::Type::float64, stored, {&box, 1});
      return values;  // [z][y], [z][x] or [y][x]
    }
    const std::vector<double> all = read_all(*file_, dataset);
    if (static_cast<Index>(all.size()) != n[0] * n[1] * n[2])
      throw DeckError(dataset + ": has not as many values as its grid");
    std::vector<double> values;
    std::array<Index, 3> at{};
    at[across] = index;
    for (at[up] = 0; at[up] < n[up]; ++at[up])
      for (at[right] = 0; at[right] < n[right]; ++at[right]) {
        const Index place = x_fastest_ ? (at[2] * n[1] + at[1]) * n[0] + at[0] : (at[0] * n[1] + at[1]) * n[2] + at[2];
        values.push_back(all[static_cast<std::size_t>(place)]);
      }
    return values;
  }

  // A plane of one cell or node is no direction to cut.
  void choose_axes(bool cells) {
    std::vector<int> present;
    for (int axis = 0; axis < 3; ++axis)
      if (values_along(static_cast<std::size_t>(axis), cells) > 1) present.push_back(axis);
    across_ = present.size() == 3 ? request_.axis : 2;
    for (const int axis : {2, 1, 0})  // what is missing is across
      if (present.size() == 2 && std::find(present.begin(), present.end(), axis) == present.end()) across_ = axis;
    if (present.size() < 2 && !present.empty() && present[0] == across_) across_ = 1;
    plane_.dimensions = static_cast<int>(std::max<std::size_t>(1, present.size()));
    plane_.axes = {across_ == 0 ? 1 : 0, across_ == 2 ? 1 : 2};
    if (plane_.dimensions == 1 && !present.empty() && present[0] != plane_.axes[0])
      std::swap(plane_.axes[0], plane_.axes[1]);
  }

  void take_grid(const Found& found) {
    choose_axes(found.cells);
    plane_.cells = found.cells;
    plane_.x = nodes_[static_cast<std::size_t>(plane_.axes[0])];
    plane_.y = nodes_[static_cast<std::size_t>(plane_.axes[1])];
    const auto across = static_cast<std::size_t>(across_);
    const std::vector<double>& places = nodes_[across];
    if (plane_.dimensions < 3) {
      plane_.place = places.front();
      plane_.values = layer(found.path, found.cells, across, 0);
      return;
    }
    const double place = request_.middle ? (places.front() + places.back()) / 2 : request_.place;
    if (place < places.front() || place > places.back())
      throw DeckError(formatted("--plane {}={:.6g}: the domain is from {:.6g} to {:.6g}", "xyz"[across], place,
                                places.front(), places.back()));
    plane_.place = place;
    const auto above = std::upper_bound(places.begin() + 1, places.end() - 1, place) - places.begin();
    plane_.values = layer(found.path, found.cells, across, above - 1);
    if (found.cells) return;
    const std::vector<double> next = layer(found.path, false, across, above);
    const auto at = static_cast<std::size_t>(above);
    const double share = (place - places[at - 1]) / (places[at] - places[at - 1]);
    for (std::size_t i = 0; i < next.size(); ++i) plane_.values[i] += share * (next[i] - plane_.values[i]);
  }

  // A solution of collocation is bicubic between its nodes, where the files have all four of its numbers.
  void take_slopes(const Found& found) {
    const std::string name = found.path.substr(found.path.rfind('/') + 1),
                      group = found.path.substr(0, found.path.rfind('/') + 1);
    const std::array<const char*, 4> numbers{"u", "u_x", "u_y", "u_xy"};
    const auto number = std::find(numbers.begin(), numbers.end(), name);
    if (number == numbers.end() || plane_.dimensions != 2) return;
    for (const char* one : numbers)
      if (!file_->contains(group + one)) return;
    plane_.derived = {name == "u_x" || name == "u_xy", name == "u_y" || name == "u_xy"};
    plane_.values = layer(group + "u", false, 2, 0);
    for (std::size_t k = 0; k < 3; ++k) plane_.slopes[k] = layer(group + numbers[k + 1], false, 2, 0);
  }

  FieldPlane cut(const Found& found) {
    for (const char* part : {"Points", "Connectivity", "Offsets"})
      if (!file_->contains(std::string("/VTKHDF/") + part)) throw DeckError(path_ + ": has neither a grid nor a mesh");
    MeshValues mesh{read_all(*file_, "/VTKHDF/Points"), read_whole(*file_, "/VTKHDF/Connectivity"), 4, {}, found.cells};
    const std::vector<Index> offsets = read_whole(*file_, "/VTKHDF/Offsets");
    mesh.per_cell = offsets.size() > 1 ? offsets[1] - offsets[0] : 4;
    if (mesh.per_cell != 4 && mesh.per_cell != 8)
      throw DeckError(path_ + ": has cells other than tetrahedra and hexahedra");
    const std::vector<double> all = read_all(*file_, found.path);
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(found.width)) {
      double square = 0;
      for (std::size_t k = i; k < i + static_cast<std::size_t>(found.width); ++k) square += all[k] * all[k];
      mesh.values.push_back(found.width == 1      ? all[i]
                            : found.component < 0 ? std::sqrt(square)
                                                  : all[i + static_cast<std::size_t>(found.component)]);
    }
    const auto axis = static_cast<std::size_t>(request_.axis);
    double low = mesh.points.at(axis), high = low;
    for (std::size_t i = axis; i < mesh.points.size(); i += 3)
      low = std::min(low, mesh.points[i]), high = std::max(high, mesh.points[i]);
    plane_.place = request_.middle ? (low + high) / 2 : request_.place;
    plane_.dimensions = 3;
    plane_.axes = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    across_ = request_.axis;
    cut_mesh(mesh, request_.axis, plane_.place, pixels_of_cut, plane_);
    return std::move(plane_);
  }

  const PlaneRequest& request_;
  std::string path_;
  std::unique_ptr<h5::File> file_;
  std::array<std::vector<double>, 3> nodes_;
  bool x_fastest_ = true;
  int across_ = 2;
  FieldPlane plane_;
};

}  // namespace

FieldPlane read_plane(const PlaneRequest& request) { return PlaneReader(request).read(); }

std::vector<std::string> fields_of(const std::string& directory) {
  std::vector<std::string> names;
  const std::vector<std::string> files = field_files(directory);
  if (files.empty()) return names;
  const h5::File file(directory + "/" + files.back(), h5::File::Mode::read);
  for (const char* group : groups)
    if (file.contains(group))
      for (const std::string& name : file.children(group)) names.push_back(name);
  // What a run is about comes first, what it writes beside it last.
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == "u" || name == "c"; });
  return names;
}

}  // namespace halocline
