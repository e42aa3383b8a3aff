// The blocked sweep of the host against the definition of a step, to the last bit: any mask, walls, shape, number of
// steps, tiles, threads, and width of registers.
#include <gtest/gtest.h>

#include <cstring>

#include "lib/problems/diffusion/host/blocked.hpp"
#include "tests/unit/diffusion/host/random_block.hpp"

namespace halocline::diffusion {
namespace {

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

constexpr MaskKind kinds_2d[] = {MaskKind::star5,   MaskKind::star5_xy, MaskKind::box9,
                                 MaskKind::box9_xy, MaskKind::cross9,   MaskKind::general};
constexpr MaskKind kinds_3d[] = {MaskKind::star7, MaskKind::box19, MaskKind::box27, MaskKind::cross13,
                                 MaskKind::general};

std::string describe(const RandomShape& s, int threads) {
  std::string text = "kind " + std::to_string(static_cast<int>(s.kind)) + " radius " + std::to_string(s.radius) +
                     " extent " + std::to_string(s.extent[0]) + "x" + std::to_string(s.extent[1]) + "x" +
                     std::to_string(s.extent[2]) + " steps " + std::to_string(s.steps) + " threads " +
                     std::to_string(threads) + (s.fixed ? " fixed" : "") + (s.repeat ? " repeat" : "") + " sides";
  for (int axis = 0; axis < s.dimensions; ++axis)
    for (int side = 0; side < 2; ++side) text += " " + std::to_string(static_cast<int>(s.sides[axis][side]));
  return text;
}

SweepShape sweep_shape(const RandomShape& s, std::size_t value_bytes, int radius) {
  SweepShape shape;
  shape.steps = s.steps;
  shape.dimensions = s.dimensions;
  for (int axis = 0; axis < 3; ++axis) shape.extent[axis] = s.extent[axis];
  shape.radius = radius;
  shape.kind = s.kind;
  shape.value_bytes = value_bytes;
  return shape;
}

template <class T>
void expect_equal(const RandomShape& s, unsigned seed, const Executor& executor, Blocking blocking) {
  SCOPED_TRACE(describe(s, executor.threads()) + " seed " + std::to_string(seed));
  RandomBlock<T> part(s, seed);
  const std::vector<T> expected = part.by_definition();
  const std::vector<double> expected_records = part.records();
  blocking.steps = s.steps;
  const SweepShape shape = sweep_shape(s, sizeof(T), part.mask.radius[0]);
  for (const RowLanes lanes : {RowLanes::base, RowLanes::wide}) {
    if (lanes == RowLanes::wide && !have_wide_rows()) continue;
    part.clear_records();
    const auto sweep = make_blocked_sweep<T>(shape, executor, blocking, lanes);
    ASSERT_TRUE(sweep);
    for (const SlabBox& piece : part.pieces()) sweep->run_on(executor, part.block, part.mask, s.steps, piece);
    executor.synchronize();
    EXPECT_TRUE(same_bits(expected, part.result()));
    EXPECT_TRUE(same_bits(expected_records, part.records()));
  }
}

RandomShape random_shape(std::mt19937& random, int dimensions) {
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  RandomShape s;
  s.dimensions = dimensions;
  s.kind = dimensions == 2 ? kinds_2d[draw(0, 5)] : kinds_3d[draw(0, 4)];
  s.radius = draw(1, dimensions == 2 ? 4 : 2);
  s.steps = draw(1, dimensions == 2 ? 9 : 4);
  const int least = s.kind == MaskKind::general ? s.radius : 2;
  for (int axis = 0; axis < dimensions; ++axis) s.extent[axis] = draw(least, dimensions == 2 ? 70 : 24);
  for (int axis = 0; axis < dimensions; ++axis) {
    const bool slow = axis == dimensions - 1;
    const bool periodic = draw(0, 2) == 0;
    for (auto& side : s.sides[axis])
      side =
          slow ? (draw(0, 1) ? WallKind::open : WallKind::affine) : (periodic ? WallKind::periodic : WallKind::affine);
  }
  if (dimensions == 3 && s.sides[1][0] == WallKind::affine && draw(0, 1))  // neighbors along y
    for (auto& side : s.sides[1]) side = draw(0, 2) ? WallKind::open : WallKind::affine;
  if (dimensions == 2 && s.sides[0][0] == WallKind::affine && draw(0, 1))  // neighbors along x
    for (auto& side : s.sides[0]) side = draw(0, 2) ? WallKind::open : WallKind::affine;
  s.fixed = draw(0, 1) == 1;
  s.repeat = draw(0, 2) == 0;
  return s;
}

TEST(BlockedSweep, EqualsTheDefinition) {
  std::mt19937 random(1);
  const ExecutorPtr executors[] = {make_omp_executor(1), make_omp_executor(3)};
  for (unsigned n = 0; n < 240; ++n) {
    const RandomShape s = random_shape(random, n % 3 == 0 ? 3 : 2);
    Blocking b;
    b.width = std::uniform_int_distribution<int>(1, 4)(random) * 16;
    b.height = std::uniform_int_distribution<int>(1, 20)(random);
    if (s.steps == 1 && n % 2 == 0) b.edge_x = 16, b.edge_m = std::min<Index>(b.height, 3), b.past_caches = true;
    if (n % 2) {
      expect_equal<double>(s, n, *executors[n / 2 % 2], b);
    } else {
      expect_equal<float>(s, n, *executors[n / 2 % 2], b);
    }
    if (HasFailure()) return;
  }
}

// Work in queues and memory as the problem uses them.
TEST(BlockedSweep, RunsInTheQueueOfAnExecutor) {
  RandomShape s;
  s.extent[0] = 100, s.extent[1] = 40, s.steps = 5;
  RandomBlock<double> part(s, 3);
  const std::vector<double> expected = part.by_definition();
  const ExecutorPtr lazy = make_emulated_executor(2, true);
  const auto sweep = make_blocked_sweep<double>(sweep_shape(s, 8, 1), *lazy);
  sweep->run(*lazy, part.block, part.mask, 5, part.rows());
  EXPECT_FALSE(same_bits(expected, part.result()));
  lazy->synchronize();
  EXPECT_TRUE(same_bits(expected, part.result()));
}

// A shorter last sweep with the tiles of the long one.
TEST(BlockedSweep, DoesFewerSteps) {
  RandomShape s;
  s.extent[0] = 333, s.extent[1] = 70, s.steps = 3;
  RandomBlock<double> part(s, 4);
  const std::vector<double> expected = part.by_definition();
  SweepShape shape = sweep_shape(s, 8, 1);
  shape.steps = 8;
  const ExecutorPtr executor = make_omp_executor(2);
  make_blocked_sweep<double>(shape, *executor)->run(*executor, part.block, part.mask, 3, part.rows());
  EXPECT_TRUE(same_bits(expected, part.result()));
}

TEST(Blocking, FollowsTheCaches) {
  SweepShape shape;
  shape.extent[0] = shape.extent[1] = 4096;
  const Blocking small = choose_blocking(shape, {512 << 10, 16 << 20}),
                 large = choose_blocking(shape, {1 << 20, 16 << 20});
  EXPECT_EQ(small.steps, 16);
  EXPECT_LT(small.width, large.width);
  // Rings of all steps, three rows each, fit the second cache.
  EXPECT_LE(small.steps * 3 * (small.width + small.steps) * 8, 512 << 10);
  EXPECT_EQ(small.width % 8, 0);
  shape.open = true;
  shape.thinnest = 20;  // a halo of 8 rows would be computed twice by parts of 20
  EXPECT_EQ(choose_blocking(shape, {1 << 20, 16 << 20}).steps, 2);
}

TEST(Blocking, TilesCoverTheRowsOnce) {
  for (const int threads : {1, 2, 7, 64}) {
    Blocking b{3, 128, 16, threads == 2 ? 64 : 0, threads == 2 ? 4 : 0, false};
    std::vector<int> covered(1000 * 70 * 30);
    for (const Tile& t : cut_tiles(b, 3, 1, 3, {{0, 30}, {0, 70}, {0, 1000}}, threads, 8).tiles) {
      EXPECT_EQ(t.x_lo % 8, 0);
      EXPECT_LE(t.x_hi - t.x_lo, 128);
      EXPECT_LE(t.m_hi - t.m_lo, 16);
      for (Index z = t.rows.lo; z < t.rows.hi; ++z)
        for (Index y = t.m_lo; y < t.m_hi; ++y)
          for (Index x = t.x_lo; x < t.x_hi; ++x) ++covered[static_cast<std::size_t>((z * 70 + y) * 1000 + x)];
    }
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), 1000 * 70 * 30) << threads;
  }
}

}  // namespace
}  // namespace halocline::diffusion
