#include "app/plot/columns.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/text/split_values.hpp"

namespace halocline {
namespace {

// In the order in which names are looked for.
constexpr const char* groups[] = {"/result", "/sweep",  "/cost",          "/columns",
                                  "/times",  "/series", "/series/probes", "/trajectory"};

bool ends_like(const std::string& path, const std::string& name) {
  return path == "/" + name || path.ends_with("/" + name);
}

// NAME_12 of NAME.
bool goes_on(const std::string& path, const std::string& name) {
  const std::size_t under = path.rfind('_');
  return under != std::string::npos && under + 1 < path.size() &&
         path.find_first_not_of("0123456789", under + 1) == std::string::npos && ends_like(path.substr(0, under), name);
}

}  // namespace

std::string label_of(const std::string& name, const std::string& unit) {
  if (unit == "problem time") return "t";
  return unit == "1" || unit.empty() ? name : name + " (" + unit + ")";
}

TableFile::TableFile(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw DeckError("there is no file " + path);
  file_ = std::make_unique<h5::File>(path, h5::File::Mode::read);
}

std::vector<std::string> TableFile::columns_in(const std::string& group) const {
  std::vector<std::string> paths;
  if (!file_->contains(group)) return paths;
  for (const std::string& name : file_->children(group))
    if (group != "/series" || name != "probes") paths.push_back(group + "/" + name);
  // Tables of sweeps tell the order.
  const std::string names = "," + text(group, "order") + ",";
  const auto place = [&](const std::string& path) { return names.find("," + path.substr(path.rfind('/') + 1) + ","); };
  if (names != ",,")
    std::stable_sort(paths.begin(), paths.end(),
                     [&](const std::string& one, const std::string& other) { return place(one) < place(other); });
  return paths;
}

std::vector<std::string> TableFile::swept() const {
  std::vector<std::string> paths = columns_in("/sweep");
  // Files of earlier versions do not tell the order.
  std::map<std::string, int> order;
  for (const std::string& path : paths) {
    const std::string place = text(path, "order");
    order[path] = place.empty() ? 0 : std::stoi(place);
  }
  std::stable_sort(paths.begin(), paths.end(),
                   [&](const std::string& one, const std::string& other) { return order[one] < order[other]; });
  return paths;
}

std::vector<std::string> TableFile::all() const {
  std::vector<std::string> paths;
  for (const char* group : groups)
    for (const std::string& path : columns_in(group)) paths.push_back(path);
  return paths;
}

std::vector<std::string> TableFile::find_all(const std::string& name) const {
  std::vector<std::string> found;
  std::string known;
  for (const std::string& path : all()) {
    if (ends_like(path, name)) return {path};
    if (goes_on(path, name)) found.push_back(path);
    known += (known.empty() ? "" : ", ") + path.substr(1);
  }
  if (found.empty())
    throw DeckError(path_ + " has no column '" + name + "'; it has " + (known.empty() ? "none" : known));
  const auto number = [](const std::string& path) { return std::stol(path.substr(path.rfind('_') + 1)); };
  std::sort(found.begin(), found.end(),
            [&](const std::string& one, const std::string& other) { return number(one) < number(other); });
  return found;
}

std::string TableFile::find(const std::string& name) const { return find_all(name).front(); }

std::vector<std::string> TableFile::words(const std::string& path) const {
  const std::string all = text(path, "words");
  return all.empty() ? std::vector<std::string>{} : split_values(all);
}

std::string TableFile::text(const std::string& path, const std::string& name) const {
  return file_->has_attribute(path, name) ? file_->text_attribute(path, name) : "";
}

// Reals and whole numbers as reals.
std::vector<double> TableFile::values_of(const std::string& path, const h5::Extent& extent) const {
  h5::Target box{h5::Extent(extent.size(), 0), extent, nullptr};
  std::vector<double> values(static_cast<std::size_t>(box.size()));
  if (values.empty()) return values;
  const h5::Type type = file_->type(path);
  if (type == h5::Type::float64) {
    box.values = reinterpret_cast<std::byte*>(values.data());
    file_->read(path, type, extent, {&box, 1});
  } else if (type == h5::Type::int64) {
    std::vector<Index> whole(values.size());
    box.values = reinterpret_cast<std::byte*>(whole.data());
    file_->read(path, type, extent, {&box, 1});
    std::transform(whole.begin(), whole.end(), values.begin(), [](Index one) { return static_cast<double>(one); });
  } else {
    throw DeckError(path.substr(1) + " holds no numbers");
  }
  return values;
}

Column TableFile::read(const std::string& path) const {
  const h5::Extent extent = file_->extent(path);
  if (extent.empty() || extent.size() > 2) throw DeckError(path.substr(1) + " has neither one axis nor two");
  Column column{path, path.substr(path.rfind('/') + 1), "", extent[0], extent.size() == 2 ? extent[1] : 1, {}};
  column.label = label_of(column.name, text(path, "unit"));
  column.values = values_of(path, extent);
  return column;
}

}  // namespace halocline
