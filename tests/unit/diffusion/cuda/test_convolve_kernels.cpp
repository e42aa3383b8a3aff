// The CUDA kernels for explicit steps against the twin of lib/problems/diffusion/convolve_kernels.hpp, step by step:
// any wall, any number of steps, grids that strips and windows do not divide. On the host through
// gpu/block_kernel_host.hpp; with HALOCLINE_ON_GPU the library's kernels on a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpu/devices.hpp"
#include "lib/base/array.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/cuda/strip_cut.hpp"

#if !defined(HALOCLINE_ON_GPU)
#include "lib/problems/diffusion/cuda/convolve_resident.cu"
#include "lib/problems/diffusion/cuda/convolve_strips.cu"
#include "lib/problems/diffusion/cuda/convolve_tiled.cu"
#endif

namespace halocline::diffusion {
namespace {

enum class Side { affine, held, recorded, periodic, open, open_below };

struct Setting {
  MaskKind kind;
  Index nx, ny;
  Side x, y;
  int steps;
};

// One random problem, twice: on the host for the twin, and on the executor for the kernels.
template <class T>
class Case {
 public:
  Case(const ExecutorPtr& executor, const Setting& s) : executor_(executor), setting_(s) {
    radius = s.kind == MaskKind::cross9 ? 2 : 1;
    host.extent[0] = s.nx, host.extent[1] = s.ny;
    host.halo = s.y == Side::open ? static_cast<Index>(radius) * s.steps : 0;
    host.fringe = s.x == Side::open || s.x == Side::open_below ? static_cast<Index>(radius) * s.steps : 0;
    const Index lead = host.fringe > 0 ? (host.fringe + 19) / 16 * 16 : 0;
    host.pitch = (s.nx + 2 * lead + 15) / 16 * 16;
    device = host;
    for (int n = 0; n < 2; ++n)
      values_[n].resize(static_cast<std::size_t>(lead + host.pitch * (s.ny + 2 * host.halo)), nan);
    for (T& v : values_[0]) v = random(-1, 1);
    for (int n = 0; n < 2; ++n) placed_[n] = make_array(executor, values_[n]);
    const Index skip = lead + host.halo * host.pitch;
    host.c = values_[0].data() + skip, host.next = values_[1].data() + skip;
    device.c = placed_[0].view().data + skip, device.next = placed_[1].view().data + skip;
    for (int axis = 0; axis < 2; ++axis)
      for (int side = 0; side < 2; ++side) set_wall(axis, side);
    set_mask();
  }

  // Advances the host's copy as the twin does.
  void advance(Rows rows) {
    for (int level = 0; level < setting_.steps; ++level) {
      const SlabBox now = box_of_level(host, mask.radius, host.box(rows), level, setting_.steps);
      const auto own = [&](Index y, Index x) { return y >= rows.lo && y < rows.hi && x >= 0 && x < setting_.nx; };
      dispatch(setting_.kind, [&](auto kind) {
        for (Index y = now.rows.lo; y < now.rows.hi; ++y)
          for (Index x = now.along_x.lo; x < now.along_x.hi; ++x)
            host.next[y * host.pitch + x] = update_at_wall<decltype(kind)::value>(
                host, mask, level, Cells<T>{host.c, host.pitch, 0}, 0, y, x, own(y, x));
      });
      std::swap(host.c, host.next);
    }
  }

  // Compares the result of the kernels with the host's.
  void compare(bool in_next, Rows rows) {
    const std::vector<T> got = placed_[in_next ? 1 : 0].to_host();
    const Index skip = static_cast<Index>(got.size()) - host.pitch * (setting_.ny + host.halo);
    for (Index y = rows.lo; y < rows.hi; ++y)
      for (Index x = 0; x < setting_.nx; ++x) {
        const T there = got[static_cast<std::size_t>(skip + y * host.pitch + x)], here = host.c[y * host.pitch + x];
        ASSERT_TRUE(near(there, here)) << "row " << y << ", column " << x << ": " << there << " for " << here;
      }
    for (std::size_t n = 0; n < records_.size(); ++n) {
      const std::vector<double> there = placed_records_[n].to_host();
      for (std::size_t i = 0; i < there.size(); ++i) ASSERT_TRUE(near(there[i], records_[n][i])) << "record " << n;
    }
  }

  // Where kernels add in another order.
  void allow_rounding() { limit_ = 1e-13; }

  ConvolveBlock<T> host, device;
  ConvolveMask<T> mask, device_mask;
  int radius;

 private:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr Index beyond = 48;  // of wall tables: halo rows and ghosts

