// PNG files decoded by libpng's reader and compared pixel by pixel; the thread that writes them.
#include "io/image/image.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <png.h>

#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "io/files.hpp"
#include "lib/base/format.hpp"
#include "output_support.hpp"

namespace halocline {
namespace {

struct Pixels {
  png_uint_32 width = 0, height = 0;
  bool gray = false;
  std::vector<std::uint8_t> rgb;  // as stored, without any conversion of brightness
};

Pixels decode(const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()), 0) << png.message;
  Pixels pixels{png.width, png.height, (png.format & PNG_FORMAT_FLAG_COLOR) == 0, {}};
  png.format = PNG_FORMAT_RGB;
  pixels.rgb.resize(PNG_IMAGE_SIZE(png));
  EXPECT_NE(png_image_finish_read(&png, nullptr, pixels.rgb.data(), 0, nullptr), 0) << png.message;
  return pixels;
}

Image ramp(Index width, Index height, ColorMap map) {
  Image image{width, height, {}, map};
  for (Index n = 0; n < width * height; ++n) image.levels.push_back(static_cast<std::uint8_t>((7 * n) % 256));
  return image;
}

TEST(Png, HoldsThePixelsItWasGiven) {
  for (const ColorMap map : {ColorMap::gray, ColorMap::viridis}) {
    const Image image = ramp(37, 19, map);
    const Pixels pixels = decode(encode_png(image));
    ASSERT_EQ(pixels.width, 37u);
    ASSERT_EQ(pixels.height, 19u);
    EXPECT_EQ(pixels.gray, map == ColorMap::gray);
    for (std::size_t n = 0; n < image.levels.size(); ++n) {
      const auto expected = color_of(map, image.levels[n]);
      for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(pixels.rgb[3 * n + c], expected[c]) << n;
    }
  }
}

TEST(Png, OfOnePixel) {
  const Pixels pixels = decode(encode_png({1, 1, {200}, ColorMap::gray}));
  EXPECT_EQ(pixels.rgb, (std::vector<std::uint8_t>{200, 200, 200}));
}

// Entries of the published table.
TEST(ColorMap, IsViridis) {
  const std::vector<std::pair<int, std::array<int, 3>>> table{
      {0, {68, 1, 84}}, {64, {59, 82, 139}}, {127, {33, 144, 141}}, {191, {94, 201, 98}}, {255, {253, 231, 37}}};
  for (const auto& [level, color] : table)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(color_of(ColorMap::viridis, level)[c], color[c], 5) << level;
}

TEST(ColorMap, BrightensEvenly) {
  double before = -1;
  for (int level = 0; level < 256; level += 5) {
    const auto rgb = color_of(ColorMap::viridis, level);
    const double brightness = 0.2126 * std::pow(rgb[0] / 255.0, 2.2) + 0.7152 * std::pow(rgb[1] / 255.0, 2.2) +
                              0.0722 * std::pow(rgb[2] / 255.0, 2.2);
    EXPECT_GT(brightness, before) << level;
    before = brightness;
  }
}

class ImageFiles : public testing::Test {
 protected:
  const Communicator comm{MPI_COMM_SELF};
  const Scratch scratch{comm, "images"};
  const std::string folder = scratch / "images";
};

TEST_F(ImageFiles, AreWholeAtTheEnd) {
  {
    ImageWriter writer(folder, "c");
    for (Index n = 1; n <= 9; ++n)
      writer.write({ramp(40, 30, ColorMap::viridis), n, 0.5 * static_cast<double>(n), 0, 1});
    writer.finish();
    EXPECT_EQ(list_files(folder, "c_", ".png").size(), 9u);
    EXPECT_EQ(writer.take_failure(), "");
    writer.write({ramp(8, 8, ColorMap::gray), 10, 5, -1, 2});
  }  // the destructor writes what waits
  EXPECT_EQ(decode(read_text(folder + "/c_0010.png")).width, 8u);
  EXPECT_TRUE(list_files(folder, "", ".tmp").empty());
  const std::string index = read_text(folder + "/c.csv");
  EXPECT_TRUE(index.starts_with("file,time,low,high\nc_0001.png,0.5,0,1\n")) << index;
  EXPECT_TRUE(index.ends_with("c_0010.png,5,-1,2\n")) << index;
}

TEST_F(ImageFiles, AreContinuedByALaterRun) {
  {
    ImageWriter writer(folder, "c");
    for (Index n = 1; n <= 5; ++n) writer.write({ramp(4, 4, ColorMap::gray), n, static_cast<double>(n), 0, 1});
  }
  ImageWriter again(folder, "c", 3);
  again.write({ramp(4, 4, ColorMap::gray), 3, 3, 0, 1});
  again.finish();
  EXPECT_EQ(list_files(folder, "c_", ".png"), (std::vector<std::string>{"c_0001.png", "c_0002.png", "c_0003.png"}));
  EXPECT_EQ(read_text(folder + "/c.csv"), "file,time,low,high\nc_0001.png,1,0,1\nc_0002.png,2,0,1\nc_0003.png,3,0,1\n");
}

