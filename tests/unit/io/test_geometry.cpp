// What files of fields say of their grid: images, cells and points spelled out, or nothing.
#include <gtest/gtest.h>

#include "io/output/vtk_grid.hpp"
#include "output_support.hpp"
#include "vtkhdf_support.hpp"

namespace halocline {
namespace {

class Geometries : public testing::Test {
 protected:
  const Communicator comm{MPI_COMM_WORLD};
  const std::vector<ExecutorPtr> executors{make_omp_executor(1)};
};

TEST_F(Geometries, PlanesAreQuadrilateralsWithGeometryStoredOnce) {
  const Scratch scratch(comm, "vtkhdf_plane");
  ResultWriter writer(comm, scratch.path(), {}, {{"version", "1.2.3"}, {"deck", "problem: test\n"}});
  for (const double t : {0.0, 0.5, 1.0}) write_step(writer, comm, executors, {}, plane, t);
  EXPECT_EQ(scratch.files(), 6);  // three steps, grid, series, xdmf
  const std::string step = scratch / "fields_0002.vtkhdf";
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

TEST_F(Geometries, HexahedraHaveTheirCornersInVtkOrder) {
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

TEST_F(Geometries, CellsOfAPlaneAreAnImageOneCellThick) {
  const Scratch scratch(comm, "vtkhdf_cells");
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.begin_step(0.5);
  writer.grid(plane);
  publish_sample(writer, comm, executors, {}, {"c", "", Centring::cell}, plane, 0.5);
  writer.end_step();
  EXPECT_EQ(scratch.files(), 3);  // step, series, xdmf
  const std::string step = scratch / "fields_0001.vtkhdf";
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

TEST_F(Geometries, PointsOfAPlaneComeBeforeItsCells) {
  const Scratch scratch(comm, "vtkhdf_order");
  ResultWriter writer(comm, scratch.path(), {}, {});
  writer.begin_step(0);
  writer.grid(plane);
  publish_sample(writer, comm, executors, {}, {"c", "", Centring::cell}, plane, 0);
  publish_sample(writer, comm, executors, {}, {"u", ""}, plane, 0);
  EXPECT_THROW(writer.end_step(), InternalError);
  comm.barrier();
}

TEST_F(Geometries, FollowsTheKeyAndTheSize) {
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

TEST_F(Geometries, GeometryLeftToTheIndexTakesNoRoomAndComesBackWhenAskedFor) {
  const Scratch scratch(comm, "vtkhdf_index");
  {
    ResultWriter writer(comm, scratch.path(), {}, {}, {Geometry::index});
    write_step(writer, comm, executors, {}, graded, 0);
  }
  EXPECT_EQ(scratch.files(), 3);  // step, coordinates, xdmf
  expect_sample(scratch / "fields_0001.vtkhdf", "/VTKHDF/PointData/u", graded, Centring::point, 0);
  EXPECT_FALSE(h5::File(scratch / "fields_grid.h5", h5::File::Mode::read).contains("/Points"));
  comm.barrier();
  ResultWriter writer(comm, scratch.path(), {}, {}, {Geometry::spelled_out});
  writer.resume(0);
  write_step(writer, comm, executors, {}, graded, 1);
  EXPECT_TRUE(h5::File(scratch / "fields_grid_0002.h5", h5::File::Mode::read).contains("/Points"));
  const std::string index = text_of(scratch / "fields.xdmf");
  EXPECT_NE(index.find("fields_grid.h5:/nodes/x"), std::string::npos);
  EXPECT_NE(index.find("fields_grid_0002.h5:/nodes/x"), std::string::npos);
  comm.barrier();
}

}  // namespace
}  // namespace halocline
