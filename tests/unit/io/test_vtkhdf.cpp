// Output steps read back with h5::File and compared with the formula, for every kind of grid, layout and executor.
#include <gtest/gtest.h>

#include "io/files.hpp"
#include "mesh_support.hpp"
#include "output_support.hpp"
#include "tests/unit/executors.hpp"
#include "vtkhdf_support.hpp"

namespace halocline {
namespace {

using VtkhdfTest = OnEveryExecutor;

TEST_P(VtkhdfTest, WritesEveryGridFromEveryLayout) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const Grid* grid : {&plane, &graded, &box, &graded_box}) {
    for (const Layout& layout :
         {Layout{0, 1}, Layout{0, 3}, Layout{1, 2, AxisOrder::x_fastest}, Layout{0, 2, AxisOrder::x_slowest, 3},
          Layout{1, 2, AxisOrder::x_slowest, 100}, Layout{2, 3, AxisOrder::x_fastest, 1}}) {
      if (grid->points(layout.axis) == 1) continue;
      const Scratch scratch(comm, "vtkhdf");
      ResultWriter writer(comm, scratch.path(), {}, {});
      write_step(writer, comm, make_test_executors(GetParam(), layout.per_rank), layout, *grid, 0.5);
      expect_sample(scratch / "fields_0001.vtkhdf", "/VTKHDF/PointData/u", *grid, Centring::point, 0.5);
      expect_sample(scratch / "fields_0001.vtkhdf", "/VTKHDF/CellData/c", *grid, Centring::cell, 1.5);
      comm.barrier();
    }
  }
}

// Files in which a step goes out of buffers while others follow are those of steps that are waited for, to the byte.
TEST_P(VtkhdfTest, StepsOnTheirWayMakeTheSameFiles) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::vector<ExecutorPtr> executors = make_test_executors(GetParam(), 2);
  for (const Layout& layout : {Layout{1, 2, AxisOrder::x_fastest, 3}, Layout{0, 2, AxisOrder::x_fastest, 1},
                               Layout{1, 2, AxisOrder::x_fastest, 100}, Layout{0, 2}}) {
    const Scratch waited(comm, "vtkhdf_waited"), buffered(comm, "vtkhdf_buffered");
    for (const Index buffers : {0, 1, 2}) {
      ResultWriter writer(comm, buffers == 0 ? waited.path() : buffered.path(), {}, {{"version", "0"}},
                          {Geometry::automatic, buffers});
      for (const double t : {0.0, 0.5, 1.0, 1.5, 2.0}) {
        write_step(writer, comm, executors, layout, plane, t);
        EXPECT_EQ(writer.under_way(), buffers > 0);
      }
      writer.finish();
      EXPECT_FALSE(writer.under_way());
      EXPECT_EQ(writer.steps().size(), 5u);
      comm.barrier();
      if (buffers > 0 && comm.rank() == 0) {
        EXPECT_EQ(buffered.files(), waited.files());
        for (const auto& entry : std::filesystem::directory_iterator(waited.path())) {
          const std::string name = entry.path().filename().string();
          EXPECT_TRUE(text_of(buffered / name) == text_of(waited / name)) << name;
        }
      }
      comm.barrier();
    }
  }
}

TEST_P(VtkhdfTest, WritesMeshesRowByRow) {
  const Communicator comm(MPI_COMM_WORLD);
  const BoxMesh box;
  const Scratch scratch(comm, "vtkhdf_mesh");
  ResultWriter writer(comm, scratch.path(), {}, {});
  for (const double t : {0.0, 0.5}) {
    writer.begin_step(t);
    publish_mesh(writer, comm, make_test_executors(GetParam(), 2), box, t);
    writer.end_step();
  }
  EXPECT_EQ(scratch.files(), 5);  // two steps, geometry, series, xdmf
  const std::string step = scratch / "fields_0002.vtkhdf";
  const auto corners = read<Index>(step, "/VTKHDF/Connectivity", h5::Type::int64);
  const auto points = read<double>(step, "/VTKHDF/Points", h5::Type::float64);
  const auto u = read<double>(step, "/VTKHDF/PointData/u", h5::Type::float64);
  const auto s = read<double>(step, "/VTKHDF/CellData/s", h5::Type::float64);
  ASSERT_EQ(corners.size(), 4u * 144);
  ASSERT_EQ(u.size(), 60u);
  ASSERT_EQ(s.size(), 6u * 144);
  for (Index n = 0; n < 60; ++n) {
    const auto x = box.point(n);
    ASSERT_EQ(u[static_cast<std::size_t>(n)], sample(x[0], x[1], x[2], 0.5));
    for (Index axis = 0; axis < 3; ++axis) ASSERT_EQ(points[static_cast<std::size_t>(3 * n + axis)], x[axis]);
  }
  for (Index n = 0; n < 4 * 144; ++n) ASSERT_EQ(corners[static_cast<std::size_t>(n)], box.corner(n / 4, n % 4));
  EXPECT_EQ(s[6 * 143 + 5], 143 * 5);
  EXPECT_EQ(read<Index>(step, "/VTKHDF/Offsets", h5::Type::int64).back(), 4 * 144);
  EXPECT_EQ(read<std::uint8_t>(step, "/VTKHDF/Types", h5::Type::uint8), std::vector<std::uint8_t>(144, 10));
  comm.barrier();
}