  // Bits on the host; GPUs may round otherwise where the host has no fma.
  bool near(double a, double b) const {
    const double gpu = executor_->backend() == Backend::cuda ? sizeof(T) == 8 ? 1e-14 : 1e-6 : 0;
    const double limit = std::max(gpu, limit_);
    return std::abs(a - b) <= limit * std::max(1.0, std::abs(b));
  }
  T random(double lo, double hi) { return static_cast<T>(std::uniform_real_distribution<double>(lo, hi)(engine_)); }

  const T* place(std::vector<T> table, const T*& there) {
    tables_.push_back(std::move(table));
    placed_tables_.push_back(make_array(executor_, tables_.back()));
    there = placed_tables_.back().view().data + beyond;
    return tables_.back().data() + beyond;
  }
  double* place_record(std::size_t size, double*& there) {
    records_.emplace_back(size, 0.0);
    placed_records_.push_back(make_array(executor_, records_.back()));
    there = placed_records_.back().view().data + beyond;
    return records_.back().data() + beyond;
  }
  // Random values for `radius` rings; along a periodic axis the same beyond its ends.
  std::vector<T> table(Index n, Index rings, bool ring_along, bool with_nan) {
    std::vector<T> values(static_cast<std::size_t>(rings * (n + 2 * beyond)));
    for (T& v : values) v = with_nan && random(0, 1) < 0.6 ? nan : random(-1, 1);
    for (Index k = 0; ring_along && k < rings; ++k) {
      T* v = values.data() + k * (n + 2 * beyond) + beyond;
      for (Index i = 1; i <= beyond && i <= n; ++i) v[-i] = v[n - i], v[n + i - 1] = v[i - 1];
    }
    return values;
  }
  void set_wall(int axis, int side) {
    Side kind = axis == 0 ? setting_.x : setting_.y;
    const Side other = axis == 0 ? setting_.y : setting_.x;
    if (kind == Side::open_below) kind = side == 0 ? Side::open : Side::recorded;
    WallRule<T>&wall = host.walls[axis][side], &there = device.walls[axis][side];
    wall.kind = kind == Side::periodic ? WallKind::periodic : kind == Side::open ? WallKind::open : WallKind::affine;
    const Index n = axis == 0 ? setting_.ny : setting_.nx;
    wall.ring = n + 2 * beyond;
    wall.repeat = radius > 1 && side == 1;
    there = wall;
    if (wall.kind != WallKind::affine) return;
    const bool ring = other == Side::periodic;
    wall.alpha = place(table(n, radius, ring, false), there.alpha);
    wall.beta = place(table(n, radius, ring, false), there.beta);
    if (kind == Side::held) wall.fixed = place(table(n, 1, ring, true), there.fixed);
    if (kind == Side::affine) return;
    const auto size = static_cast<std::size_t>(radius * wall.ring);
    wall.uptake = place_record(size, there.uptake), wall.carry = place_record(size, there.carry);
  }
  void set_mask() {
    mask.kind = setting_.kind;
    mask.radius[0] = mask.radius[1] = radius;
    for (T& k : mask.k) k = random(0.01, 0.03);
    const int width = 2 * radius + 1;
    const bool corners =
        mask.kind == MaskKind::general || mask.kind == MaskKind::box9 || mask.kind == MaskKind::box9_xy;
    std::vector<T> weights(static_cast<std::size_t>(width * width));
    for (int y = 0; y < width; ++y)
      for (int x = 0; x < width; ++x)
        weights[static_cast<std::size_t>(y * width + x)] = corners || x == radius || y == radius ? random(-1, 1) : T(0);
    for (const T w : weights) mask.sum += w;
    weights_ = weights;
    placed_weights_ = make_array(executor_, weights);
    mask.weights = weights_.data();
    device_mask = mask;
    device_mask.weights = placed_weights_.view().data;
  }

  ExecutorPtr executor_;
  Setting setting_;
  double limit_ = 0;
  std::mt19937 engine_{5};
  std::vector<T> values_[2], weights_;
  Array<T, 1> placed_[2], placed_weights_;
  std::vector<std::vector<T>> tables_;
  std::vector<Array<T, 1>> placed_tables_;
  std::vector<std::vector<double>> records_;
  std::vector<Array<double, 1>> placed_records_;
};

class ConvolveKernels : public testing::TestWithParam<std::string> {
 protected:
  template <class T>
  void check_strips(const Setting& s, int limit, std::vector<Rows> pieces = {}, std::vector<Rows> columns = {}) const {
    SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(s.kind) << ", " << s.nx << " x " << s.ny
                                    << ", walls " << static_cast<int>(s.x) << " " << static_cast<int>(s.y) << ", "
                                    << s.steps << " steps");
    Case<T> problem(executor, s);
    ASSERT_GT(plan_strips(*executor, {2, s.nx, s.ny, s.kind}).most, 0);
    if (pieces.empty()) pieces.push_back({0, s.ny});
    if (columns.empty()) columns.push_back({0, s.nx});
    for (const Rows& rows : pieces)
      for (const Rows& some : columns)
        pass_strips(*executor, problem.device, problem.device_mask, s.steps, limit, {rows, {0, 1}, some});
    problem.advance({0, s.ny});
    problem.compare(strip_passes(s.kind, s.steps, limit) % 2 == 1, {0, s.ny});
  }
  template <class T>
  void check_resident(const Setting& s) const {
    SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(s.kind) << ", " << s.nx << " x " << s.ny
                                    << ", walls " << static_cast<int>(s.x) << " " << static_cast<int>(s.y) << ", "
                                    << s.steps << " steps");
    Case<T> problem(executor, s);
    const ResidentPlan plan = plan_resident<T>(*executor, {2, s.nx, s.ny, s.kind});
    ASSERT_TRUE(plan.applies);
    resident(*executor, problem.device, problem.device_mask, s.steps, plan);
    problem.advance({0, s.ny});
    problem.compare(plan.in_next(s.steps), {0, s.ny});
  }
  const ExecutorPtr executor = make_executor(GetParam(), 1);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvolveKernels);
