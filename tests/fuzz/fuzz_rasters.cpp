// Fuzz target: the input is, behind a first byte, a field in a file: "c" text, "n" NumPy's, "s" the list of the results
// of an earlier run. A part that is read holds the same values as the whole.
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "io/raster/formats.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::must;

constexpr Index most_values = 4096;

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void check(const RasterFile& file) {
  RasterWindow whole;
  Index values = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    must(file.extent[axis] >= 1);
    whole.high[axis] = file.extent[axis];
    if (file.extent[axis] > most_values || (values *= file.extent[axis]) > most_values) return;
  }
  const std::vector<double> all = file.read(whole);
  must(static_cast<Index>(all.size()) == values);
  RasterWindow part;  // without the first line, and without the last plane
  for (std::size_t axis = 0; axis < 3; ++axis) {
    part.low[axis] = axis < 2 && file.extent[axis] > 1 ? 1 : 0;
    part.high[axis] = axis == 2 && file.extent[axis] > 1 ? file.extent[axis] - 1 : file.extent[axis];
  }
  const std::vector<double> some = file.read(part);
  std::size_t at = 0;
  for (Index z = part.low[2]; z < part.high[2]; ++z)
    for (Index y = part.low[1]; y < part.high[1]; ++y)
      for (Index x = part.low[0]; x < part.high[0]; ++x)
        must(same(some.at(at++), all[static_cast<std::size_t>((z * file.extent[1] + y) * file.extent[0] + x)]));
  must(at == some.size());
}

void run(std::string_view input) {
  static const fuzz::Folder folder;
  static fuzz::File text(folder, "field.csv"), numpy(folder, "field.npy"), series(folder, "fields.vtkhdf.series");
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  if (input[0] == 'c') {
    text.set(bytes);
    fuzz::refused([&] { check(*open_csv(text.path())); });
  } else if (input[0] == 'n') {
    numpy.set(bytes);
    fuzz::refused([&] { check(*open_npy(numpy.path())); });
  } else {
    series.set(bytes);
    for (const char* time : {"last", "0.5"})
      fuzz::refused([&] { must(result_at(folder.path(), time).starts_with(folder.path()) || input.size() > 1); });
  }
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