INSTANTIATE_TEST_SUITE_P(Executors, VtkhdfTest, every_executor(), executor_name);

class Vtkhdf : public testing::Test {
 protected:
  const Communicator comm{MPI_COMM_WORLD};
  const std::vector<ExecutorPtr> executors{make_omp_executor(1)};
};

TEST_F(Vtkhdf, WantedFieldsOnly) {
  const Scratch scratch(comm, "vtkhdf_wanted");
  ResultWriter writer(comm, scratch.path(), {"c"}, {});
  EXPECT_FALSE(writer.wants("u"));
  write_step(writer, comm, executors, {}, box, 0);
  const h5::File file(scratch / "fields_0001.vtkhdf", h5::File::Mode::read);
  EXPECT_EQ(file.children("/VTKHDF/PointData"), std::vector<std::string>{});
  EXPECT_EQ(file.children("/VTKHDF/CellData"), std::vector<std::string>{"c"});
  comm.barrier();
}

TEST_F(Vtkhdf, ResumesBehindTheStepsThatCount) {
  const Scratch scratch(comm, "vtkhdf_resume");
  {
    ResultWriter writer(comm, scratch.path(), {}, {});
    for (const double t : {0.0, 0.1, 0.2, 0.3}) write_step(writer, comm, executors, {}, plane, t);
  }
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.resume(0.1);
  EXPECT_EQ(writer.steps().size(), 2u);
  EXPECT_TRUE(comm.agree(!std::filesystem::exists(scratch / "fields_0004.vtkhdf")));
  write_step(writer, comm, executors, {}, plane, 0.25);
  write_step(writer, comm, executors, {}, graded, 0.35);
  expect_sample(scratch / "fields_0003.vtkhdf", "/VTKHDF/PointData/u", plane, Centring::point, 0.25);
  const std::string series = text_of(scratch / "fields.vtkhdf.series");
  EXPECT_NE(series.find("{\"name\": \"fields_0002.vtkhdf\", \"time\": 0.10000000000000001},\n"
                        "  {\"name\": \"fields_0003.vtkhdf\", \"time\": 0.25},"),
            std::string::npos)
      << series;
  const std::string index = text_of(scratch / "fields.xdmf");
  EXPECT_NE(index.find("fields_0001.vtkhdf:/VTKHDF/PointData/u"), std::string::npos);
  EXPECT_NE(index.find("fields_grid_0004.h5:/nodes/x"), std::string::npos) << index;
  EXPECT_EQ(index.find("Time Value=\"0.3\""), std::string::npos);
  comm.barrier();
}

// The index is a file that somebody may have changed, or have brought with a directory.
TEST_F(Vtkhdf, NamesInTheIndexLeadToNoOtherFile) {
  const Scratch scratch(comm, "vtkhdf_names"), beside(comm, "vtkhdf_beside");
  const std::string outside = "../" + std::filesystem::path(beside.path()).filename().string() + "/mine.txt";
  if (comm.rank() == 0) {
    std::string index;
    for (const std::string& name : {outside, std::string("deck.yaml"), "fields_/../" + outside})
      index += "      <!-- step " + name + " 5 -->\n";
    replace_file(scratch / "fields.xdmf", index);
    replace_file(scratch / "deck.yaml", "mine");
    replace_file(beside / "mine.txt", "mine");
  }
  comm.barrier();
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.resume(1);
  EXPECT_TRUE(writer.steps().empty());
  EXPECT_TRUE(std::filesystem::exists(beside / "mine.txt"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "deck.yaml"));
  comm.barrier();
}

