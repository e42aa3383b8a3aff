// Vector operations against plain loops, sums against exact ones.
#include "lib/linalg/vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

class VectorTest : public OnEveryExecutor {
 protected:
  VectorTest() : team_(make_test_executors(GetParam(), 2), 0, 2) {}
  VectorSpacePtr space(bool lane_is_chunk) {
    return std::make_shared<VectorSpace>(comm_, team_, VectorLayout{{3, 2}, 6, lane_is_chunk});
  }
  std::vector<double> randomize(Vector<double>& x, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> all;
    for (int p = 0; p < 2; ++p) {
      std::vector<double> host(static_cast<std::size_t>(x.part(p).size()));
      for (double& value : host) value = uniform(random);
      team_.executor(p)->copy_in(x.part(p).data, host.data(), host.size() * sizeof(double));
      all.insert(all.end(), host.begin(), host.end());
    }
    return all;
  }
  std::vector<double> values(const Vector<double>& x) {
    std::vector<double> all;
    for (int p = 0; p < 2; ++p) {
      std::vector<double> host(static_cast<std::size_t>(x.part(p).size()));
      team_.executor(p)->copy_out(host.data(), x.part(p).data, host.size() * sizeof(double));
      all.insert(all.end(), host.begin(), host.end());
    }
    return all;
  }
  static double exact_dot(const std::vector<double>& a, const std::vector<double>& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
    return static_cast<double>(sum);
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_;
};

TEST_P(VectorTest, DotsEqualLongSums) {
  for (bool lane_is_chunk : {true, false}) {
    Vector<double> x(space(lane_is_chunk)), y(x.space_pointer());
    const auto a = randomize(x, 1), b = randomize(y, 2);
    const Dots sums = dots(x, y);
    EXPECT_NEAR(sums.xy, exact_dot(a, b), 1e-13);
    EXPECT_NEAR(sums.xx, exact_dot(a, a), 1e-12);
    EXPECT_NEAR(norm(x), std::sqrt(exact_dot(a, a)), 1e-12);
  }
}

TEST_P(VectorTest, AxpyAndDirection) {
  Vector<double> r(space(true)), v(r.space_pointer()), p(r.space_pointer());
  const auto a = randomize(r, 1), b = randomize(v, 2);
  auto c = randomize(p, 3);
  axpy(0.5, r, p);
  auto got = values(p);
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] += 0.5 * a[i];
    ASSERT_NEAR(got[i], c[i], 1e-15);
  }
  direction(r, -0.25, 3, v, p);
  got = values(p);
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(got[i], a[i] - 0.25 * c[i] + 3 * b[i], 1e-14);
}

TEST_P(VectorTest, UpdateMovesTheIterateAndTheResidual) {
  Vector<double> p(space(true)), t(p.space_pointer()), x(p.space_pointer()), s(p.space_pointer()), w(p.space_pointer());
  const auto hp = randomize(p, 1), ht = randomize(t, 2), hx = randomize(x, 3), hs = randomize(s, 4),
             hw = randomize(w, 5);
  const auto [ss, sw] = update(0.5, p, -2, t, x, s, w);
  const auto new_x = values(x), new_s = values(s);
  for (std::size_t i = 0; i < hx.size(); ++i) {
    ASSERT_NEAR(new_x[i], hx[i] + 0.5 * hp[i] - 2 * hs[i], 1e-14);
    ASSERT_NEAR(new_s[i], hs[i] + 2 * ht[i], 1e-14);
  }
  EXPECT_NEAR(ss, exact_dot(new_s, new_s), 1e-12);
  EXPECT_NEAR(sw, exact_dot(new_s, hw), 1e-12);
}

TEST_P(VectorTest, CopyCopiesAndSpacesDoNotMix) {
  Vector<double> x(space(true)), y(x.space_pointer()), other(space(true));
  const auto a = randomize(x, 1);
  copy(x, y);
  EXPECT_EQ(values(y), a);
  EXPECT_THROW(copy(x, other), InternalError);
  EXPECT_THROW(dots(x, other), InternalError);
}

INSTANTIATE_TEST_SUITE_P(Executors, VectorTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
