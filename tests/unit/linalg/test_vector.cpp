// Vectors of double and float: operations against plain loops, ghosts, places without an unknown, copies.
#include "lib/linalg/vector.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "lib/linalg/largest_size.hpp"
#include "lib/linalg/operator.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/linalg/vector_cases.hpp"

namespace halocline {
namespace {

class VectorTest : public OnEveryExecutor {
 protected:
  VectorTest() : team_(make_test_executors(GetParam(), 2), 0, 2) {}
  VectorSpacePtr space(VectorLayout layout) { return std::make_shared<VectorSpace>(comm_, team_, std::move(layout)); }
  // Some hundred numbers per part: two and three groups of 6 x 8.
  VectorSpacePtr space(bool lane_is_chunk = true) { return space(VectorLayout{{3, 2}, 6, lane_is_chunk}); }

  // got[i] = expected(i) up to the rounding of a few operations on numbers of about one.
  template <class T>
  static void expect(const Vector<T>& x, const std::function<double(std::size_t)>& expected) {
    const std::vector<T> got = values_of(x);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], expected(i), 20.0 * std::numeric_limits<T>::epsilon()) << "place " << i;
  }
  template <class T>
  static double sum_tolerance() {
    return 1000.0 * std::numeric_limits<T>::epsilon();
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_;
};

template <class Check>
void for_both(const Check& check) {
  check(double{});
  check(float{});
}

TEST_P(VectorTest, DotsEqualLongSums) {
  for (const bool lane_is_chunk : {true, false})
    for_both([&]<class T>(T) {
      Vector<T> x(space(lane_is_chunk)), y(x.space_pointer());
      const auto a = randomize(x, 1), b = randomize(y, 2);
      const Dots sums = dots(x, y);
      EXPECT_NEAR(sums.xy, exact_dot(a, b), sum_tolerance<T>());
      EXPECT_NEAR(sums.xx, exact_dot(a, a), sum_tolerance<T>());
      EXPECT_TRUE(std::isnan(sums.yy) && std::isnan(sums.yw) && std::isnan(sums.xw)) << "not computed";
      EXPECT_NEAR(norm(x), std::sqrt(exact_dot(a, a)), sum_tolerance<T>());
    });
}

// Every chunk's sum is exact in float; their total needs doubles.
TEST_P(VectorTest, ChunksAreAddedAsDoubles) {
  Vector<float> x(space(true));
  std::vector<float> all;
  for (int p = 0; p < 2; ++p) {
    std::vector<float> own(static_cast<std::size_t>(x.part(p).size()));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<float>(1201 + 2 * (i % 97));
    x.assign(p, own);
    all.insert(all.end(), own.begin(), own.end());
  }
  EXPECT_GT(exact_dot(all, all), 0x1p24);
  EXPECT_EQ(dots(x, x).xx, exact_dot(all, all));
}

TEST_P(VectorTest, LinearCombinations) {
  for_both([&]<class T>(T) {
    Vector<T> r(space()), v(r.space_pointer()), p(r.space_pointer());
    const auto a = randomize(r, 1), b = randomize(v, 2);
    auto c = randomize(p, 3);
    axpy(0.5, r, p);
    expect<T>(p, [&](std::size_t i) { return c[i] + 0.5 * a[i]; });
    c = values_of(p);
    direction(r, -0.25, 3, v, p);
    expect<T>(p, [&](std::size_t i) { return a[i] - 0.25 * c[i] + 3.0 * b[i]; });
    c = values_of(p);
    combine(-1.5, r, 0.5, 2, v, p);
    expect<T>(p, [&](std::size_t i) { return -1.5 * a[i] + 0.5 * c[i] + 2.0 * b[i]; });
    c = values_of(p);
    combine(2, r, 1, -3, p, p);
    expect<T>(p, [&](std::size_t i) { return 2.0 * a[i] - 2.0 * c[i]; });
    add_constant(0.75, v);
    expect<T>(v, [&](std::size_t i) { return b[i] + 0.75; });
    fill(v, -2);
    expect<T>(v, [&](std::size_t) { return -2; });
  });
}

TEST_P(VectorTest, UpdateMovesTheIterateAndTheResidual) {
  for_both([&]<class T>(T) {
    Vector<T> p(space()), t(p.space_pointer()), x(p.space_pointer()), r(p.space_pointer()), w(p.space_pointer());
    const auto hp = randomize(p, 1), ht = randomize(t, 2), hx = randomize(x, 3), hr = randomize(r, 4),
               hw = randomize(w, 5);
    const auto [rr, rw] = update(0.5, p, -2, t, x, r, w);
    expect<T>(x, [&](std::size_t i) { return hx[i] + 0.5 * hp[i] - 2.0 * hr[i]; });
    expect<T>(r, [&](std::size_t i) { return hr[i] + 2.0 * ht[i]; });
    EXPECT_NEAR(rr, exact_dot(values_of(r), values_of(r)), sum_tolerance<T>());
    EXPECT_NEAR(rw, exact_dot(values_of(r), hw), sum_tolerance<T>());
  });
}

TEST_P(VectorTest, CgUpdateMovesDirectionsIterateAndResidual) {
  for_both([&]<class T>(T) {
    Vector<T> u(space()), w(u.space_pointer()), p(u.space_pointer()), s(u.space_pointer()), x(u.space_pointer()),
        r(u.space_pointer());
    const auto hu = randomize(u, 1), hw = randomize(w, 2), hp = randomize(p, 3), hs = randomize(s, 4),
               hx = randomize(x, 5), hr = randomize(r, 6);
    const double rr = cg_update(0.5, -0.75, u, w, p, s, x, r);
    expect<T>(p, [&](std::size_t i) { return hu[i] - 0.75 * hp[i]; });
    expect<T>(s, [&](std::size_t i) { return hw[i] - 0.75 * hs[i]; });
    expect<T>(x, [&](std::size_t i) { return hx[i] + 0.5 * (hu[i] - 0.75 * hp[i]); });
    expect<T>(r, [&](std::size_t i) { return hr[i] - 0.5 * (hw[i] - 0.75 * hs[i]); });
    EXPECT_NEAR(rr, exact_dot(values_of(r), values_of(r)), sum_tolerance<T>());
  });
}

TEST_P(VectorTest, ManyVectorsAtOnce) {
  for_both([&]<class T>(T) {
    for (const int count : {0, 1, 15}) {
      Vector<T> y(space());
      std::vector<Vector<T>> v;
      std::vector<const Vector<T>*> pointers;
      std::vector<std::vector<T>> host;
      std::vector<double> c, sums(static_cast<std::size_t>(count));
      for (int j = 0; j < count; ++j) v.emplace_back(y.space_pointer());
      for (Vector<T>& one : v) {
        host.push_back(randomize(one, 7 + static_cast<unsigned>(host.size())));
        pointers.push_back(&one);
        c.push_back(0.5 / static_cast<double>(host.size()));
      }
      const auto hy = randomize(y, 1);
      multi_dot<T>(pointers, y, sums);
      for (std::size_t j = 0; j < host.size(); ++j)
        EXPECT_NEAR(sums[j], exact_dot(host[j], hy), sum_tolerance<T>()) << j << " of " << count;
      multi_axpy<T>(c, pointers, y);
      expect<T>(y, [&](std::size_t i) {
        double sum = hy[i];
        for (std::size_t j = 0; j < host.size(); ++j) sum += c[j] * host[j][i];
        return sum;
      });
    }
  });
}

TEST_P(VectorTest, GhostsAndUnusedPlacesAreLeftAlone) {
  for_both([&]<class T>(T) {
    const VectorLayout layout{.groups = {3, 2}, .rows = 6, .before = {16, 0}, .behind = {8, 24}, .used = {130, 96}};
    Vector<T> x(space(layout)), y(x.space_pointer()), z(x.space_pointer()), w(x.space_pointer());
    const std::vector<Vector<T>*> all{&x, &y, &z, &w};
    for (int p = 0; p < 2; ++p) {
      const auto before = static_cast<std::size_t>(layout.before[p]);
      const auto size = static_cast<std::size_t>(layout.size(p));
      for (Vector<T>* vector : all) {
        std::vector<T> whole(static_cast<std::size_t>(vector->whole(p).size()), T{-1});
        ASSERT_EQ(whole.size(), before + size + static_cast<std::size_t>(layout.behind[p]));
        team_.executor(p)->copy_out(whole.data(), vector->whole(p).data, whole.size() * sizeof(T));
        for (const T value : whole) ASSERT_EQ(value, 0) << "zero at first";
        for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = i < before || i >= before + size ? T{99} : T{0};
        team_.executor(p)->copy_in(vector->whole(p).data, whole.data(), whole.size() * sizeof(T));
      }
    }
    for (Vector<T>* vector : all) randomize(*vector, 1);
    fill(y, 3);
    copy(x, z);
    add_constant(1, y);
    axpy(2, x, y);
    direction(x, 1, 2, y, z);
    combine(1, x, 2, 3, y, z);
    dots(x, y);
    update(1, x, 2, y, z, w, x);
    cg_update(1, 2, x, y, x, y, z, w);
    std::array<double, 2> sums;
    const std::array<const Vector<T>*, 2> pair{&x, &y};
    multi_dot<T>(pair, z, sums);
    multi_axpy<T>(sums, pair, w);
    for (int p = 0; p < 2; ++p)
      for (Vector<T>* vector : all) {
        const auto before = static_cast<std::size_t>(layout.before[p]);
        const auto size = static_cast<std::size_t>(layout.size(p)), used = static_cast<std::size_t>(layout.used[p]);
        std::vector<T> whole(static_cast<std::size_t>(vector->whole(p).size()));
        team_.executor(p)->copy_out(whole.data(), vector->whole(p).data, whole.size() * sizeof(T));
        for (std::size_t i = 0; i < whole.size(); ++i) {
          const bool ghost = i < before || i >= before + size;
          if (ghost || i >= before + used) {
            ASSERT_EQ(whole[i], ghost ? 99 : 0) << "place " << i;
          }
        }
      }
  });
}

TEST_P(VectorTest, CopiesSwapsAndKeepsSpacesApart) {
  for_both([&]<class T>(T) {
    Vector<T> x(space()), y(x.space_pointer()), other(space());
    const auto a = randomize(x, 1);
    copy(x, y);
    EXPECT_EQ(values_of(y), a);
    const auto b = randomize(y, 2);
    x.swap(y);
    EXPECT_EQ(values_of(x), b);
    EXPECT_EQ(values_of(y), a);
    EXPECT_THROW(copy(x, other), InternalError);
    EXPECT_THROW(dots(x, other), InternalError);
    EXPECT_THROW(x.swap(other), InternalError);
    EXPECT_THROW(x.assign(0, std::vector<T>(5)), InternalError);
  });
}

TEST_P(VectorTest, RefusesLayoutsThatDoNotFit) {
  EXPECT_THROW(space({{1}, 6}), InternalError);
  EXPECT_THROW(space({{1, 1}, 5}), InternalError);
  EXPECT_THROW(space({.groups = {1, 1}, .rows = 6, .before = {8, 7}}), InternalError);
  EXPECT_THROW(space({.groups = {1, 1}, .rows = 6, .behind = {8}}), InternalError);
  EXPECT_THROW(space({.groups = {1, 1}, .rows = 6, .used = {48, 49}}), InternalError);
}

TEST_P(VectorTest, ZeroClearsWhatNumbersThatAreNoneLeft) {
  for_both([&]<class T>(T) {
    Vector<T> x(space({.groups = {3, 2}, .rows = 6, .used = {130, 96}})), zero(x.space_pointer());
    axpy(std::numeric_limits<double>::infinity(), zero, x);
    fill(x, 0);
    for (int p = 0; p < 2; ++p) EXPECT_EQ(x.to_host(p), zero.to_host(p));
  });
}

TEST_P(VectorTest, LargestSizeOfNumbersOfBothSigns) {
  Vector<double> x(space());
  EXPECT_EQ(largest_size(x), 0);
  randomize(x, 3);
  std::vector<double> second = x.to_host(1);
  for (const double one : {-7.5, 8.25}) {
    second[17] = one;
    x.assign(1, second);
    EXPECT_EQ(largest_size(x), std::abs(one));
  }
  for (const double none : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    second[40] = none;
    x.assign(1, second);
    EXPECT_TRUE(std::isnan(largest_size(x)));
  }
}

// y = 2 x, by the defaults of Operator for everything else.
template <class T>
class Doubling final : public Operator<T> {
 public:
  void apply(const Vector<T>& x, Vector<T>& y) const override { combine(2, x, 0, 0, x, y); }
};

TEST_P(VectorTest, OperatorsHaveSumsAndMemory) {
  for_both([&]<class T>(T) {
    const Doubling<T> A;
    Vector<T> x(space()), y(x.space_pointer()), w(x.space_pointer());
    const auto hx = randomize(x, 1), hw = randomize(w, 2);
    const Dots of_y = A.apply_with_dots(x, y, w), of_x = A.apply_with_energy(x, y, w);
    EXPECT_NEAR(of_y.yy, 4 * exact_dot(hx, hx), 4 * sum_tolerance<T>());
    EXPECT_NEAR(of_y.yw, 2 * exact_dot(hx, hw), sum_tolerance<T>());
    EXPECT_NEAR(of_x.xy, 2 * exact_dot(hx, hx), sum_tolerance<T>());
    EXPECT_NEAR(of_x.xw, exact_dot(hx, hw), sum_tolerance<T>());
    const EnergySums energy = A.apply_with_energy_sums(x, y, w, &w),
                     without = A.apply_with_energy_sums(x, y, w, nullptr);
    EXPECT_NEAR(energy.uw, 2 * exact_dot(hx, hx), sum_tolerance<T>());
    EXPECT_NEAR(energy.ru, exact_dot(hx, hw), sum_tolerance<T>());
    EXPECT_NEAR(energy.rr, exact_dot(hw, hw), sum_tolerance<T>());
    EXPECT_NEAR(energy.qu, exact_dot(hx, hw), sum_tolerance<T>());
    EXPECT_EQ(without.uw, energy.uw);
    EXPECT_EQ(without.rr, energy.rr);
    Vector<T> s(x.space_pointer());
    const auto hs = randomize(s, 3);
    const CorrectionSums all = correction_sums(s, x, y, s, w);
    EXPECT_NEAR(all.cc, exact_dot(hs, hs), sum_tolerance<T>());
    EXPECT_NEAR(all.xx, exact_dot(hx, hx), sum_tolerance<T>());
    const StepSums step = A.apply_with_step_sums(x, y, s, w);
    EXPECT_NEAR(step.tt, 4 * exact_dot(hx, hx), 4 * sum_tolerance<T>());
    EXPECT_NEAR(step.ts, 2 * exact_dot(hx, hs), sum_tolerance<T>());
    EXPECT_NEAR(step.ss, exact_dot(hs, hs), sum_tolerance<T>());
    EXPECT_NEAR(step.r0_t, 2 * exact_dot(hx, hw), sum_tolerance<T>());
    EXPECT_NEAR(step.r0_s, exact_dot(hs, hw), sum_tolerance<T>());
    EXPECT_EQ(all.step.r0_s, step.r0_s);
    A.keep(0, x);
    A.keep(1, w);
    A.keep(0, y);
    fill(x, 1);
    A.add_kept(std::array{0.5, -1.0}, x);
    expect<T>(x, [&](std::size_t i) { return 1.0 + hx[i] - hw[i]; });
    EXPECT_THROW(A.keep(3, x), InternalError);
    EXPECT_THROW(A.add_kept(std::array{1.0, 1.0, 1.0}, x), InternalError);
  });
}

INSTANTIATE_TEST_SUITE_P(Executors, VectorTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
