// Strength and PMIS against a version that goes through a whole matrix row by row, on random partitions.
#include <gtest/gtest.h>

#include "lib/amg/setup/classical/pmis.hpp"
#include "tests/unit/amg/oracle.hpp"

namespace halocline::amg {
namespace {

using sparse::Devices;
using sparse::DistCrs;
using sparse::RowSpacePtr;

constexpr double theta = 0.27;

struct Found {
  std::vector<unsigned char> strong;
  std::vector<double> diagonal, sizes;
  std::vector<PointKind> kinds;
  std::vector<Index> numbers;
  Index coarse_rows;
  friend bool operator==(const Found&, const Found&) = default;
};

template <class T>
std::vector<T> copy_out(const Executor& executor, const T* data, Index count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  if (!host.empty()) executor.copy_out(host.data(), data, host.size() * sizeof(T));
  return host;
}

Found coarsen(const DistCrs& a, const oracle::Components& components = {}) {
  const LocalValues<LocalIndex> component = local_components(a, components);
  const Strength strength(a, theta, components.empty() ? nullptr : &component);
  const Splitting splitting(a, strength, natural_numbers(a.rows()));
  std::vector<std::vector<unsigned char>> strong;
  std::vector<std::vector<double>> diagonal, sizes;
  std::vector<std::vector<PointKind>> kinds;
  std::vector<std::vector<Index>> numbers;
  for (int p = 0; p < a.team().parts(); ++p) {
    const Executor& executor = *a.team().executor(p);
    const Index rows = a.rows().own_size(p);
    strong.push_back(strength.strong_on_host(p));
    diagonal.push_back(copy_out(executor, strength.sizes().diagonal[p].view().data, rows));
    sizes.push_back(copy_out(executor, strength.sizes().sums[p].view().data, rows));
    kinds.push_back(own_values(a, p, splitting.kinds_on_host(p)));
    numbers.push_back(own_values(a, p, splitting.numbers().on_host(p)));
  }
  return {joined(a, strong), joined(a, diagonal), joined(a, sizes),
          joined(a, kinds),  joined(a, numbers),  splitting.coarse_rows()};
}

Found expected(const WholeMatrix& a, const oracle::Components& components = {}) {
  const auto depends = oracle::strong(a, theta, components);
  Found result;
  for (Index i = 0; i < a.size(); ++i) {
    double sizes = 0;
    for (const auto& [column, value] : a.rows[static_cast<std::size_t>(i)]) {
      sizes += std::abs(value);
      result.strong.push_back(depends[static_cast<std::size_t>(i)].contains(column) ? 1 : 0);
    }
    result.diagonal.push_back(a.rows[static_cast<std::size_t>(i)].at(i));
    result.sizes.push_back(sizes);
  }
  result.kinds = oracle::split(depends);
  result.numbers = oracle::numbers(result.kinds);
  result.coarse_rows = std::count(result.kinds.begin(), result.kinds.end(), points::coarse);
  return result;
}

// No two C-points depend on each other, and every F-point reaches one in two steps.
void check_splitting(const WholeMatrix& a, const std::vector<PointKind>& kind) {
  const auto depends = oracle::strong(a, theta);
  const auto reaches = [&](std::size_t i) {
    return std::any_of(depends[i].begin(), depends[i].end(),
                       [&](Index j) { return kind[static_cast<std::size_t>(j)] == points::coarse; });
  };
  for (std::size_t i = 0; i < kind.size(); ++i) {
    ASSERT_NE(kind[i], points::undecided);
    for (const Index j : depends[i])
      EXPECT_FALSE(kind[i] == points::coarse && kind[static_cast<std::size_t>(j)] == points::coarse &&
                   depends[static_cast<std::size_t>(j)].contains(static_cast<Index>(i)));
    if (kind[i] == points::fine) {
      EXPECT_TRUE(reaches(i) || std::any_of(depends[i].begin(), depends[i].end(),
                                            [&](Index j) { return reaches(static_cast<std::size_t>(j)); }));
    }
  }
}

class CoarseningTest : public OnPartitions<3> {};

TEST_P(CoarseningTest, AgreesWithTheFormulas) {
  for (const WholeMatrix& whole :
       {seven_points(9), seven_points(9, 1e-3), twenty_seven_points(7), irregular(700, 1), irregular(700, 2, true)}) {
    const Found right = expected(whole);
    check_splitting(whole, right.kinds);
    on_partitions([&](const Devices& devices, unsigned seed) {
      const RowSpacePtr rows = devices.space(whole.size(), 8, seed);
      EXPECT_EQ(coarsen(distribute(whole, rows, rows)), right);
    });
  }
}

// As if the hashes of all rows were the same: of two rows on which as many depend, the one behind is chosen.
TEST_P(CoarseningTest, DecidesTiesOfHashesByTheNumbersOfRows) {
  constexpr Index count = 40;
  WholeMatrix line{count, std::vector<std::map<Index, double>>(count)};
  std::vector<PointKind> right(count, points::fine);
  for (Index i = 0; i < count; ++i) {
    line.rows[static_cast<std::size_t>(i)] = {{i, 2}};
    if (i > 0) line.rows[static_cast<std::size_t>(i)][i - 1] = -1;
    if (i + 1 < count) line.rows[static_cast<std::size_t>(i)][i + 1] = -1;
    if (i % 2 == 0) right[static_cast<std::size_t>(i)] = points::coarse;
  }
  on_partitions([&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(count, 8, seed);
    const DistCrs a = distribute(line, rows, rows);
    std::vector<Array<Index, 1>> numbers;
    for (int p = 0; p < a.team().parts(); ++p)
      numbers.push_back(
          make_array(a.team().executor(p), std::vector<Index>(static_cast<std::size_t>(rows->own_size(p)), 0)));
    const Splitting splitting(a, Strength(a, theta, nullptr), numbers);
    std::vector<std::vector<PointKind>> kinds;
    for (int p = 0; p < a.team().parts(); ++p) kinds.push_back(own_values(a, p, splitting.kinds_on_host(p)));
    EXPECT_EQ(joined(a, kinds), right);
  });
}

TEST_P(CoarseningTest, AgreesWhereEveryPartHoldsAllRows) {
  const WholeMatrix whole = irregular(300, 3);
  on_partitions([&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(sparse::random_partition(300, 8, devices.team.total_parts(), seed), true);
    EXPECT_EQ(coarsen(distribute(whole, rows, rows)), expected(whole));
  });
}

TEST_P(CoarseningTest, CouplingsOfOtherComponentsDoNotCount) {
  const WholeMatrix whole = irregular(500, 4);
  oracle::Components component;
  for (Index i = 0; i < whole.size(); ++i) component.push_back(static_cast<LocalIndex>(i % 3));
  ASSERT_NE(expected(whole).strong, expected(whole, component).strong);
  on_partitions([&](const Devices& devices, unsigned seed) {
    const RowSpacePtr rows = devices.space(500, 8, seed);
    EXPECT_EQ(coarsen(distribute(whole, rows, rows), component), expected(whole, component));
  });
}

// Three rows that depend on each other, a row with a large diagonal, one that is alone, one that is depended on only.
TEST_P(CoarseningTest, SplitsSmallCasesAsByHand) {
  const Devices alone(MPI_COMM_SELF, GetParam(), 1);
  const WholeMatrix whole{6,
                          {{{0, 2}, {1, -1}, {2, -0.26}},
                           {{0, -1}, {1, 2}, {2, 0.5}},
                           {{1, -1}, {2, 2}, {5, -1}},
                           {{0, -1}, {3, 20}},
                           {{4, 1}},
                           {{5, 7}}}};
  const RowSpacePtr rows = alone.space(6, 1, 0);
  const Found found = coarsen(distribute(whole, rows, rows));
  EXPECT_EQ(found.strong, (std::vector<unsigned char>{0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(found.kinds, (std::vector<PointKind>{points::fine, points::coarse, points::fine, points::isolated,
                                                 points::isolated, points::coarse}));
  EXPECT_EQ(found.numbers, (std::vector<Index>{-1, 0, -1, -1, -1, 1}));
}

INSTANTIATE_TEST_SUITE_P(Executors, CoarseningTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::amg
