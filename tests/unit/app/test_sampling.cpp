// Pictures and probes of a field whose values are known, on every executor and cut into parts in either order of axes.
#include <gtest/gtest.h>
#include <mpi.h>
#include <png.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "app/run/grid_places.hpp"
#include "app/run/images.hpp"
#include "app/run/recorder.hpp"
#include "io/files.hpp"
#include "io/h5/h5.hpp"
#include "lib/base/array.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

constexpr std::array<const char*, 2> names{"c", "d"};

// A linear field, which interpolation reproduces: c = 1 + 2 x + 3 y + 5 z.
double value_at(double x, double y, double z) { return 1 + 2 * x + 3 * y + 5 * z; }

struct Layout {
  std::array<Index, 3> cells;
  AxisOrder order = AxisOrder::x_fastest;
  Centring centring = Centring::cell;
  int cut = 2;            // axis along which it is cut into parts
  bool periodic = false;  // along x
};

std::vector<double> nodes_of(Index cells) {
  std::vector<double> nodes;
  for (Index n = 0; n <= cells; ++n) nodes.push_back(0.5 * static_cast<double>(n));
  return cells > 0 ? nodes : std::vector<double>{0.0};
}

class Field final : public Problem {
 public:
  Field(const Context& context, const Layout& layout) : context_(context), layout_(layout) {
    for (std::size_t a = 0; a < 3; ++a) {
      grid_.nodes[a] = nodes_of(layout.cells[a]);
      values_[a] = std::max<Index>(1, layout.cells[a] + (layout.centring == Centring::point ? 1 : 0));
    }
    if (layout.periodic) {
      grid_.period[0] = 0.5 * static_cast<double>(layout.cells[0]);
      if (layout.centring == Centring::point) grid_.nodes[0].pop_back(), --values_[0];
    }
    for (int p = 0; p < context.team.parts(); ++p) {
      Range<3> block{{0, 0, 0}, {values_[0], values_[1], values_[2]}};
      block.lo[layout.cut] = values_[layout.cut] * p / context.team.parts();
      block.hi[layout.cut] = values_[layout.cut] * (p + 1) / context.team.parts();
      blocks_.push_back(block);
      parts_.push_back(fill(block, context.team.executor(p)));
    }
  }
  double coordinate(int axis, Index n) const {
    const auto& nodes = grid_.nodes[static_cast<std::size_t>(axis)];
    const double at = nodes[static_cast<std::size_t>(n)];
    return layout_.centring == Centring::point || nodes.size() < 2 ? at : at + 0.25;
  }
  double at(Index x, Index y, Index z) const { return value_at(coordinate(0, x), coordinate(1, y), coordinate(2, z)); }

  void initialize() override {}
  Step advance(double) override { return {}; }
  void publish(FieldSink& sink) const override {
    sink.grid(grid_);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      sink.field({"c", "K", layout_.centring, layout_.order}, static_cast<int>(p), blocks_[p], parts_[p].view(),
                 *parts_[p].executor());
  }
  void archive(StateArchive&) override {}

 private:
  Array<double, 3> fill(const Range<3>& block, const ExecutorPtr& executor) const {
    std::array<Index, 3> extent{block.extent(0), block.extent(1), block.extent(2)};
    const bool slowest = layout_.order == AxisOrder::x_slowest;
    if (!slowest) std::swap(extent[0], extent[2]);
    std::vector<double> host;
    for (Index i = 0; i < extent[0]; ++i)
      for (Index j = 0; j < extent[1]; ++j)
        for (Index k = 0; k < extent[2]; ++k)
          host.push_back(at(block.lo[0] + (slowest ? i : k), block.lo[1] + j, block.lo[2] + (slowest ? k : i)));
    Array<double, 3> array(executor, extent);
    array.assign(host);
    return array;
  }
  Context context_;
  Layout layout_;
  Grid grid_;
  std::array<Index, 3> values_;
  std::vector<Range<3>> blocks_;
  std::vector<Array<double, 3>> parts_;
};

// Gray levels of a file, the top row first.
struct Gray {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> levels;
};
Gray read_gray(const std::string& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&png, file.c_str()), 0) << png.message;
  png.format = PNG_FORMAT_GRAY;
  Gray gray{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  EXPECT_NE(png_image_finish_read(&png, nullptr, gray.levels.data(), 0, nullptr), 0) << png.message;
  return gray;
}

