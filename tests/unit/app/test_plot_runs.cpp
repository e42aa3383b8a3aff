// `halocline plot`: what is drawn of tables and fields, and what is said when it is not there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "app/plot/figures.hpp"
#include "app/plot/mesh_cut.hpp"
#include "app/plot/plot.hpp"
#include "io/files.hpp"
#include "io/output/table.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

class PlotRuns : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "plot_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Tables tables(comm_, folder_ + "/tables.h5", {});
    FieldInfo sweep{"sweep/q", "Hz"};
    sweep.attributes = {{"spacing", "log"}};
    add(tables, sweep, {10, 100, 1000});
    FieldInfo each{"result/ymax", "1"};
    each.width = 2;
    add(tables, each, {1, 2, 3, 4, 5, 6});
    add(tables, {"result/last", "m"}, {-1, 0, 1});
    tables.write();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void add(Tables& tables, const FieldInfo& info, const std::vector<double>& values) {
    const View<const double, 1> view(values.data(), static_cast<Index>(values.size()));
    tables.column(info, {{0}, {3}}, view, *host_);
  }
  // What is said when a plot is refused.
  std::string refusal(const Command::Plot& wanted) {
    try {
      plot_runs(wanted);
    } catch (const DeckError& error) {
      return error.what();
    }
    return "drawn";
  }
  NamedFigure figure(const Command::Plot& wanted) {
    const TableFile tables(wanted.files.front());
    return ensemble_figure(tables, wanted);
  }
  Communicator comm_{MPI_COMM_SELF};
  ExecutorPtr host_ = make_omp_executor(1);
  std::string folder_;
};

// A map of two by three systems, the last swept value fastest; the first one as written is to the right, whatever the
// order of the alphabet.
TEST_F(PlotRuns, TwoSweptValuesAreAMap) {
  Tables tables(comm_, folder_ + "/map.h5", {});
  const std::array<MapAxis, 2> axes{{{"b", {1, 2}}, {"a", {10, 20, 40}}}};
  const auto six = [&](const char* name, const char* order, const std::vector<double>& values) {
    FieldInfo info{name, "1"};
    info.attributes = {{"order", order}};
    tables.column(info, {{0}, {6}}, View<const double, 1>(values.data(), 6), *host_);
  };
  six("sweep/b", "1", {1, 1, 1, 2, 2, 2});
  six("sweep/a", "2", {10, 20, 40, 10, 20, 40});
  six("result/x", "", {0, 1, 2, 3, std::nan(""), 5});
  tables.map(axes);
  tables.write();
  const std::string file = folder_ + "/map.h5";
  const NamedFigure map = figure({.files = {file}});
  EXPECT_EQ(map.words, "x from 0 to 5, b to the right, a upwards, 6 systems");
  ASSERT_TRUE(map.figure.map);
  const FigureMap& colors = *map.figure.map;
  const auto at = [&](Index i, Index j) { return colors.values[static_cast<std::size_t>(j * colors.width + i)]; };
  EXPECT_EQ(at(0, 0), 0);
  EXPECT_EQ(at(colors.width - 1, 0), 3);
  EXPECT_EQ(at(0, colors.height - 1), 2);
  EXPECT_EQ(at(colors.width - 1, colors.height - 1), 5);
  EXPECT_NEAR(map.figure.x.low, 0.5, 1e-12);  // cells around the values
  EXPECT_NEAR(map.figure.y.high, 50, 1e-12);
  EXPECT_EQ(figure({.files = {file}, .y = {"x"}}).words, map.words);
  const PlotAxis color = figure({.files = {file}, .range = {0.5, 4}, .log_color = true}).figure.map->color;
  EXPECT_TRUE(color.logarithmic);
  EXPECT_EQ(color.low, 0.5);
  EXPECT_EQ(color.high, 4);
  EXPECT_EQ(plot_runs({.files = {file}, .map = "x"}), folder_ + "/plot_x.png: " + map.words);
  EXPECT_NE(refusal({.files = {folder_}, .map = "last"}).find("has 1 swept columns"), std::string::npos);
  // Over one of them: a series for each value of the other, and the figure says so.
  const NamedFigure over = figure({.files = {file}, .x = "a"});
  ASSERT_EQ(over.figure.series.size(), 2u);
  EXPECT_EQ(over.figure.series[1].label, "b = 2");
  EXPECT_EQ(over.figure.series[1].x, (std::vector<double>{10, 20, 40}));
  EXPECT_EQ(over.words, "x over a, for all values of b, 6 systems");
  EXPECT_EQ(figure({.files = {file}, .x = "b"}).figure.series.size(), 3u);
}

