// Cells next to open sides and those inside: every cell once, and all that neighbors read among the first ones.
#include <gtest/gtest.h>

#include <vector>

#include "lib/problems/diffusion/boxes/edges.hpp"

namespace halocline::diffusion {
namespace {

constexpr Index columns_in_space = 5;

// `open`: sides of the axis before the slow one, then of that.
ConvolveBlock<double> block_of(int dimensions, Index columns, Index rows, Index planes, unsigned open) {
  ConvolveBlock<double> b;
  b.dimensions = dimensions;
  b.extent[0] = columns, b.extent[1] = rows, b.extent[2] = planes;
  for (int axis = 0; axis < dimensions; ++axis)
    for (int side = 0; side < 2; ++side) {
      const int bit = 2 * (axis - (dimensions - 2)) + side;
      b.walls[axis][side].kind = bit >= 0 && (open >> bit & 1u) ? WallKind::open : WallKind::affine;
    }
  return b;
}

class Counts {
 public:
  explicit Counts(const ConvolveBlock<double>& b)
      : b_(b), counts_(static_cast<std::size_t>(b.extent[0] * b.extent[1] * b.extent[2])) {}
  void add(const SlabBox& box) {
    const bool deep = b_.dimensions == 3;
    for (Index z = deep ? box.rows.lo : 0; z < (deep ? box.rows.hi : 1); ++z)
      for (Index y = deep ? box.along_y.lo : box.rows.lo; y < (deep ? box.along_y.hi : box.rows.hi); ++y)
        for (Index x = box.along_x.lo; x < box.along_x.hi; ++x) ++counts_.at(place(z, y, x));
  }
  int at(Index z, Index y, Index x) const { return counts_[place(z, y, x)]; }

 private:
  std::size_t place(Index z, Index y, Index x) const {
    return static_cast<std::size_t>((z * b_.extent[1] + y) * b_.extent[0] + x);
  }
  const ConvolveBlock<double>& b_;
  std::vector<int> counts_;
};

bool awaited(const ConvolveBlock<double>& b, Index reach, Index z, Index y, Index x) {
  const Index at[3] = {x, y, z};
  for (int axis = 0; axis < b.dimensions; ++axis)
    for (int side = 0; side < 2; ++side)
      if (b.walls[axis][side].kind == WallKind::open &&
          (side == 0 ? at[axis] < reach : at[axis] >= b.extent[axis] - reach))
        return true;
  return false;
}

void check(const ConvolveBlock<double>& b, Index reach) {
  const EdgesAndInside cells = split_edges(b, reach);
  Counts outer(b), all(b);
  for (const SlabBox& edge : cells.outer()) outer.add(edge), all.add(edge);
  all.add(cells.inside);
  for (const SlabBox& edge : cells.outer()) EXPECT_EQ(edge.along_x.lo % line_piece, 0);
  EXPECT_TRUE(empty(cells.inside) || cells.inside.along_x.lo % line_piece == 0);
  for (Index z = 0; z < b.extent[2]; ++z)
    for (Index y = 0; y < b.extent[1]; ++y)
      for (Index x = 0; x < b.extent[0]; ++x) {
        ASSERT_EQ(all.at(z, y, x), 1) << z << " " << y << " " << x;
        ASSERT_GE(outer.at(z, y, x), awaited(b, reach, z, y, x) ? 1 : 0) << z << " " << y << " " << x;
      }
}

TEST(Edges, HoldWhatNeighborsWaitForAndTheInsideTheRest) {
  for (unsigned open = 0; open < 16U; ++open)
    for (const Index rows : {1, 2, 5, 12})
      for (const Index reach : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, reach " << reach << ", open " << open);
        for (const Index planes : {1, 3, 9}) check(block_of(3, columns_in_space, rows, planes, open), reach);
        for (const Index columns : {5, 64, 101}) check(block_of(2, columns, rows, 1, open), reach);
      }
}

TEST(Edges, LeaveTheInsideToThePartThatIsLargeEnough) {
  const ConvolveBlock<double> b = block_of(3, columns_in_space, 20, 30, 15);
  const EdgesAndInside cells = split_edges(b, 2);
  EXPECT_EQ(cells.count, 4);
  EXPECT_EQ(cells_of(cells.inside), columns_in_space * 16 * 26);
  EXPECT_EQ(cells_of(split_edges(b, 2, 0.75).inside), 0);  // 0.69 of the part
  EXPECT_EQ(split_edges(b, 2, 0.75).count, 1);
  EXPECT_EQ(cells_of(split_edges(b, 6).inside), 0);                                       // 0.24
  EXPECT_EQ(cells_of(split_edges(block_of(3, columns_in_space, 20, 30, 12), 14).inside),  // slabs, whatever is left
            columns_in_space * 20 * 2);
}

}  // namespace
}  // namespace halocline::diffusion
