// Output steps read back with h5::File and compared with the formula, for every kind of grid, layout and executor.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/output/result_writer.hpp"
#include "io/output/vtk_grid.hpp"
#include "mesh_support.hpp"
#include "output_support.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

const Grid plane{{nodes(0, 0.25, 13), nodes(-1, 0.5, 9), {0}}, "m"};
const Grid graded{{nodes(0, 0.1, 14, 1.3), nodes(-1, 0.5, 9), {0}}, ""};
const Grid box{{nodes(0, 0.25, 13), nodes(-1, 0.5, 17), nodes(2, 0.125, 14)}, "m"};
const Grid graded_box{{nodes(0, 0.25, 13), nodes(-1, 0.5, 17), nodes(2, 0.125, 14, 1.2)}, "m"};

template <class T>
std::vector<T> read(const std::string& path, const std::string& dataset, h5::Type type) {
  const h5::File file(path, h5::File::Mode::read);
  const h5::Extent shape = file.extent(dataset);
  Index size = 1;
  for (const Index n : shape) size *= n;
  std::vector<T> values(static_cast<std::size_t>(size));
  const h5::Target target{h5::Extent(shape.size(), 0), shape, reinterpret_cast<std::byte*>(values.data())};
  file.read(dataset, type, shape, std::span(&target, 1));
  return values;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_sample(const std::string& path, const std::string& dataset, const Grid& grid, Centring centring, double t) {
  const auto values = read<double>(path, dataset, h5::Type::float64);
  std::size_t at = 0, wrong = 0;
  const auto count = [&](int d) { return centring == Centring::point ? grid.points(d) : grid.cells(d); };
  ASSERT_EQ(static_cast<Index>(values.size()), count(0) * count(1) * count(2));
  for (Index k = 0; k < count(2); ++k) {
    for (Index j = 0; j < count(1); ++j) {
      for (Index i = 0; i < count(0); ++i) {
        wrong += values[at++] != sample(coordinate(grid, centring, 0, i), coordinate(grid, centring, 1, j),
                                        coordinate(grid, centring, 2, k), t);
      }
    }
  }
  EXPECT_EQ(wrong, 0u) << path << " " << dataset;
}

void write_step(ResultWriter& writer, const Communicator& comm, const std::vector<ExecutorPtr>& executors,
                const Layout& layout, const Grid& grid, double t) {
  writer.begin_step(t);
  writer.grid(grid);
  publish_sample(writer, comm, executors, layout, {"u", "K"}, grid, t);
  publish_sample(writer, comm, executors, layout, {"c", "", Centring::cell}, grid, t + 1);
  writer.end_step();
}

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
      expect_sample(scratch / "fields_0001.hdf", "/VTKHDF/PointData/u", *grid, Centring::point, 0.5);
      expect_sample(scratch / "fields_0001.hdf", "/VTKHDF/CellData/c", *grid, Centring::cell, 1.5);
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
  const std::string step = scratch / "fields_0002.hdf";
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

TEST_F(Vtkhdf, PlanesAreQuadrilateralsWithGeometryStoredOnce) {
  const Scratch scratch(comm, "vtkhdf_plane");
  ResultWriter writer(comm, scratch.path(), {}, {{"version", "1.2.3"}, {"deck", "problem: test\n"}});
  for (const double t : {0.0, 0.5, 1.0}) write_step(writer, comm, executors, {}, plane, t);
  EXPECT_EQ(scratch.files(), 6);  // three steps, grid, series, xdmf
  const std::string step = scratch / "fields_0002.hdf";
  const h5::File file(step, h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/VTKHDF", "Type"), "UnstructuredGrid");
  EXPECT_EQ(file.text_attribute("/", "deck"), "problem: test\n");
  EXPECT_EQ(file.text_attribute("/", "version"), "1.2.3");
  EXPECT_EQ(file.number_attribute("/", "time"), 0.5);
  EXPECT_EQ(file.text_attribute("/VTKHDF/PointData/u", "unit"), "K");
  const auto points = read<double>(step, "/VTKHDF/Points", h5::Type::float64);
  ASSERT_EQ(points.size(), 13u * 9 * 3);
  EXPECT_EQ(points[3 * (13 * 4 + 7)], 1.75);
  EXPECT_EQ(points[3 * (13 * 4 + 7) + 1], 1.0);
  EXPECT_EQ(points[3 * (13 * 4 + 7) + 2], 0.0);
  const auto corners = read<Index>(step, "/VTKHDF/Connectivity", h5::Type::int64);
  ASSERT_EQ(corners.size(), 12u * 8 * 4);
  const std::vector<Index> second_row(corners.begin() + 12 * 4, corners.begin() + 12 * 4 + 4);
  EXPECT_EQ(second_row, (std::vector<Index>{13, 14, 27, 26}));
  const auto offsets = read<Index>(step, "/VTKHDF/Offsets", h5::Type::int64);
  ASSERT_EQ(offsets.size(), 97u);
  EXPECT_EQ(offsets[96], 384);
  EXPECT_EQ(read<std::uint8_t>(step, "/VTKHDF/Types", h5::Type::uint8), std::vector<std::uint8_t>(96, 9));
  comm.barrier();
}

TEST_F(Vtkhdf, CellsOfAPlaneAreAnImageOneCellThick) {
  const Scratch scratch(comm, "vtkhdf_cells");
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.begin_step(0.5);
  writer.grid(plane);
  publish_sample(writer, comm, executors, {}, {"c", "", Centring::cell}, plane, 0.5);
  writer.end_step();
  EXPECT_EQ(scratch.files(), 3);  // step, series, xdmf
  const std::string step = scratch / "fields_0001.hdf";
  const h5::File file(step, h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/VTKHDF", "Type"), "ImageData");
  EXPECT_EQ(file.integers_attribute("/VTKHDF", "WholeExtent"), (std::vector<Index>{0, 12, 0, 8, 0, 1}));
  EXPECT_EQ(file.extent("/VTKHDF/CellData/c"), (h5::Extent{1, 8, 12}));
  expect_sample(step, "/VTKHDF/CellData/c", plane, Centring::cell, 0.5);
  const ImageBox thick = image_box(plane);
  EXPECT_EQ(thick.spacing, (std::array<double, 3>{0.25, 0.5, 0.25}));
  EXPECT_EQ(thick.origin, (std::array<double, 3>{0, -1, -0.125}));
  comm.barrier();
}

TEST_F(Vtkhdf, PointsOfAPlaneComeBeforeItsCells) {
  const Scratch scratch(comm, "vtkhdf_order");
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.begin_step(0);
  writer.grid(plane);
  publish_sample(writer, comm, executors, {}, {"c", "", Centring::cell}, plane, 0);
  publish_sample(writer, comm, executors, {}, {"u", ""}, plane, 0);
  EXPECT_THROW(writer.end_step(), InternalError);
  comm.barrier();
}

TEST(Geometry, FollowsTheKeyAndTheSize) {
  const auto form = [](const Grid& grid, Centring centring, Geometry geometry) {
    return form_of(grid, centring, geometry);
  };
  for (const Geometry geometry : {Geometry::automatic, Geometry::spelled_out, Geometry::index}) {
    const bool index = geometry == Geometry::index, spelled = geometry == Geometry::spelled_out;
    EXPECT_EQ(form(box, Centring::point, geometry), GridForm::image);
    EXPECT_EQ(form(box, Centring::cell, geometry), GridForm::image);
    EXPECT_EQ(form(plane, Centring::cell, geometry), spelled ? GridForm::unstructured : GridForm::image);
    for (const Grid* grid : {&plane, &graded, &graded_box})
      EXPECT_EQ(form(*grid, Centring::point, geometry), index ? GridForm::index : GridForm::unstructured);
  }
  const Grid most{{nodes(0, 1, 2001), nodes(0, 1, 2001), {0}}, ""}, more{{nodes(0, 1, 2002), most.nodes[1], {0}}, ""};
  EXPECT_EQ(form(most, Centring::point, Geometry::automatic), GridForm::unstructured);
  EXPECT_EQ(form(more, Centring::point, Geometry::automatic), GridForm::index);
  EXPECT_EQ(form(more, Centring::point, Geometry::spelled_out), GridForm::unstructured);
  EXPECT_EQ(form(more, Centring::cell, Geometry::automatic), GridForm::image);
  EXPECT_EQ(reason_of(GridForm::index, more, Geometry::automatic),
            "output.geometry: auto: the geometry is left to the index, fields.xdmf, since 4002000 cells are more than "
            "4000000");
}

TEST_F(Vtkhdf, GeometryLeftToTheIndexTakesNoRoomAndComesBackWhenAskedFor) {
  const Scratch scratch(comm, "vtkhdf_index");
  {
    ResultWriter writer(comm, scratch.path(), {}, {}, Geometry::index);
    write_step(writer, comm, executors, {}, graded, 0);
  }
  EXPECT_EQ(scratch.files(), 3);  // step, coordinates, xdmf
  expect_sample(scratch / "fields_0001.hdf", "/VTKHDF/PointData/u", graded, Centring::point, 0);
  EXPECT_FALSE(h5::File(scratch / "fields_grid.h5", h5::File::Mode::read).contains("/Points"));
  comm.barrier();
  ResultWriter writer(comm, scratch.path(), {}, {}, Geometry::spelled_out);
  writer.resume(0);
  write_step(writer, comm, executors, {}, graded, 1);
  EXPECT_TRUE(h5::File(scratch / "fields_grid_0002.h5", h5::File::Mode::read).contains("/Points"));
  const std::string index = text_of(scratch / "fields.xdmf");
  EXPECT_NE(index.find("fields_grid.h5:/nodes/x"), std::string::npos);
  EXPECT_NE(index.find("fields_grid_0002.h5:/nodes/x"), std::string::npos);
  comm.barrier();
}

TEST_F(Vtkhdf, HexahedraHaveTheirCornersInVtkOrder) {
  const Scratch scratch(comm, "vtkhdf_hexahedra");
  ResultWriter writer(comm, scratch.path(), {}, {});
  const Grid grid{{nodes(0, 1, 3), nodes(0, 1, 4), nodes(0, 1, 3, 2)}, ""};
  writer.begin_step(0);
  writer.grid(grid);
  writer.end_step();
  const auto corners = read<Index>(scratch / "fields_grid.h5", "/Connectivity", h5::Type::int64);
  const std::vector<Index> last(corners.end() - 8, corners.end());
  // The last cell begins at point (1, 2, 1) of 3 x 4 x 3.
  EXPECT_EQ(last, (std::vector<Index>{19, 20, 23, 22, 31, 32, 35, 34}));
  comm.barrier();
}

TEST_F(Vtkhdf, WantedFieldsOnly) {
  const Scratch scratch(comm, "vtkhdf_wanted");
  ResultWriter writer(comm, scratch.path(), {"c"}, {});
  EXPECT_FALSE(writer.wants("u"));
  write_step(writer, comm, executors, {}, box, 0);
  const h5::File file(scratch / "fields_0001.hdf", h5::File::Mode::read);
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
  EXPECT_TRUE(comm.agree(!std::filesystem::exists(scratch / "fields_0004.hdf")));
  write_step(writer, comm, executors, {}, plane, 0.25);
  write_step(writer, comm, executors, {}, graded, 0.35);
  expect_sample(scratch / "fields_0003.hdf", "/VTKHDF/PointData/u", plane, Centring::point, 0.25);
  const std::string series = text_of(scratch / "fields.hdf.series");
  EXPECT_NE(series.find("{\"name\": \"fields_0002.hdf\", \"time\": 0.10000000000000001},\n"
                        "  {\"name\": \"fields_0003.hdf\", \"time\": 0.25},"),
            std::string::npos)
      << series;
  const std::string index = text_of(scratch / "fields.xdmf");
  EXPECT_NE(index.find("fields_0001.hdf:/VTKHDF/PointData/u"), std::string::npos);
  EXPECT_NE(index.find("fields_grid_0004.h5:/nodes/x"), std::string::npos) << index;
  EXPECT_EQ(index.find("Time Value=\"0.3\""), std::string::npos);
  comm.barrier();
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
  EXPECT_NE(message.find("fields_0002.hdf.tmp: File too large"), std::string::npos) << message;
  comm.barrier();
  EXPECT_EQ(scratch.files(), 4);  // step, grid, series, xdmf
  EXPECT_EQ(text_of(scratch / "fields.xdmf"), index);
  comm.barrier();
  write_step(writer, comm, executors, {}, large, 2);  // room again
  expect_sample(scratch / "fields_0002.hdf", "/VTKHDF/PointData/u", large, Centring::point, 2);
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
  const h5::File file(scratch / "fields_0002.hdf", h5::File::Mode::read);
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