#if defined(HALOCLINE_ON_GPU)
std::vector<std::string> devices() {
  return cuda_device_count() > 0 ? std::vector<std::string>{"cuda:0"} : std::vector<std::string>{};
}
INSTANTIATE_TEST_SUITE_P(cuda, ConvolveKernels, testing::ValuesIn(devices()));
#else
INSTANTIATE_TEST_SUITE_P(host, ConvolveKernels, testing::Values("emulated:1"));
#endif

using enum Side;

// Every number of steps from 1 to 16; on the host, which is slow, some.
std::vector<int> step_counts() {
#if defined(HALOCLINE_ON_GPU)
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
#else
  return {1, 2, 3, 7, 8, 9, 16};
#endif
}

TEST_P(ConvolveKernels, StripsHaveEveryWall) {
  for (const Side x : {affine, held, recorded, periodic})
    for (const Side y : {affine, held, recorded, open}) check_strips<double>({MaskKind::box9, 165, 43, x, y, 5}, 5);
  check_strips<double>({MaskKind::star5, 140, 130, recorded, periodic, 4}, 8);
}

TEST_P(ConvolveKernels, StripsHaveEveryMask) {
  for (const MaskKind kind : {MaskKind::star5, MaskKind::star5_xy, MaskKind::box9_xy, MaskKind::cross9}) {
    check_strips<double>({kind, 259, 71, held, recorded, 4}, 8);
    check_strips<float>({kind, 201, 38, periodic, recorded, 4}, 8);
  }
}

TEST_P(ConvolveKernels, StripsTakeAnyNumberOfSteps) {
  for (const int steps : step_counts())
    check_strips<double>({MaskKind::star5, 137, 27, held, steps % 2 == 0 ? open : recorded, steps}, 8);
  check_strips<double>({MaskKind::box9, 150, 30, recorded, open, 7}, 3);
}

TEST_P(ConvolveKernels, StripsHaveThinAndNarrowGrids) {
  for (const Index ny : {1, 2, 7, 17}) check_strips<double>({MaskKind::star5, 136, ny, held, recorded, 8}, 8);
  for (const Index nx : {136, 139, 248, 249}) check_strips<double>({MaskKind::star5, nx, 21, held, held, 8}, 8);
}

TEST_P(ConvolveKernels, StripsComputeRowsInPieces) {
  check_strips<double>({MaskKind::star5, 180, 60, recorded, open, 4}, 4, {{0, 4}, {50, 60}, {4, 50}});
  check_strips<double>({MaskKind::star5, 180, 60, periodic, held, 4}, 4, {{0, 21}, {22, 60}, {21, 22}});
}

// Walls across y have strips of their own; pieces that end before, at and behind the reach of a wall.
TEST_P(ConvolveKernels, StripsComeToWallsAcrossRows) {
  for (const MaskKind kind : {MaskKind::star5_xy, MaskKind::box9, MaskKind::box9_xy})
    for (const Side x : {recorded, periodic}) {
      const int most = kind == MaskKind::star5_xy ? 8 : 5;
      check_strips<double>({kind, 170, 61, x, recorded, most}, most, {{0, 3}, {3, 8}, {8, 55}, {55, 60}, {60, 61}});
      check_strips<float>({kind, 145, 9, x, affine, most}, most);
    }
  check_strips<double>({MaskKind::star5, 150, 40, recorded, recorded, 7}, 4);  // in several passes
#if defined(HALOCLINE_ON_GPU)
  // Walls long enough for a device with many multiprocessors to take them so.
  for (const Index ny : {5, 300}) {
    check_strips<double>({MaskKind::star5, 8000, ny, recorded, recorded, 8}, 8);
    check_strips<float>({MaskKind::box9, 8000, ny, periodic, recorded, 5}, 5);
  }
#endif
}