Index lines_of(const std::string& path) {
  const std::string text = read_text(path);
  return std::count(text.begin(), text.end(), '\n') - 1;
}

TEST_F(ImageFiles, IndexOfManyIsWrittenNowAndThen) {
  constexpr Index all = 100;
  std::set<Index> listed;
  {
    ImageWriter writer(folder, "c");
    for (Index n = 1; n <= all; ++n) {
      writer.write({ramp(2, 2, ColorMap::gray), n, static_cast<double>(n), 0, 1});
      const std::string picture = formatted("{}/c_{:04}.png", folder, n);
      while (!std::filesystem::exists(picture)) std::this_thread::yield();
      if (n == 1) continue;
      listed.insert(lines_of(folder + "/c.csv"));  // with the picture before, or with this one too
      EXPECT_LE(64 * (n - 1 - *listed.rbegin()), *listed.rbegin()) << n;
    }
    EXPECT_LE(listed.size(), 64u + 18);
    writer.finish();
    EXPECT_EQ(lines_of(folder + "/c.csv"), all);
    writer.write({ramp(2, 2, ColorMap::gray), all + 1, 0, 0, 1});
  }
  EXPECT_EQ(lines_of(folder + "/c.csv"), all + 1);
}

// As after a kill: the index lacks some, or names some that the next run makes anew.
TEST_F(ImageFiles, LaterOnesOfAnEarlierRunAreRemoved) {
  {
    ImageWriter writer(folder, "c");
    for (Index n = 1; n <= 20; ++n) writer.write({ramp(2, 2, ColorMap::gray), n, static_cast<double>(n), 0, 1});
  }
  replace_file(folder + "/c_0021.png", "not in the index");
  replace_file(folder + "/c_21.png", "no name of a picture");
  replace_file(folder + "/d_0021.png", "another one's");
  ImageWriter again(folder, "c", 15);
  again.write({ramp(2, 2, ColorMap::gray), 15, 15, 0, 1});
  again.finish();
  EXPECT_EQ(list_files(folder, "c_0", ".png").size(), 15u);
  EXPECT_TRUE(std::filesystem::exists(folder + "/c_21.png") && std::filesystem::exists(folder + "/d_0021.png"));
  EXPECT_EQ(lines_of(folder + "/c.csv"), 15);
}

TEST_F(ImageFiles, NamesInTheIndexLeadToNoOtherFile) {
  const std::string mine = folder + "_mine.txt";
  replace_file(mine, "mine");
  {
    ImageWriter writer(folder, "c");
    for (Index n = 1; n <= 2; ++n) writer.write({ramp(4, 4, ColorMap::gray), n, static_cast<double>(n), 0, 1});
  }
  replace_file(folder + "/c.csv", "file,time,low,high\nc_0001.png,1,0,1\n../" +
                                      std::filesystem::path(mine).filename().string() + ",2,0,1\n");
  ImageWriter again(folder, "c", 2);
  again.write({ramp(4, 4, ColorMap::gray), 2, 2, 0, 1});
  again.finish();
  EXPECT_TRUE(std::filesystem::exists(mine));
  remove_file(mine);
}

TEST_F(ImageFiles, FailureIsToldOnce) {
  ImageWriter writer(folder, "c");
  {
    const FileSizeLimit limit(200, true);
    for (Index n = 1; n <= 20; ++n) writer.write({ramp(300, 300, ColorMap::gray), n, 0, 0, 1});
    writer.finish();
  }
  const std::string failure = writer.take_failure();
  EXPECT_NE(failure.find("c_0001.png"), std::string::npos) << failure;
  EXPECT_NE(failure.find("File too large"), std::string::npos) << failure;
  EXPECT_EQ(writer.take_failure(), "");
  writer.write({ramp(3, 3, ColorMap::gray), 21, 0, 0, 1});
  writer.finish();
  EXPECT_TRUE(list_files(folder, "", "").empty());  // nothing half written, and nothing after it
}

TEST(ImageDirectory, ThatCannotBeMade) {
  const Communicator comm(MPI_COMM_SELF);
  const Scratch scratch(comm, "no_images");
  std::ofstream(scratch / "file") << "in the way";
  ImageWriter writer(scratch / "file/images", "c");
  writer.write({ramp(3, 3, ColorMap::gray), 1, 0, 0, 1});
  writer.finish();
  EXPECT_NE(writer.take_failure().find("cannot make the directory"), std::string::npos);
}

}  // namespace
}  // namespace halocline
