// `halocline plot`: which columns are drawn, and what is said when they are not there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "app/plot.hpp"
#include "io/files.hpp"
#include "io/output/table.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

class PlotTables : public testing::Test {
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
      plot_tables(wanted);
    } catch (const DeckError& error) {
      return error.what();
    }
    return "drawn";
  }
  Communicator comm_{MPI_COMM_SELF};
  ExecutorPtr host_ = make_omp_executor(1);
  std::string folder_;
};

// A map of two by three systems, for pictures and for ParaView.
TEST_F(PlotTables, DrawsMaps) {
  Tables tables(comm_, folder_ + "/map.h5", {});
  const std::array<MapAxis, 2> axes{{{"a", {1, 2}}, {"b", {10, 20, 40}}}};
  const auto six = [&](const char* name, const std::vector<double>& values) {
    tables.column({name, "1"}, {{0}, {6}}, View<const double, 1>(values.data(), 6), *host_);
  };
  six("sweep/a", {1, 1, 1, 2, 2, 2});
  six("sweep/b", {10, 20, 40, 10, 20, 40});
  six("result/x", {0, 1, 2, 3, std::nan(""), 5});
  tables.map(axes);
  tables.write();
  Command::Plot wanted{folder_ + "/map.h5", "", {}, false, false, "", "x"};
  EXPECT_EQ(plot_tables(wanted), folder_ + "/map.png: x from 0 to 5, b to the right, a upwards");
  EXPECT_EQ(read_text(folder_ + "/map.png").substr(1, 3), "PNG");
  const std::string index = read_text(folder_ + "/map.xdmf");
  EXPECT_NE(index.find("Dimensions=\"1 2 3\""), std::string::npos) << index;
  EXPECT_NE(index.find("map.h5:/result/x"), std::string::npos) << index;
  EXPECT_NE(index.find("10 20 40"), std::string::npos) << index;
  wanted.file = folder_;
  wanted.map = "last";
  EXPECT_NE(refusal(wanted).find("has 1 swept columns; a map has two"), std::string::npos);
}

TEST_F(PlotTables, DrawsBesideTheTables) {
  EXPECT_EQ(plot_tables({folder_, "", {}, false, false, ""}), folder_ + "/tables.png");
  EXPECT_EQ(read_text(folder_ + "/tables.png").substr(1, 3), "PNG");
  const std::string other = folder_ + "/other.png";
  EXPECT_EQ(plot_tables({folder_ + "/tables.h5", "last", {"ymax", "sweep/q"}, false, true, other}), other);
  EXPECT_NE(read_text(other), read_text(folder_ + "/tables.png"));
}

// The same bytes for the default and for what it stands for.
TEST_F(PlotTables, ByDefaultResultsOfEachPhaseOverTheSweep) {
  const std::string given = folder_ + "/given.png";
  plot_tables({folder_, "", {}, false, false, ""});
  plot_tables({folder_, "q", {"result/ymax"}, true, false, given});
  EXPECT_EQ(read_text(given), read_text(folder_ + "/tables.png"));
}

// Values at given times, by short name or whole: over the sweep a point per time, over the times a way per system.
TEST_F(PlotTables, ValuesAtTimes) {
  const Command::Plot over_sweep{folder_, "", {"times/x"}, false, false, ""};
  EXPECT_NE(refusal(over_sweep).find("has no column 'times/x'"), std::string::npos);
  Tables tables(comm_, folder_ + "/times.h5", {});
  add(tables, {"sweep/q", "1"}, {1, 2, 3});
  const std::vector<double> times{0, 10}, values{1, 2, 3, 4, 5, 6};
  tables.column({"times/t", "s"}, {{0}, {2}}, View<const double, 1>(times.data(), 2), *host_);
  FieldInfo x{"times/x", "1"};
  x.width = 2;
  add(tables, x, values);
  tables.write();
  const std::string file = folder_ + "/times.h5", made = folder_ + "/made.png";
  plot_tables({file, "", {"x"}, false, false, made});
  const std::string over_q = read_text(made);
  EXPECT_EQ(plot_tables({file, "", {}, false, false, ""}), folder_ + "/times.png");
  EXPECT_EQ(read_text(folder_ + "/times.png"), over_q);
  plot_tables({file, "t", {"times/x"}, false, false, made});
  const std::string over_t = read_text(made);
  EXPECT_NE(over_t, over_q);
  plot_tables({file, "times/t", {}, false, false, made});
  EXPECT_EQ(read_text(made), over_t);
  EXPECT_NE(refusal({file, "t", {"q"}, false, false, ""}).find("times/NAME, not sweep/q"), std::string::npos);
  EXPECT_NE(refusal({file, "", {"y"}, false, false, ""}).find("it has sweep/q, times/t, times/x"), std::string::npos);
  EXPECT_NE(refusal({file, "q", {"times/t"}, false, false, ""}).find("differ in length"), std::string::npos);
}

TEST_F(PlotTables, SaysWhatIsMissing) {
  EXPECT_NE(refusal({folder_ + "/none.h5", "", {}, false, false, ""}).find("there is no file"), std::string::npos);
  EXPECT_NE(refusal({folder_, "", {"yman"}, false, false, ""}).find("it has result/last, result/ymax, sweep/q"),
            std::string::npos);
  EXPECT_NE(refusal({folder_, "ymax", {"last"}, false, false, ""}).find("several values per row"), std::string::npos);
  EXPECT_THROW(plot_tables({folder_, "", {}, false, false, folder_ + "/no/such.png"}), MachineError);
  write_file(folder_ + "/text.h5", {});
  EXPECT_THROW(plot_tables({folder_ + "/text.h5", "", {}, false, false, ""}), Error);
}

TEST_F(PlotTables, LogarithmOfNegativeValues) {
  EXPECT_EQ(refusal({folder_, "", {"last"}, false, true, ""}), "drawn");  // the positive one
}

}  // namespace
}  // namespace halocline
