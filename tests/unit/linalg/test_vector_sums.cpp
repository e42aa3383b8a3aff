// Sums over vectors are equal to the bit for any number of parts and ranks.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "lib/base/array.hpp"
#include "lib/linalg/vector.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {
namespace {

constexpr Index groups = 13, rows = 10;

class VectorSumsTest : public OnEveryExecutor {
 protected:
  // All sums that operations return, of the same numbers on every layout.
  template <class T>
  std::vector<double> sums(MPI_Comm communicator, int devices, bool lane_is_chunk) {
    const Communicator comm(communicator);
    const Team team(make_test_executors(GetParam(), devices), comm.rank() * devices, comm.size() * devices);
    const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
    const Partition partition(groups, 1, weights);
    VectorLayout layout{{}, rows, lane_is_chunk};
    for (int p = 0; p < devices; ++p) layout.groups.push_back(partition.block(team.first_part() + p).extent(0));
    const auto space = std::make_shared<VectorSpace>(comm, team, layout);

    std::vector<Vector<T>> v;
    std::vector<const Vector<T>*> pointers;
    for (unsigned n = 0; n < 13; ++n) {
      const std::vector<double> all = random_numbers(static_cast<std::size_t>(groups * rows * lanes), n);
      v.emplace_back(space);
      for (int p = 0; p < devices; ++p) {
        const Index first = partition.block(team.first_part() + p).lo[0] * rows * lanes;
        std::vector<T> own(static_cast<std::size_t>(layout.size(p)));
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<T>(all[static_cast<std::size_t>(first) + i]);
        v.back().assign(p, own);
      }
    }
    for (const Vector<T>& one : v) pointers.push_back(&one);

    std::vector<double> result(v.size());
    multi_dot<T>(pointers, v[3], result);
    const Dots pair = dots(v[0], v[1]);
    const ResidualDots moved = update(0.3, v[2], 0.7, v[3], v[4], v[5], v[6]);
    const double rr = cg_update(0.3, 0.9, v[7], v[8], v[9], v[10], v[11], v[12]);
    result.insert(result.end(), {pair.xx, pair.xy, moved.rr, moved.rw, rr, norm(v[4]), norm(v[11])});
    return result;
  }
};

TEST_P(VectorSumsTest, DoNotDependOnPartsOrRanks) {
  for (const bool lane_is_chunk : {true, false}) {
    EXPECT_EQ(sums<double>(MPI_COMM_WORLD, 2, lane_is_chunk), sums<double>(MPI_COMM_SELF, 1, lane_is_chunk));
    EXPECT_EQ(sums<float>(MPI_COMM_WORLD, 2, lane_is_chunk), sums<float>(MPI_COMM_SELF, 1, lane_is_chunk));
  }
}

// Rounded there: sums that cancel, that carry over many limbs, ties, numbers at the ends of the range, special values.
TEST_P(VectorSumsTest, LeftOnTheDeviceHaveTheSameBits) {
  const Communicator comm(MPI_COMM_SELF);
  const Team team(make_test_executors(GetParam(), 1), 0, 1);
  const auto space = std::make_shared<VectorSpace>(comm, team, VectorLayout{{groups}, 2, true});
  constexpr std::size_t count = groups * 2 * lanes;
  const std::vector<double> random = random_numbers(count, 3);
  Vector<double> x(space), y(space);
  Array<double, 1> sums(team.executor(0), {4});
  const auto compare = [&](const std::vector<double>& values, const std::string& what) {
    x.assign(0, values);
    const Dots expected = dots(x, y);
    std::array<double, 2> pair;
    multi_dot<double>(std::array{static_cast<const Vector<double>*>(&y), static_cast<const Vector<double>*>(&x)}, x,
                      pair);
    device_dots(x, y, sums.view().data);
    device_pair_dot(y, x, x, sums.view().data + 2);
    const std::array wanted{expected.xx, expected.xy, pair[0], pair[1]};
    const std::vector<double> got = sums.to_host();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (std::isnan(wanted[k])) {
        EXPECT_TRUE(std::isnan(got[k])) << what << ", sum " << k;
      } else {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(wanted[k])) << what << ", " << k;
      }
    }
  };
  for (const double factor : {1.0, -1.0}) {
    y.assign(0, std::vector<double>(count, factor));
    for (const int spread : {0, 3, 60, 500, 1020}) {
      std::vector<double> values(count);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = std::ldexp(random[i], spread * (static_cast<int>(i * 7 % 15) - 7) / 7);
      compare(values, "spread " + std::to_string(spread));
    }
    std::vector<double> values(count, 0.0);
    compare(values, "zero");
    values[3] = 1;
    values[77] = 0x1p-53;
    compare(values, "a tie");
    values[100] = 0x1p-1074;
    compare(values, "beside a tie");
    values[3] = -0x1p-53;
    compare(values, "almost nothing is left");
    values = {0x1p-1074, -0x1.8p-1070, 0x1p-1022};
    values.resize(count);
    compare(values, "below normal numbers");
    values = std::vector<double>(count, 0x1.fffffffffffffp1023);
    compare(values, "overflow");
    for (std::size_t i = 0; i < count; i += 2) values[i] = -values[i];
    compare(values, "large numbers that cancel");
    for (const double special : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      values = random;
      values[50] = special;
      compare(values, "a special value");
      values[150] = -special;
      compare(values, "two of them");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, VectorSumsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