TEST_F(PlotRuns, SeveralRunsAreSeriesAndAFileOfFieldsIsNoRun) {
  EXPECT_NE(refusal({.files = {folder_, folder_}}).find("as series only"), std::string::npos);
  EXPECT_NE(refusal({.files = {folder_ + "/fields_0001.vtkhdf"}}).find("give the directory of the run, " + folder_),
            std::string::npos);
}

TEST_F(PlotRuns, AxisIsTheFirstSweptNameAsWritten) {
  Tables tables(comm_, folder_ + "/zip.h5", {});
  FieldInfo z{"sweep/z", "1"}, a{"sweep/a", "1"};
  z.attributes = {{"order", "1"}}, a.attributes = {{"order", "2"}};
  add(tables, a, {1, 2, 3});
  add(tables, z, {7, 8, 9});
  add(tables, {"result/x", "1"}, {1, 2, 3});
  tables.write();
  const NamedFigure drawn = figure({.files = {folder_ + "/zip.h5"}});
  EXPECT_EQ(drawn.figure.x.label, "z");
  EXPECT_EQ(drawn.figure.title, "x over z, for all values of a, 3 systems");  // no projection in silence
}

TEST_F(PlotRuns, DrawsBesideTheTables) {
  EXPECT_EQ(plot_runs({.files = {folder_}}), folder_ + "/plot_ymax.png: ymax over q, 3 systems");
  EXPECT_EQ(read_text(folder_ + "/plot_ymax.png").substr(1, 3), "PNG");
  for (const char* other : {"/other.svg", "/other.pdf"})
    EXPECT_EQ(
        plot_runs(
            {.files = {folder_ + "/tables.h5"}, .x = "last", .y = {"ymax", "sweep/q"}, .output = folder_ + other}),
        folder_ + other + ": ymax, q over last, 3 systems");
}

TEST(Plane, WordsOfColors) {
  FigureMap map{2, 2, {3, std::nan(""), 3 + 1e-15, 3}};
  map.color = axis_for("c", false, {&map.values}, 0);
  EXPECT_EQ(words_of_colors("c", map), "c is 3");
  map.values[0] = 4;
  map.color = axis_for("c", false, {&map.values}, 0);
  EXPECT_EQ(words_of_colors("c", map), "c from 3 to 4");
}

TEST_F(PlotRuns, SweptWords) {
  Tables tables(comm_, folder_ + "/words.h5", {});
  FieldInfo sweep{"sweep/cells", "1"};
  sweep.attributes = {{"words", "[8, 8], [16, 8], [8, 16]"}};
  add(tables, sweep, {0, 1, 2});
  add(tables, {"result/error", "1"}, {3, 2, 1});
  tables.write();
  const std::vector<Tick> ticks = ticks_of(figure({.files = {folder_ + "/words.h5"}}).figure.x);
  ASSERT_EQ(ticks.size(), 3u);
  EXPECT_EQ(ticks[1].value, 1);
  EXPECT_EQ(ticks[1].text, "[16, 8]");
}

TEST_F(PlotRuns, DirectoryOfASweep) {
  fs::create_directory(folder_ + "/sweep");
  fs::copy_file(folder_ + "/tables.h5", folder_ + "/sweep/sweep.h5");
  EXPECT_EQ(plot_runs({.files = {folder_ + "/sweep"}, .y = {"last"}, .range = {-5, 5}}),
            folder_ + "/sweep/plot_last.png: last over q, 3 systems");
}