// Written as a whole, an index at every step would take a time that grows with the square of their number.
TEST_F(Vtkhdf, IndicesOfManyStepsAreWrittenNowAndThen) {
  const Scratch scratch(comm, "vtkhdf_many");
  ResultWriter writer(comm, scratch.path(), {"c"}, {});
  constexpr std::size_t all = 190;
  const Grid small{{nodes(0, 0.25, 3), nodes(-1, 0.5, 3), {0}}, ""};
  std::size_t changes = 0, listed = 0;
  for (std::size_t n = 1; n <= all; ++n) {
    write_step(writer, comm, executors, {}, small, static_cast<double>(n));
    const std::vector<OutputStep> found = steps_of_xdmf(text_of(scratch / "fields.xdmf"));
    changes += found.size() != listed ? 1 : 0;
    listed = found.size();
    EXPECT_LE(64 * (n - listed), listed);
  }
  EXPECT_EQ(changes, 64u + 32 + 20);
  EXPECT_LT(listed, all);
  EXPECT_FALSE(writer.is_settled());
  comm.barrier();  // all have looked at what is there
  writer.finish();
  EXPECT_TRUE(writer.is_settled());
  const std::vector<OutputStep> found = steps_of_xdmf(text_of(scratch / "fields.xdmf"));
  ASSERT_EQ(found.size(), all);
  EXPECT_EQ(found[63].time, 64);
  EXPECT_EQ(found.front().form, found.back().form);  // one text for all
  EXPECT_NE(text_of(scratch / "fields.vtkhdf.series").find("fields_0190.vtkhdf"), std::string::npos);
  comm.barrier();
}

// Somebody has changed the line of a time. No step after it is lost, nor a line.
TEST_F(Vtkhdf, IndexWithATimeWithoutEndKeepsItsSteps) {
  const auto index_of = [](const std::vector<OutputStep>& steps) {
    std::string index;
    put_xdmf_index([&](std::string_view more) { index += more; }, "fields", steps);
    return index;
  };
  const auto form = std::make_shared<const std::string>(xdmf_form(plane, "fields_grid.h5", {}));
  std::string index = index_of({{"a.vtkhdf", 1, form}, {"b.vtkhdf", 2, form}, {"c.vtkhdf", 3, form}});
  const std::string time = "<Time Value=\"2\"/>";
  ASSERT_NE(index.find(time), std::string::npos);
  for (const char* damaged : {"<Time Value=\"/>", "<Time Value=\"2", "<Time Value=", "<Time Value=\"\"/>"}) {
    std::string other = index;
    other.replace(index.find(time), time.size(), damaged);
    const std::vector<OutputStep> steps = steps_of_xdmf(other);
    ASSERT_EQ(steps.size(), 3u) << damaged;
    EXPECT_EQ(*steps.back().form, *form) << damaged;
    const std::string again = index_of(steps);
    EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), std::count(index.begin(), index.end(), '\n')) << damaged;
    EXPECT_EQ(index_of(steps_of_xdmf(again)), again) << damaged;
  }
}

TEST_F(Vtkhdf, FullDiskLeavesTheStepsBeforeAndNoHalfFile) {
  const Scratch scratch(comm, "vtkhdf_full");
  ResultWriter writer(comm, scratch.path(), {}, {});
  write_step(writer, comm, executors, {}, plane, 0);
  const Grid large{{nodes(0, 0.25, 130), nodes(-1, 0.5, 170), nodes(0, 1, 17)}, "m"};
  const std::string index = text_of(scratch / "fields.xdmf");
  std::string message;
  {
    const FileSizeLimit limit(1 << 20);
    message = machine_error([&] { write_step(writer, comm, executors, {}, large, 1); });
  }
  EXPECT_NE(message.find("fields_0002.vtkhdf.tmp: File too large"), std::string::npos) << message;
  comm.barrier();
  EXPECT_EQ(scratch.files(), 4);  // step, grid, series, xdmf
  EXPECT_EQ(text_of(scratch / "fields.xdmf"), index);
  comm.barrier();
  write_step(writer, comm, executors, {}, large, 2);  // room again
  expect_sample(scratch / "fields_0002.vtkhdf", "/VTKHDF/PointData/u", large, Centring::point, 2);
  comm.barrier();
}

