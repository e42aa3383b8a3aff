// Uniform grids of the three layouts from the numbers of a deck, and what is wrong with them.
#include <gtest/gtest.h>

#include "lib/fields/uniform_grid.hpp"

namespace halocline {
namespace {

using List = std::vector<double>;

struct FoundFaults final : Faults {
  void at(std::string_view path, const std::string& message) override {
    text += std::string(path) + ": " + message + "\n";
  }
  void at(const Place&, const std::string& message) override { text += message + "\n"; }
  std::string text;
};

UniformGrid box(GridLayout layout, const List& size, const List& cells, const List& origin = {}, Index refinement = 1) {
  FoundFaults faults;
  const UniformGrid grid = grid_of_box(layout, {size, cells, origin, refinement}, "grid", faults);
  EXPECT_EQ(faults.text, "");
  return grid;
}

std::string faults_of_box(const List& size, const List& cells, const List& origin = {}) {
  FoundFaults faults;
  grid_of_box(GridLayout::nodes, {size, cells, origin}, "some.grid", faults);
  return faults.text;
}

TEST(UniformGrid, UnknownsInTheMiddlesOfCells) {
  const UniformGrid grid = box(GridLayout::cells, {2, 3}, {4, 6}, {1, -1}, 2);
  EXPECT_EQ(grid.dimensions, 2);
  EXPECT_EQ(grid.extent[0], 8);
  EXPECT_EQ(grid.extent[1], 12);
  EXPECT_EQ(grid.unknowns(), 96);
  EXPECT_EQ(grid.coordinate(0, 0), 1.125);
  EXPECT_EQ(grid.coordinate(1, 11), 1.875);
  EXPECT_EQ(grid.low(1), -1);
  EXPECT_EQ(grid.high(1), 2);
  EXPECT_EQ(grid.weight(0, 0), 1);
  EXPECT_TRUE(grid.equal_spacing());
  EXPECT_EQ(grid.volume(), 0.0625);
  EXPECT_EQ(grid.output_grid().nodes[0].size(), 9u);
  EXPECT_EQ(grid.output_grid().nodes[0].back(), 3);
  EXPECT_EQ(grid.place_text(0, 11, 0), "x = 1.125, y = 1.875");
}

TEST(UniformGrid, UnknownsOnNodes) {
  UniformGrid grid = box(GridLayout::nodes, {2, 3, 1}, {4, 6, 8}, {0, 1, 0});
  EXPECT_EQ(grid.extent[0], 5);
  EXPECT_EQ(grid.extent[1], 7);
  EXPECT_EQ(grid.extent[2], 9);
  EXPECT_EQ(grid.slow_axis(), 2);
  EXPECT_EQ(grid.coordinate(1, 0), 1);
  EXPECT_EQ(grid.coordinate(1, 6), 4);
  EXPECT_EQ(grid.high(1), 4);
  EXPECT_EQ(grid.weight(1, 0), 0.5);
  EXPECT_EQ(grid.weight(1, 3), 1);
  EXPECT_EQ(grid.weight(1, 6), 0.5);
  EXPECT_EQ(grid.output_grid().nodes[1], (List{1, 1.5, 2, 2.5, 3, 3.5, 4}));
  EXPECT_EQ(grid.volume(), 0.03125);

  grid.make_periodic(1);
  grid.make_periodic(1);
  EXPECT_EQ(grid.extent[1], 6);
  EXPECT_EQ(grid.cells(1), 6);
  EXPECT_EQ(grid.high(1), 4);
  EXPECT_EQ(grid.weight(1, 0), 1);
  EXPECT_EQ(grid.weight(1, 5), 1);
  EXPECT_EQ(grid.weight(0, 4), 0.5);
  const Grid output = grid.output_grid();
  EXPECT_EQ(output.nodes[1], (List{1, 1.5, 2, 2.5, 3, 3.5}));
  EXPECT_EQ(output.period, (std::array<double, 3>{0, 3, 0}));
  EXPECT_EQ(output.high(1), 4);
  EXPECT_EQ(output.high(0), 2);
}

TEST(UniformGrid, PointsInsideARing) {
  NamedNumbers spacing;
  spacing.entries = {{"", 0.5}};
  const List points{10, 12}, origin{1, 0};
  FoundFaults faults;
  const UniformGrid grid = grid_of_points({points, spacing, origin, 2}, 2, "grid", faults);
  EXPECT_EQ(faults.text, "");
  EXPECT_EQ(grid.extent[0], 16);
  EXPECT_EQ(grid.coordinate(0, 0), 1.5);
  EXPECT_EQ(grid.coordinate(0, -2), 1);
  EXPECT_EQ(grid.high(1), 6);
  EXPECT_EQ(grid.output_grid().nodes[0].size(), 16u);
}

TEST(UniformGrid, Faults) {
  EXPECT_EQ(faults_of_box({1, 1}, {4}), "some.grid.cells: has 1 numbers; expected 2 (2D) or 3 (3D)\n");
  EXPECT_EQ(faults_of_box({1, 1}, {4, 4.5}), "some.grid.cells[1]: must be a whole number\n");
  EXPECT_EQ(faults_of_box({1, 1}, {4, 4, 4}), "some.grid.size: has 2 numbers, cells 3; give as many\n");
  EXPECT_EQ(faults_of_box({1, 1e-200}, {4, 4}),
            "some.grid.size: the distance of points along y is 2.5e-201, whose square is no number\n");
  EXPECT_EQ(faults_of_box({1, 1}, {4, 4}, {1e20, 0}),
            "some.grid.origin: the distance of points along x is 0.25, too little for coordinates of 1e+20\n");
  EXPECT_EQ(faults_of_box({1, 1}, {4, 4}, {-1e6, 0}), "");
  EXPECT_EQ(faults_of_box({1, 1}, {4, 4}, {0, 0, 0}), "some.grid.origin: needs as many numbers as there are axes\n");
}

}  // namespace
}  // namespace halocline