TEST_F(PlotRuns, ByDefaultResultsOfEachPhaseOverTheSweep) {
  const NamedFigure drawn = figure({.files = {folder_ + "/tables.h5"}});
  ASSERT_EQ(drawn.figure.series.size(), 1u);
  EXPECT_EQ(drawn.figure.series[0].x, (std::vector<double>{10, 10, 100, 100, 1000, 1000}));
  EXPECT_EQ(drawn.figure.series[0].y, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(drawn.figure.x.logarithmic);
  EXPECT_EQ(drawn.figure.x.label, "q (Hz)");
}

// Values at given times, by short name or whole: over the sweep a point per time, over the times a line per system.
TEST_F(PlotRuns, ValuesAtTimes) {
  EXPECT_NE(refusal({.files = {folder_}, .y = {"times/x"}}).find("has no column 'times/x'"), std::string::npos);
  Tables tables(comm_, folder_ + "/times.h5", {});
  add(tables, {"sweep/q", "1"}, {1, 2, 3});
  const std::vector<double> times{0, 10};
  tables.column({"times/t", "s"}, {{0}, {2}}, View<const double, 1>(times.data(), 2), *host_);
  FieldInfo x{"times/x", "1"};
  x.width = 2;
  add(tables, x, {1, 2, 3, 4, 5, 6});
  tables.write();
  const std::string file = folder_ + "/times.h5";
  EXPECT_EQ(figure({.files = {file}}).figure.series[0].x, (std::vector<double>{1, 1, 2, 2, 3, 3}));
  const NamedFigure over = figure({.files = {file}, .x = "t"});
  EXPECT_EQ(over.words, "x over t, 3 systems");
  EXPECT_EQ(over.figure.series[0].mark, Mark::line);
  EXPECT_EQ(over.figure.series[0].x[4], 10);
  EXPECT_EQ(over.figure.series[0].y[4], 4);
  EXPECT_TRUE(std::isnan(over.figure.series[0].y[2]));  // the next line begins
  EXPECT_NE(refusal({.files = {file}, .x = "t", .y = {"q"}}).find("times/NAME, not sweep/q"), std::string::npos);
  EXPECT_NE(refusal({.files = {file}, .y = {"y"}}).find("it has sweep/q, times/t, times/x"), std::string::npos);
  EXPECT_NE(refusal({.files = {file}, .x = "q", .y = {"times/t"}}).find("differ in length"), std::string::npos);
}

TEST_F(PlotRuns, TrajectoriesAreLines) {
  Tables tables(comm_, folder_ + "/ways.h5", {});
  const std::vector<double> t{0, 1, 2, 0, 5}, x{1, 2, 3, 4, 5};
  const std::vector<Index> ends{0, 3, 5};
  tables.column({"trajectory/t", "1"}, {{0}, {5}}, View<const double, 1>(t.data(), 5), *host_);
  tables.column({"trajectory/x", "1"}, {{0}, {5}}, View<const double, 1>(x.data(), 5), *host_);
  tables.column({"trajectory/offset", "1"}, {{0}, {3}}, View<const Index, 1>(ends.data(), 3), *host_);
  tables.write();
  const NamedFigure drawn = figure({.files = {folder_ + "/ways.h5"}, .y = {"trajectory/x"}});
  EXPECT_EQ(drawn.words, "x over t, 2 trajectories");
  ASSERT_EQ(drawn.figure.series.size(), 1u);
  EXPECT_EQ(drawn.figure.series[0].mark, Mark::line);
  EXPECT_TRUE(std::isnan(drawn.figure.series[0].x[3]));
  EXPECT_EQ(drawn.figure.series[0].x[5], 5);
}

// Residuals of two runs in one figure; probes over their times, along lines over the distance.
TEST_F(PlotRuns, Series) {
  for (const char* name : {"/one", "/two"}) {
    fs::create_directory(folder_ + name);
    Tables tables(comm_, folder_ + name + "/tables.h5", {});
    tables.series("residual_history", "1", std::vector<double>{1, 0.1, 1e-3, 1e-6});
    tables.series("probes/time", "problem time", std::vector<double>{0, 2});
    tables.series("probes/u_points", "m", std::vector<double>{1, 2, 3, 4}, 2);
    tables.series("probes/points", "", std::vector<double>{0, 1, 0, 5, 6, 0}, 3);
    tables.series("probes/u_line_1", "m", std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    tables.series("probes/line_1", "", std::vector<double>{0, 0, 0, 3, 4, 0, 6, 8, 0}, 3);
    tables.write();
  }
  const TableFile one(folder_ + "/one/tables.h5"), two(folder_ + "/two/tables.h5");
  const NamedFigure both = series_figure({&one, &two}, {"residual_history"}, {});
  ASSERT_EQ(both.figure.series.size(), 2u);
  EXPECT_EQ(both.figure.series[1].label, "two");
  EXPECT_TRUE(both.figure.y.logarithmic);
  EXPECT_EQ(both.words, "relative residual over iteration");
  EXPECT_EQ(plot_runs({.files = {folder_ + "/one", folder_ + "/two"}, .output = folder_ + "/both.svg"}),
            folder_ + "/both.svg: relative residual over iteration");
  const NamedFigure points = series_figure({&one}, {"u_points"}, {});
  EXPECT_EQ(points.figure.series.at(1).label, "(5, 6)");
  EXPECT_EQ(points.figure.series[1].x, (std::vector<double>{0, 2}));
  EXPECT_EQ(points.figure.series[1].y, (std::vector<double>{2, 4}));
  EXPECT_EQ(points.figure.y.label, "u (m)");
  const NamedFigure line = series_figure({&one}, {"u_line_1"}, {});
  EXPECT_EQ(line.figure.series.at(1).x, (std::vector<double>{0, 5, 10}));
  EXPECT_EQ(line.figure.series[1].label, "t = 2");
  EXPECT_NE(refusal({.files = {folder_ + "/one", folder_}}).find("has no column 'residual_history'"),
            std::string::npos);
}

TEST_F(PlotRuns, SaysWhatIsMissing) {
  EXPECT_NE(refusal({.files = {folder_ + "/none.h5"}}).find("there is no file"), std::string::npos);
  EXPECT_NE(refusal({.files = {folder_}, .y = {"yman"}}).find("it has result/last, result/ymax, sweep/q"),
            std::string::npos);
  EXPECT_NE(refusal({.files = {folder_}, .x = "ymax", .y = {"last"}}).find("several values per row"),
            std::string::npos);
  EXPECT_NE(refusal({.files = {folder_}, .field = "u"}).find("holds no fields"), std::string::npos);
  EXPECT_THROW(plot_runs({.files = {folder_}, .output = folder_ + "/no/such.png"}), MachineError);
  EXPECT_NE(refusal({.files = {folder_}, .output = folder_ + "/a.jpg"}).find(".png, .svg or .pdf"), std::string::npos);
  write_file(folder_ + "/text.h5", {});
  EXPECT_THROW(plot_runs({.files = {folder_ + "/text.h5"}}), Error);
}

TEST_F(PlotRuns, LogarithmOfNegativeValues) {
  EXPECT_EQ(refusal({.files = {folder_}, .y = {"last"}, .log_y = true}), "drawn");  // the positive one
  // Points at places that the axis lacks have no part in the other axis either.
  Tables tables(comm_, folder_ + "/below.h5", {});
  add(tables, {"sweep/k", "1"}, {-3, 0, 7});
  add(tables, {"result/u", "1"}, {50, 20, 1});
  tables.write();
  const NamedFigure seen = figure({.files = {folder_ + "/below.h5"}, .log_x = true});
  EXPECT_EQ(refusal({.files = {folder_ + "/below.h5"}, .range = {0, 1}, .log_y = true}),
            "halocline: --range 0: a logarithmic axis begins above 0");
  EXPECT_LT(seen.figure.y.high, 2);
  EXPECT_EQ(seen.words, "u over k, 3 systems, without 2 points that a logarithmic axis has no place for");
}

// Between the nodes of a bicubic function: x^3 y^2 - x y^3 exactly, and its derivatives, on unequal elements.
TEST(Plane, BicubicFunctions) {
  FieldPlane plane;
  plane.x = {0, 0.3, 1}, plane.y = {0, 0.5, 0.8, 2};
  const auto u = [](double x, double y) { return x * x * x * y * y - x * y * y * y; };
  const auto u_x = [](double x, double y) { return 3 * x * x * y * y - y * y * y; };
  const auto u_y = [](double x, double y) { return 2 * x * x * x * y - 3 * x * y * y; };
  const auto u_xy = [](double x, double y) { return 6 * x * x * y - 3 * y * y; };
  for (const double y : plane.y)
    for (const double x : plane.x) {
      plane.values.push_back(u(x, y));
      plane.slopes[0].push_back(u_x(x, y)), plane.slopes[1].push_back(u_y(x, y)), plane.slopes[2].push_back(u_xy(x, y));
    }
  for (const double x : {0.0, 0.1, 0.3, 0.77, 1.0})
    for (const double y : {0.0, 0.2, 0.6, 1.3, 2.0}) {
      plane.derived = {0, 0};
      EXPECT_NEAR(plane.at(x, y, false), u(x, y), 1e-14);
      plane.derived = {1, 0};
      EXPECT_NEAR(plane.at(x, y, false), u_x(x, y), 1e-13);
      plane.derived = {1, 1};
      EXPECT_NEAR(plane.at(x, y, false), u_xy(x, y), 1e-13);
    }
  EXPECT_TRUE(std::isnan(plane.at(1.1, 0, false)));
}

TEST(Plane, CellsAndPlaces) {
  FieldPlane plane;
  plane.cells = true;
  plane.x = {0, 1, 3}, plane.y = {0, 1};
  plane.values = {10, 20};
  EXPECT_EQ(plane.at(0.9, 0.5, false), 10);
  EXPECT_EQ(plane.at(1.1, 0.5, false), 20);
  EXPECT_NEAR(plane.at(1.25, 0.5, true), 15, 1e-12);
  EXPECT_EQ(plane.raster(3, 1, false), (std::vector<double>{10, 20, 20}));
  EXPECT_NEAR(plane.variation(), 1.0 / 3, 1e-12);  // of three lines one has a slope
  PlaneRequest request;
  take_plane("y=-2.5", request);
  EXPECT_EQ(request.axis, 1);
  EXPECT_EQ(request.place, -2.5);
  EXPECT_FALSE(request.middle);
  for (const char* wrong : {"", "w", "x=", "x=1m", "xy"}) EXPECT_THROW(take_plane(wrong, request), DeckError) << wrong;
}

// A linear function on a cube of one hexahedron: the cut knows it everywhere.
TEST(Plane, CutOfAMesh) {
  MeshValues mesh;
  mesh.per_cell = 8;
  for (int k = 0; k < 8; ++k) mesh.corners.push_back(k);
  for (const double z : {0.0, 1.0})
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}) {
      mesh.points.insert(mesh.points.end(), {x, y, z});
      mesh.values.push_back(x + 2 * y + 4 * z);
    }
  FieldPlane plane;
  plane.axes = {0, 2};
  cut_mesh(mesh, 1, 0.25, 20, plane);
  ASSERT_EQ(plane.values.size(), 400u);
  for (const auto& [x, z] : {std::pair{0.025, 0.025}, {0.975, 0.475}, {0.525, 0.925}})
    EXPECT_NEAR(plane.at(x, z, false), x + 0.5 + 4 * z, 1e-12);
  for (const double value : plane.values) EXPECT_TRUE(std::isfinite(value));
  EXPECT_THROW(cut_mesh(mesh, 1, 3, 20, plane), DeckError);
}

}  // namespace
}  // namespace halocline
