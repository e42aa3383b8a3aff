#include "io/raster/raster_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/input_file.hpp"
#include "io/raster/formats.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {

namespace {

constexpr Index longest_index = Index{64} << 20;  // bytes of a run's list of files

bool ends_with_one_of(const std::string& path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

void refuse_unless(bool known, const std::string& path, const char* key, const char* whose) {
  if (!known) throw DeckError(path + ": `" + key + "` means nothing here; it is for " + whose);
}

struct Result {
  std::string file;
  double time;
};

// What the index of a run's results lists.
std::vector<Result> results_in(const std::string& index) {
  const InputFile file(index);
  if (file.size() > longest_index) throw DeckError(index + ": is no list of results: too long");
  std::vector<Result> found;
  try {
    const auto json = nlohmann::json::parse(file.text(0, file.size()));
    for (const auto& one : json.at("files"))
      found.push_back({one.at("name").get<std::string>(), one.at("time").get<double>()});
  } catch (const nlohmann::json::exception& error) {
    throw DeckError(index + ": is no list of results: " + error.what());
  }
  if (found.empty()) throw DeckError(index + ": lists no results");
  return found;
}

}  // namespace

void set_extent(RasterFile& file, const std::vector<Index>& slowest_first) {
  if (slowest_first.size() != 2 && slowest_first.size() != 3)
    throw DeckError(file.name + ": has " + std::to_string(slowest_first.size()) +
                    " indices; a field has two, [y][x], or three, [z][y][x]");
  file.dimensions = static_cast<int>(slowest_first.size());
  double all = 1;
  for (std::size_t n = 0; n < slowest_first.size(); ++n) {
    const Index values = slowest_first[slowest_first.size() - 1 - n];
    if (values < 1) throw DeckError(file.name + ": has no values along " + "xyz"[n]);
    file.extent[n] = values;
    all *= static_cast<double>(values);
  }
  if (all > 9e15) throw DeckError(file.name + ": has more values than bytes can be counted");
}

std::string result_at(const std::string& folder, const std::string& time) {
  std::string index = (std::filesystem::path(folder) / "fields.vtkhdf.series").string();
  const std::string older = (std::filesystem::path(folder) / "fields.hdf.series").string();
  if (!std::filesystem::exists(index) && std::filesystem::exists(older)) index = older;
  const std::vector<Result> results = results_in(index);
  const auto path = [&](const Result& one) { return (std::filesystem::path(folder) / one.file).string(); };
  if (time.empty() || time == "last") return path(results.back());
  if (time == "first") return path(results.front());
  double wanted = 0;
  const auto read = std::from_chars(time.data(), time.data() + time.size(), wanted);
  if (read.ec != std::errc() || read.ptr != time.data() + time.size())
    throw DeckError("time: '" + time + "' is neither first, last nor a number");
  const auto nearest = std::min_element(results.begin(), results.end(), [&](const Result& a, const Result& b) {
    return std::abs(a.time - wanted) < std::abs(b.time - wanted);
  });
  if (std::abs(nearest->time - wanted) <= 1e-9 * std::max(std::abs(wanted), std::abs(nearest->time)))
    return path(*nearest);
  throw DeckError(index + ": has no result at time " + brief_text(wanted) + "; the nearest one is at " +
                  brief_text(nearest->time) + ", the last one at " + brief_text(results.back().time));
}

std::unique_ptr<RasterFile> open_raster(const RasterRequest& request) {
  const std::string& path = request.path;
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const bool result = folder || ends_with_one_of(path, {".vtkhdf", ".hdf"}),
             dataset = ends_with_one_of(path, {".h5", ".hdf5"});
  refuse_unless(dataset || request.dataset.empty(), path, "dataset", "HDF5, .h5");
  refuse_unless(result || request.field.empty(), path, "field", "results of a run: its folder, or one of its .vtkhdf");
  refuse_unless(folder || request.time.empty(), path, "time", "the folder of a run");
  if (result) {
    if (request.field.empty()) throw DeckError(path + ": lacks `field`, the name of a field of that run");
    return open_result(folder ? result_at(path, request.time) : path, request.field);
  }
  if (dataset) {
    if (request.dataset.empty()) throw DeckError(path + ": lacks `dataset`, the path of the values in the file");
    return open_hdf5_raster(path, request.dataset);
  }
  if (path.ends_with(".npy")) return open_npy(path);
  if (ends_with_one_of(path, {".csv", ".txt"})) return open_csv(path);
  const InputFile exists(path);
  throw DeckError(path + ": its ending is none of .npy, .csv, .h5 and .vtkhdf, and it is no folder of a run");
}

}  // namespace halocline
