// Rasters from files: bytes as NumPy writes them in either order and any type, text, HDF5; and what is refused, where.
#include <cstring>

#include "io/h5/h5.hpp"
#include "io/raster/raster_file.hpp"
#include "tests/unit/io/data_support.hpp"

namespace halocline {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values, bool swapped = false) {
  std::string bytes;
  for (const T& value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (swapped) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

std::string npy(const std::string& type, const std::string& order, const std::string& shape, const std::string& values,
                const std::string& version = std::string("\x01\x00", 2)) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
  const std::size_t size = header.size();
  std::string length{static_cast<char>(size % 256), static_cast<char>(size / 256)};
  if (version[0] > 1) length += std::string(2, '\0');
  return "\x93NUMPY" + version + length + header + values;
}

// The value at (x, y, z) of 4 x 3 (x 2) values.
double value(Index x, Index y, Index z = 0) { return static_cast<double>(x + 10 * y + 100 * z); }

template <class T>
std::vector<T> values(int dimensions, bool fortran) {
  std::vector<T> made;
  const Index nz = dimensions == 3 ? 2 : 1;
  if (fortran) {
    for (Index x = 0; x < 4; ++x)
      for (Index y = 0; y < 3; ++y)
        for (Index z = 0; z < nz; ++z) made.push_back(static_cast<T>(value(x, y, z)));
  } else {
    for (Index z = 0; z < nz; ++z)
      for (Index y = 0; y < 3; ++y)
        for (Index x = 0; x < 4; ++x) made.push_back(static_cast<T>(value(x, y, z)));
  }
  return made;
}

class RasterFiles : public ::testing::Test {
 protected:
  // Every window of the file, [z][y][x].
  static void expect_values(const RasterFile& file, int dimensions) {
    ASSERT_EQ(file.dimensions, dimensions);
    const Index nz = dimensions == 3 ? 2 : 1;
    ASSERT_EQ(file.extent, (std::array<Index, 3>{4, 3, nz}));
    for (Index low = 0; low < 3; ++low)
      for (Index high = low + 1; high <= 3; ++high) {
        const RasterWindow w{{low, low, std::min(low, nz - 1)}, {high + 1, high, nz}};
        std::vector<double> expected;
        for (Index z = w.low[2]; z < w.high[2]; ++z)
          for (Index y = w.low[1]; y < w.high[1]; ++y)
            for (Index x = w.low[0]; x < w.high[0]; ++x) expected.push_back(value(x, y, z));
        EXPECT_EQ(file.read(w), expected);
      }
  }
  std::string refusal(const std::string& name, const std::string& bytes) {
    const std::string path = files_.write(name, bytes);
    return refusal_of([&] { open_raster({path, "", "", ""}); });
  }
  DataFiles files_{"raster_files"};
};

TEST_F(RasterFiles, NumpyInBothOrdersAndAllTypes) {
  const auto check = [&](const std::string& type, auto example) {
    using T = decltype(example);
    for (const bool swapped : {false, true})
      for (const bool fortran : {false, true})
        for (const int dimensions : {2, 3}) {
          const std::string shape = dimensions == 2 ? "(3, 4)" : "(2, 3, 4)";
          const std::string name = (sizeof(T) == 1 ? "|" : swapped ? ">" : "<") + type;
          const std::string path =
              files_.write("a.npy", npy(name, fortran ? "True" : "False", shape,
                                        bytes_of(values<T>(dimensions, fortran), swapped && sizeof(T) > 1)));
          expect_values(*open_raster({path, "", "", ""}), dimensions);
        }
  };
  check("f8", double{}), check("f4", float{});
  check("i8", std::int64_t{}), check("i4", std::int32_t{}), check("i2", std::int16_t{});
  check("u8", std::uint64_t{}), check("u4", std::uint32_t{}), check("u2", std::uint16_t{}), check("u1", std::uint8_t{});
}

TEST_F(RasterFiles, NumpyOfLaterVersions) {
  const std::string path = files_.write(
      "a.npy", npy("<f8", "False", "(3, 4)", bytes_of(values<double>(2, false)), std::string("\x02\x00", 2)));
  expect_values(*open_raster({path, "", "", ""}), 2);
}

TEST_F(RasterFiles, NumpyIsRefusedByByte) {
  const std::string good = bytes_of(values<double>(2, false));
  expect_part(refusal("a.npy", "no numpy at all"), "a.npy: byte 0: is no file of NumPy");
  expect_part(refusal("a.npy", npy("<f8", "False", "(3, 4)", good.substr(0, 95))),
              "the file ends here; 12 values of 8 bytes end at byte ");
  expect_part(refusal("a.npy", npy("<c16", "False", "(3, 4)", good)), "values of type '<c16' are not read");
  expect_part(refusal("a.npy", npy("<f8", "Maybe", "(3, 4)", good)), "`fortran_order` is neither True nor False");
  expect_part(refusal("a.npy", npy("<f8", "False", "(12,)", good)), "has 1 indices; a field has two, [y][x]");
  expect_part(refusal("a.npy", npy("<f8", "False", "(-3, 4)", good)), "what is no number of values");
  expect_part(refusal("a.npy", npy("<f8", "False", "(0, 4)", "")), "has no values along y");
  expect_part(refusal("a.npy", npy("<f8", "False", "(9000000000, 9000000000)", good)), "more values than");
  expect_part(refusal("a.npy", npy("<f8", "False", "(3, 4)", good).substr(0, 9)), "byte 8: the header does not end");
  expect_part(refusal("a.npy", std::string("\x93NUMPY\x09\x00", 8)), "byte 6: version 9 is not known");
}

TEST_F(RasterFiles, TextWithAnySeparators) {
  for (const char* text : {"# x runs along lines\n0,1,2,3\n10, 11, 12, 13\n\n20,21,22,23",
                           "0 1\t2 3\r\n10 11 12 13\r\n20 21 22 23\r\n", "0;1;2;3;\n10;11;12;+13\n20;2.1e1;22;23\n",
                           "\xef\xbb\xbf"
                           "0,1,2,3\n10,11,12,13\n20,21,22,23\n"})
    expect_values(*open_raster({files_.write("a.csv", text), "", "", ""}), 2);
}

TEST_F(RasterFiles, TextIsRefusedByLineAndColumn) {
  expect_part(refusal("a.csv", "1,2\n3,four\n"), "a.csv:2:3: expected a number");
  expect_part(refusal("a.csv", "1,2\n3,,4\n"), "a.csv:2:3: expected a number");
  expect_part(refusal("a.csv", "1,2\n3\n"), "a.csv:2: has 1 numbers, lines above have 2");
  expect_part(refusal("a.csv", "1,2e999\n"), "a.csv:1:3: is beyond the range of numbers");
  expect_part(refusal("a.csv", "# nothing\n"), "has no numbers");
  expect_part(refusal("a.csv", "1,5;2,5\n"), "a.csv:1:4: has commas and semicolons");
  expect_part(refusal("a.csv", "1;2\n3,4\n"), "a.csv:2:2: has commas and semicolons");
}

TEST_F(RasterFiles, Datasets) {
  const std::string path = files_ / "a.h5";
  h5::File::create(path);
  h5::File file(path, h5::File::Mode::change);
  for (const int dimensions : {2, 3}) {
    const h5::Extent extent = dimensions == 2 ? h5::Extent{3, 4} : h5::Extent{2, 3, 4};
    const std::string name = dimensions == 2 ? "/plane/kappa" : "/box";
    file.make_dataset(name, h5::Type::float64, extent);
    const std::vector<double> all = values<double>(dimensions, false);
    const h5::Source box{h5::Extent(extent.size(), 0), extent, reinterpret_cast<const std::byte*>(all.data())};
    file.write(name, h5::Type::float64, extent, std::span(&box, 1));
  }
  file.close();
  expect_values(*open_raster({path, "plane/kappa", "", ""}), 2);
  expect_values(*open_raster({path, "/box", "", ""}), 3);
  expect_part(refusal_of([&] { open_raster({path, "bux", "", ""}); }), "there is no dataset /bux; did you mean box?");
  expect_part(refusal_of([&] { open_raster({path, "", "", ""}); }), "lacks `dataset`");
}

TEST_F(RasterFiles, WhatIsAskedForFitsTheFile) {
  expect_part(refusal_of([&] { open_raster({files_ / "none.npy", "", "", ""}); }), "cannot be read: No such file");
  expect_part(refusal("a.tif", "II"), "its ending is none of .npy, .csv, .h5 and .vtkhdf");
  const std::string csv = files_.write("a.csv", "1,2\n3,4\n");
  expect_part(refusal_of([&] { open_raster({csv, "u", "", ""}); }), "`dataset` means nothing here; it is for HDF5");
  expect_part(refusal_of([&] { open_raster({csv, "", "u", ""}); }), "`field` means nothing here");
  expect_part(refusal_of([&] { open_raster({csv, "", "", "3"}); }), "`time` means nothing here");
}

}  // namespace
}  // namespace halocline