class SamplingTest : public OnEveryExecutor {
 protected:
  SamplingTest() { std::filesystem::remove_all(folder); }
  ~SamplingTest() override { std::filesystem::remove_all(folder); }
  Gray picture(const Layout& layout, const ImageOptions& options, int parts = 3) {
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    const Context context{comm, team, timers, log, {}};
    const Field field(context, layout);
    Images images(context, options, folder);
    images.take(field, 0);
    images.finish();
    return read_gray(folder + "/c_0001.png");
  }
  // What a recorder's file has for one record of the field.
  std::map<std::string, std::vector<double>> record(const Layout& layout, const ProbeOptions& options) {
    const Team team(make_test_executors(GetParam(), 3), 0, 3);
    const Context context{comm, team, timers, log, {}};
    const Field field(context, layout);
    Recorder recorder(context, options);
    recorder.take(field, 2.5);
    std::filesystem::create_directories(folder);
    ResultWriter writer(comm, folder, {}, {});
    recorder.publish(writer);
    writer.write_tables();
    const h5::File file(folder + "/tables.h5", h5::File::Mode::read);
    std::map<std::string, std::vector<double>> series;
    for (const char* name : {"time", "c_min", "c_max", "c_integral", "c_points", "c_line_1"}) {
      const std::string path = std::string("/series/probes/") + name;
      const h5::Extent shape = file.extent(path);
      std::vector<double> values(static_cast<std::size_t>(shape[0] * (shape.size() > 1 ? shape[1] : 1)));
      const h5::Target target{h5::Extent(shape.size(), 0), shape, reinterpret_cast<std::byte*>(values.data())};
      file.read(path, h5::Type::float64, shape, std::span(&target, 1));
      series[name] = values;
    }
    return series;
  }
  const std::string folder = "sampling_" + std::to_string(static_cast<int>(GetParam()));
  const Communicator comm{MPI_COMM_WORLD};
  Timers timers;
  Log log{false, LogLevel::off};
};

ImageOptions gray_options() {
  ImageOptions options;
  options.map = ColorMap::gray;
  options.known_fields = names;
  return options;
}

TEST_P(SamplingTest, PictureShowsEveryCell) {
  ImageOptions options = gray_options();
  options.range = {0, 30};
  const Gray gray = picture({{12, 7, 0}, AxisOrder::x_fastest, Centring::cell, 1}, options);
  ASSERT_EQ(gray.width, 12);
  ASSERT_EQ(gray.height, 7);
  for (Index row = 0; row < 7; ++row)
    for (Index column = 0; column < 12; ++column) {
      const double c = value_at(0.5 * static_cast<double>(column) + 0.25, 0.5 * static_cast<double>(6 - row) + 0.25, 0);
      ASSERT_EQ(gray.levels[static_cast<std::size_t>(12 * row + column)], std::floor(255 * c / 30 + 0.5));
    }
}

// Each pixel is the mean of 4 x 4 cells, also where a cut goes through them; here the value in their middle.
TEST_P(SamplingTest, PictureIsReduced) {
  ImageOptions options = gray_options();
  options.pixels = 6;
  options.range = {0, 60};
  const Gray gray = picture({{24, 16, 0}, AxisOrder::x_slowest, Centring::cell, 0}, options, 5);
  ASSERT_EQ(gray.width, 6);
  ASSERT_EQ(gray.height, 4);
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 6; ++column) {
      const double c = value_at(2 * static_cast<double>(column) + 1, 2 * static_cast<double>(3 - row) + 1, 0);
      ASSERT_NEAR(gray.levels[static_cast<std::size_t>(6 * row + column)], 255 * c / 60, 0.5000001);
    }
}

TEST_P(SamplingTest, PictureOfAPlane) {
  for (int axis = 0; axis < 3; ++axis) {
    ImageOptions options = gray_options();
    options.axis = axis;
    options.at = {1.3};  // cell 2
    const Layout layout{{9, 8, 7}, AxisOrder::x_fastest, Centring::cell, 2};
    const Gray gray = picture(layout, options);
    const std::array<Index, 3> cells = layout.cells;
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    ASSERT_EQ(gray.width, cells[u]);
    ASSERT_EQ(gray.height, cells[v]);
    // Without a range the lowest value is black, in the lower left corner, and the highest white, in the upper right.
    EXPECT_EQ(gray.levels[static_cast<std::size_t>(cells[u] * (cells[v] - 1))], 0);
    EXPECT_EQ(gray.levels[static_cast<std::size_t>(cells[u] - 1)], 255);
    constexpr std::array<double, 3> slope{2, 3, 5};
    const double across = slope[u] * static_cast<double>(cells[u] - 1),
                 up = slope[v] * static_cast<double>(cells[v] - 1);
    EXPECT_EQ(gray.levels[static_cast<std::size_t>(cells[u] * cells[v] - 1)],
              std::floor(255 * across / (across + up) + 0.5));
  }
}

