// Cells next to open sides and those inside: every cell once, and all that neighbors read among the first ones.
#include <gtest/gtest.h>

#include <vector>

#include "lib/problems/diffusion/boxes/edges.hpp"

namespace halocline::diffusion {
namespace {

ConvolveBlock<double> block_of(int dimensions, Index rows, Index planes, unsigned open) {
  ConvolveBlock<double> b;
  b.dimensions = dimensions;
  b.extent[0] = 5, b.extent[1] = rows, b.extent[2] = planes;
  for (int axis = 1; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      b.walls[axis][side].kind = open >> (2 * axis - 2 + side) & 1u ? WallKind::open : WallKind::affine;
  return b;
}

class Counts {
 public:
  explicit Counts(const ConvolveBlock<double>& b)
      : b_(b), counts_(static_cast<std::size_t>(b.extent[1] * b.extent[2])) {}
  void add(const SlabBox& box) {
    const bool deep = b_.dimensions == 3;
    for (Index z = deep ? box.rows.lo : 0; z < (deep ? box.rows.hi : 1); ++z)
      for (Index y = deep ? box.along_y.lo : box.rows.lo; y < (deep ? box.along_y.hi : box.rows.hi); ++y)
        ++counts_.at(static_cast<std::size_t>(z * b_.extent[1] + y));
  }
  int at(Index z, Index y) const { return counts_[static_cast<std::size_t>(z * b_.extent[1] + y)]; }

 private:
  const ConvolveBlock<double>& b_;
  std::vector<int> counts_;
};

bool awaited(const ConvolveBlock<double>& b, Index reach, Index z, Index y) {
  const Index at[3] = {0, y, z};
  for (int axis = 1; axis < b.dimensions; ++axis)
    for (int side = 0; side < 2; ++side)
      if (b.walls[axis][side].kind == WallKind::open &&
          (side == 0 ? at[axis] < reach : at[axis] >= b.extent[axis] - reach))
        return true;
  return false;
}

TEST(Edges, HoldWhatNeighborsWaitForAndTheInsideTheRest) {
  for (const int dimensions : {2, 3})
    for (unsigned open = 0; open < (dimensions == 2 ? 4U : 16U); ++open)
      for (const Index rows : {1, 2, 5, 12})
        for (const Index planes : {1, 3, 9}) {
          if (dimensions == 2 && planes > 1) continue;
          for (const Index reach : {1, 2, 4}) {
            SCOPED_TRACE(testing::Message() << rows << " x " << planes << ", reach " << reach << ", open " << open);
            const ConvolveBlock<double> b = block_of(dimensions, rows, planes, open);
            const EdgesAndInside cells = split_edges(b, reach);
            Counts outer(b), all(b);
            for (const SlabBox& edge : cells.outer()) outer.add(edge), all.add(edge);
            all.add(cells.inside);
            for (Index z = 0; z < planes; ++z)
              for (Index y = 0; y < rows; ++y) {
                ASSERT_EQ(all.at(z, y), 1) << z << " " << y;
                ASSERT_GE(outer.at(z, y), awaited(b, reach, z, y) ? 1 : 0) << z << " " << y;
              }
          }
        }
}

TEST(Edges, LeaveTheInsideToThePartThatIsLargeEnough) {
  const ConvolveBlock<double> b = block_of(3, 20, 30, 15);
  const EdgesAndInside cells = split_edges(b, 2);
  EXPECT_EQ(cells.count, 4);
  EXPECT_EQ(lines_of(cells.inside), 16 * 26);
  EXPECT_EQ(lines_of(split_edges(b, 2, 0.75).inside), 0);  // 0.69 of the part
  EXPECT_EQ(split_edges(b, 2, 0.75).count, 1);
  EXPECT_EQ(lines_of(split_edges(b, 6).inside), 0);                              // 0.24
  EXPECT_EQ(lines_of(split_edges(block_of(3, 20, 30, 12), 14).inside), 20 * 2);  // slabs, whatever is left
}

}  // namespace
}  // namespace halocline::diffusion