TEST_F(Vtkhdf, PollCompletesStepsAndTheEndLeavesNoHalfFile) {
  const Scratch scratch(comm, "vtkhdf_poll");
  {
    ResultWriter writer(comm, scratch.path(), {}, {}, {Geometry::automatic, 2});
    write_step(writer, comm, executors, {}, plane, 0);
    while (writer.under_way()) writer.poll();
    EXPECT_EQ(writer.steps().size(), 1u);
    EXPECT_NE(text_of(scratch / "fields.xdmf").find("fields_0001.vtkhdf"), std::string::npos);
    comm.barrier();
    write_step(writer, comm, executors, {}, plane, 1);
    write_step(writer, comm, executors, {}, plane, 2);
    comm.barrier();
  }
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(scratch / "fields_0003.vtkhdf.tmp"));
  EXPECT_EQ(text_of(scratch / "fields.xdmf").find("fields_0003.vtkhdf"), std::string::npos);
  comm.barrier();
}

// The limit strikes the last rank, which makes no structure: where there is but one, the room is refused before.
TEST_F(Vtkhdf, FailureOnTheWayNamesTheStep) {
  const Scratch scratch(comm, "vtkhdf_way");
  ResultWriter writer(comm, scratch.path(), {}, {}, {Geometry::automatic, 2});
  write_step(writer, comm, executors, {}, box, 0);
  writer.finish();
  if (comm.size() == 1) return;
  std::string message;
  {
    const FileSizeLimit limit(comm.rank() == comm.size() - 1 ? 4096 : RLIM_INFINITY, true);
    write_step(writer, comm, executors, {}, box, 0.5);
    message = machine_error([&] {
      write_step(writer, comm, executors, {}, box, 1);
      writer.finish();
    });
  }
  EXPECT_NE(message.find("output at 0.5: "), std::string::npos) << message;
  EXPECT_NE(message.find("fields_0002.vtkhdf.tmp: File too large"), std::string::npos) << message;
  EXPECT_FALSE(writer.under_way());
  comm.barrier();
  EXPECT_EQ(scratch.files(), 3);  // step, series, xdmf
  comm.barrier();
  write_step(writer, comm, executors, {}, box, 2);  // room again
  writer.finish();
  expect_sample(scratch / "fields_0002.vtkhdf", "/VTKHDF/PointData/u", box, Centring::point, 2);
  comm.barrier();
}

TEST_F(Vtkhdf, MeshesAreStoredOnceAlsoByRunsThatGoOn) {
  const Scratch scratch(comm, "vtkhdf_mesh_resume");
  const auto step = [&](ResultWriter& writer, double t) {
    writer.begin_step(t);
    publish_mesh(writer, comm, executors, {{9, 8, 7}, CellKind::hexahedron}, t);
    writer.end_step();
  };
  {
    ResultWriter writer(comm, scratch.path(), {"u"}, {});
    const FileSizeLimit limit(1 << 14);
    EXPECT_NE(machine_error([&] { step(writer, 0); }), "");
  }
  comm.barrier();
  EXPECT_EQ(scratch.files(), 0);
  comm.barrier();
  {
    ResultWriter writer(comm, scratch.path(), {"u"}, {});
    step(writer, 0);
  }
  const auto made = std::filesystem::last_write_time(scratch / "fields_grid.h5");
  ResultWriter writer(comm, scratch.path(), {"u"}, {});
  writer.resume(0);
  step(writer, 0.5);
  EXPECT_EQ(std::filesystem::last_write_time(scratch / "fields_grid.h5"), made);
  const h5::File file(scratch / "fields_0002.vtkhdf", h5::File::Mode::read);
  EXPECT_EQ(file.children("/VTKHDF/PointData"), std::vector<std::string>{"u"});
  EXPECT_EQ(file.text_attribute("/VTKHDF", "length_unit"), "m");
  comm.barrier();
}

TEST_F(Vtkhdf, MissingFolderIsAMachineError) {
  ResultWriter writer(comm, "no/such/folder", {}, {});
  EXPECT_NE(machine_error([&] { write_step(writer, comm, executors, {}, plane, 0); }), "");
  EXPECT_NE(machine_error([&] { write_step(writer, comm, executors, {}, box, 0); }), "");
}

}  // namespace
}  // namespace halocline