TEST_P(SamplingTest, PictureDoesNotDependOnParts) {
  ImageOptions options = gray_options();
  options.pixels = 5;
  const Layout layout{{23, 17, 0}, AxisOrder::x_fastest, Centring::cell, 1};
  const Gray one = picture(layout, options, 1), four = picture(layout, options, 4);
  EXPECT_EQ(one.levels, four.levels);
}

TEST_P(SamplingTest, ProbesOfALinearFieldAreExact) {
  ProbeOptions options;
  options.every = 1;
  options.known_fields = names;
  options.fields = {"c"};
  options.points = {{0.25, 0.75, 0.9}, {1.3, 2.2, 0.4}};
  options.lines = {{0.25, 0.25, 0.25, 2.25, 1.25, 0.75}};
  options.samples = 5;
  for (const Layout& layout : {Layout{{6, 7, 8}}, Layout{{6, 7, 8}, AxisOrder::x_slowest, Centring::point, 0}}) {
    auto series = record(layout, options);
    EXPECT_EQ(series["time"], std::vector<double>{2.5});
    const auto points = series["c_points"], line = series["c_line_1"];
    ASSERT_EQ(points.size(), 2u);
    EXPECT_NEAR(points[0], value_at(0.25, 0.75, 0.9), 1e-14);
    EXPECT_NEAR(points[1], value_at(1.3, 2.2, 0.4), 1e-14);
    ASSERT_EQ(line.size(), 5u);
    for (int n = 0; n < 5; ++n)
      EXPECT_NEAR(line[n], value_at(0.25 + 0.5 * n, 0.25 + 0.25 * n, 0.25 + 0.125 * n), 1e-13);
    // Midpoint and trapezoidal rule are exact too: the value in the middle times the volume.
    EXPECT_NEAR(series["c_integral"][0], value_at(1.5, 1.75, 2) * 3 * 3.5 * 4, 1e-11);
    const double inset = layout.centring == Centring::cell ? 0.25 : 0;
    EXPECT_DOUBLE_EQ(series["c_min"][0], value_at(inset, inset, inset));
    EXPECT_DOUBLE_EQ(series["c_max"][0], value_at(3 - inset, 3.5 - inset, 4 - inset));
  }
}

// From the last value on x, 3 cells of 0.5 before the first one comes again, to that one, which is in another part.
TEST_P(SamplingTest, ProbesGoRoundAPeriodicAxis) {
  ProbeOptions options;
  options.every = 1;
  options.known_fields = names;
  options.fields = {"c"};
  options.points = {{1.375, 0.75, 0.9}, {1.5, 0.75, 0.9}, {0, 0.75, 0.9}, {1, 0.75, 0.9}};
  options.lines = {{0.5, 0.25, 0.25, 1.5, 0.25, 0.25}};
  options.samples = 3;
  for (const Centring centring : {Centring::point, Centring::cell}) {
    auto series = record({{3, 7, 8}, AxisOrder::x_fastest, centring, 0, true}, options);
    const bool point = centring == Centring::point;
    const auto value = [&](double x) { return value_at(x, 0.75, 0.9); };
    const auto& points = series["c_points"];
    ASSERT_EQ(points.size(), 4u);
    EXPECT_NEAR(points[0], point ? value(1) / 4 + 3 * value(0) / 4 : 3 * value(1.25) / 4 + value(0.25) / 4, 1e-13);
    EXPECT_NEAR(points[1], point ? value(0) : value(0.75), 1e-13);
    EXPECT_NEAR(points[2], points[1], 1e-13);
    EXPECT_NEAR(points[3], value(1), 1e-13);
    EXPECT_NEAR(series["c_line_1"][2], value_at(point ? 0 : 0.75, 0.25, 0.25), 1e-13);
    // Every value along x stands for 0.5.
    EXPECT_NEAR(series["c_integral"][0], value_at(point ? 0.5 : 0.75, 1.75, 2) * 1.5 * 3.5 * 4, 1e-11);
  }
}

// Three points along x, at 0, 0.5 and 1; that at 0 comes again at 1.5.
TEST_P(SamplingTest, PictureOfAPlaneOfAPeriodicAxis) {
  const Layout layout{{3, 4, 5}, AxisOrder::x_fastest, Centring::point, 2, true};
  ImageOptions options = gray_options();
  options.axis = 0;
  options.range = {0, 60};
  for (const auto& [at, x] : {std::pair{1.2, 1.0}, {1.3, 0.0}, {1.5, 0.0}}) {
    options.at = {at};
    const Gray gray = picture(layout, options);
    EXPECT_EQ(gray.levels[static_cast<std::size_t>(gray.width * (gray.height - 1))],
              std::floor(255 * value_at(x, 0, 0) / 60 + 0.5))
        << at;
    std::filesystem::remove_all(folder);
  }
}