TEST_P(ConvolveKernels, StripsWrapAroundFewRows) {
  for (const Index ny : {17, 31, 41}) {
    check_strips<double>({MaskKind::cross9, 173, ny, recorded, periodic, 4}, 4);
    check_strips<double>({MaskKind::star5, 150, ny, held, periodic, 8}, 8);
  }
}

// Planes that are cut along x: halos of columns, filled to the reach of the steps and not further.
TEST_P(ConvolveKernels, StripsHaveOpenSidesAlongX) {
  for (const Side y : {affine, held, recorded, open, periodic})
    for (const Side x : {open, open_below}) {
      check_strips<double>({MaskKind::box9, 165, 43, x, y, 5}, 5);
      check_strips<float>({MaskKind::star5, 160, 30, x, y, 8}, 8, {}, {{0, 32}, {32, 128}, {128, 160}});
      check_strips<double>({MaskKind::cross9, 173, 51, x, y, 4}, 4, {}, {{128, 173}, {0, 32}, {32, 128}});
    }
  for (const int steps : {3, 7, 16})  // in several passes
    check_strips<double>({MaskKind::star5, 300, 31, open, steps == 7 ? open : recorded, steps}, 8);
  check_strips<double>({MaskKind::box9_xy, 139, 38, open_below, recorded, 7}, 5);
}

TEST(StripChunks, LeaveFewWarpsWithoutWork) {
  EXPECT_EQ(strip_chunks(73, 8192, 1056, 8), 14);         // one round, all warps but 34
  EXPECT_EQ(strip_chunks(2341, 256, 1056, 8), 1);         // rows computed twice would cost more
  const Index chunks = strip_chunks(586, 1024, 1056, 8);  // one chunk would leave half of the warps
  EXPECT_GE(chunks, 3);
  EXPECT_LE(chunks, 9);
  EXPECT_EQ(strip_chunks(1, 1, 1056, 8), 1);
}

TEST_P(ConvolveKernels, StripsRefuseWhatItHasNoCodeFor) {
  EXPECT_EQ(plan_strips(*executor, {2, 135, 500, MaskKind::star5}).most, 0);
  EXPECT_EQ(plan_strips(*executor, {2, 500, 500, MaskKind::general}).most, 0);
  EXPECT_EQ(plan_strips(*executor, {3, 500, 500, MaskKind::star7}).most, 0);
}

// The weights of named masks are not those of the full array in these cases: general masks only.
TEST_P(ConvolveKernels, TiledHasEveryWall) {
  const std::pair<Side, Side> walls[] = {{affine, open}, {held, recorded}, {recorded, held}, {periodic, affine}};
  for (const auto& [x, y] : walls) {
    const Setting s{MaskKind::general, 75, 43, x, y, 1};
    SCOPED_TRACE(testing::Message() << "walls " << static_cast<int>(x) << " " << static_cast<int>(y));
    Case<double> problem(executor, s);
    problem.allow_rounding();
    Array<double, 1> work(executor, {problem.host.pitch * s.ny});
    ASSERT_TRUE(plan_tiled(*executor, {2, s.nx, s.ny, s.kind}));
    for (const Rows& rows : {Rows{0, 5}, Rows{20, s.ny}, Rows{5, 20}})
      tiled(*executor, problem.device, problem.device_mask, work.view().data, rows);
    problem.advance({0, s.ny});
    problem.compare(true, {0, s.ny});
  }
}

TEST_P(ConvolveKernels, ResidentHasEveryWall) {
  for (const Side x : {affine, held, recorded, periodic})
    for (const Side y : {affine, held, recorded}) {
      check_resident<double>({MaskKind::box9, 101, 45, x, y, 21});
      check_resident<float>({MaskKind::star5, 90, 50, x, y, 6});
    }
}

TEST_P(ConvolveKernels, ResidentTakesAnyNumberOfSteps) {
  for (const int steps : step_counts())
    check_resident<double>({MaskKind::star5, 100 - steps, 56 - steps, held, recorded, steps});
}

TEST_P(ConvolveKernels, ResidentRefusesWhatDoesNotFit) {
  const auto applies = [&](Index nx, Index ny, MaskKind kind) {
    return plan_resident<double>(*executor, {2, nx, ny, kind}).applies;
  };
  EXPECT_FALSE(applies(63, 500, MaskKind::star5));
  EXPECT_FALSE(applies(500, 31, MaskKind::star5));
  EXPECT_FALSE(applies(100, 50, MaskKind::cross9));
  EXPECT_FALSE(applies(20'000, 20'000, MaskKind::star5));
}

}  // namespace
}  // namespace halocline::diffusion