TEST_P(SamplingTest, FaultsAreNamed) {
  const Team team(make_test_executors(GetParam(), 1), 0, 1);
  const Context context{comm, team, timers, log, {}};
  const Field field(context, {{6, 7, 0}});
  ImageOptions options = gray_options();
  options.field = 1;  // d, which is not published
  EXPECT_THROW(Images(context, options, folder).take(field, 0), DeckError);
  ProbeOptions probes;
  probes.every = 1;
  probes.known_fields = names;
  EXPECT_THROW(Recorder(context, probes).take(field, 0), DeckError);
  probes.fields = {"c"};
  probes.points = {{1, 3.6}};
  EXPECT_THROW(Recorder(context, probes).take(field, 0), DeckError);
}

// Of a 2D grid, periodic along x.
TEST(GridPlaces, FaultsOfPointsAndPlanes) {
  const Grid grid{{std::vector<double>{0, 0.25, 0.5}, {1, 2}, {0}}, "", {0.75, 0, 0}};
  const auto fault = [&](std::vector<double> x) { return place_fault(grid, x); };
  EXPECT_EQ(fault({0.7, 1.5}), "");
  EXPECT_EQ(fault({0.75, 2, 0}), "");
  EXPECT_EQ(fault({0.8, 1.5}), "0.8 lies outside the grid, whose axis x goes from 0 to 0.75");
  EXPECT_EQ(fault({0.7, 0.5}), "0.5 lies outside the grid, whose axis y goes from 1 to 2");
  EXPECT_EQ(fault({0.7, 1.5, 1}), "1 lies outside the grid, whose axis z goes from 0 to 0");
  EXPECT_EQ(fault({0.7}), "has no coordinate along y, an axis of the grid; give 2");
  EXPECT_EQ(normal_axis(grid, 0), 2);
  EXPECT_EQ(plane_fault(grid, 0, 0.7), "");
  EXPECT_EQ(plane_fault(grid, 0, 0.8), "the grid has no plane there; its axis x goes from 0 to 0.75");
}

INSTANTIATE_TEST_SUITE_P(Executors, SamplingTest, every_executor(), executor_name);

TEST(PixelCells, CoverEveryCellOnce) {
  for (const Index cells : {1, 5, 16, 1000}) {
    for (const Index pixels : {1, 3, 5, 7}) {
      if (pixels > cells) continue;
      const auto found = pixel_cells(nodes_of(cells), false, pixels);
      ASSERT_EQ(static_cast<Index>(found.size()), pixels);
      Index next = 0;
      for (const PixelCells& pixel : found) {
        EXPECT_EQ(pixel.begin, next);
        EXPECT_GT(pixel.end, pixel.begin);
        next = pixel.end;
      }
      EXPECT_EQ(next, cells);
    }
  }
}

// Where the grid is coarser than the picture a pixel shows the cell around it.
TEST(PixelCells, OfAGradedAxis) {
  const auto found = pixel_cells({0, 1, 10}, false, 10);
  EXPECT_EQ(found[0].begin, 0);
  for (std::size_t p = 1; p < 10; ++p) EXPECT_EQ(found[p].begin, 1) << p;
}

TEST(AxisSpot, LiesBetweenItsNeighbors) {
  const std::vector<double> nodes{0, 1, 3, 4};
  EXPECT_EQ(axis_spot(nodes, true, 2).first, 1);
  EXPECT_DOUBLE_EQ(axis_spot(nodes, true, 2).weight, 0.5);
  EXPECT_EQ(axis_spot(nodes, false, 1.25).first, 0);  // centers 0.5, 2, 3.5
  EXPECT_DOUBLE_EQ(axis_spot(nodes, false, 1.25).weight, 0.5);
  EXPECT_EQ(axis_spot(nodes, false, 0.1).weight, 0);
  EXPECT_EQ(axis_spot(nodes, false, 3.9).first, 1);
  EXPECT_EQ(axis_spot(nodes, false, 3.9).weight, 1);
  EXPECT_EQ(axis_spot({0.0}, true, 0).first, 0);
  EXPECT_EQ(axis_spot(nodes, true, 4.5, 5).first, 3);  // the first one comes again at 5
  EXPECT_EQ(axis_spot(nodes, true, 4.5, 5).next, 0);
  EXPECT_DOUBLE_EQ(axis_spot(nodes, true, 4.5, 5).weight, 0.5);
  EXPECT_EQ(axis_spot(nodes, true, 4, 5).weight, 1);
  EXPECT_EQ(axis_spot(nodes, true, 5, 5).weight, 1);
  EXPECT_EQ(axis_spot(nodes, false, 0, 4).first, 2);  // from 3.5 to 4.5
  EXPECT_DOUBLE_EQ(axis_spot(nodes, false, 0, 4).weight, 0.5);
}

}  // namespace
}  // namespace halocline
