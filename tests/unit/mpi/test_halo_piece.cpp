// Pieces of halos: which sets are copied without a kernel, and that all of them reach the right positions.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/halo/halo_piece.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

using HaloPieceTest = OnEveryExecutor;
INSTANTIATE_TEST_SUITE_P(Executors, HaloPieceTest, every_executor(), executor_name);

struct Case {
  IndexSet set;
  bool contiguous;
  std::vector<Index> positions;
};

std::vector<Case> cases() {
  return {
      {IndexSet::run(5, 4), true, {5, 6, 7, 8}},
      {{7, {0, 1, 1}, {1, 1, 1}, {}}, true, {}},
      {{2, {1, 2, 3}, {0, 3, 1}, {}}, true, {2, 3, 4, 5, 6, 7}},
      {{2, {1, 2, 3}, {0, 5, 1}, {}}, false, {2, 3, 4, 7, 8, 9}},
      {{1, {2, 2, 2}, {10, 1, 4}, {}}, false, {1, 5, 2, 6, 11, 15, 12, 16}},
      {{0, {}, {}, {3, 4, 5, 6}}, true, {3, 4, 5, 6}},
      {{0, {}, {}, {9}}, true, {9}},
      {{0, {}, {}, {3, 4, 6, 7}}, false, {3, 4, 6, 7}},
      {{0, {}, {}, {8, 2, 3, 2}}, false, {8, 2, 3, 2}},
      {{0, {}, {}, {6, 5, 4}}, false, {6, 5, 4}},
  };
}

template <class T>
void check(const ExecutorPtr& executor, const Case& one) {
  constexpr Index start = 3;
  const HaloPiece piece(executor, one.set, start);
  EXPECT_EQ(piece.contiguous(), one.contiguous);
  const auto count = static_cast<Index>(one.positions.size());
  EXPECT_EQ(piece.count, count);
  std::vector<T> values(20), none(static_cast<std::size_t>(start + count), T{-1});
  std::iota(values.begin(), values.end(), T{100});
  Array<T, 1> data = make_array(executor, values), buffer = make_array(executor, none);
  piece.collect(*executor, std::as_const(data).view(), buffer.view());
  std::vector<T> expected(start, T{-1});
  for (const Index position : one.positions) expected.push_back(values[position]);
  EXPECT_EQ(buffer.to_host(), expected);

  for (Index n = 0; n < count; ++n) expected[start + n] = one.positions[n] == 2 ? T{7} : static_cast<T>(50 + n);
  buffer.assign(expected);
  piece.distribute(*executor, buffer.view(), data.view());
  for (Index n = 0; n < count; ++n) values[one.positions[n]] = expected[start + n];
  EXPECT_EQ(data.to_host(), values);
}

TEST_P(HaloPieceTest, CollectsAndDistributesEveryType) {
  for (const Case& one : cases()) {
    check<double>(executor(), one);
    check<float>(executor(), one);
    check<std::int32_t>(executor(), one);
    check<std::int64_t>(executor(), one);
  }
}

// A list, nothing, a run and a list, to stretches in another order.
TEST_P(HaloPieceTest, JoinedSetsGoToTheirStretches) {
  const IndexSet list{0, {}, {}, {8, 2, 3}}, nothing = IndexSet::run(4, 0), run = IndexSet::run(5, 4),
                                             last{0, {}, {}, {0, 9}}, box{2, {1, 2, 3}, {0, 5, 1}, {}};
  EXPECT_FALSE(JoinedPositions::of(executor(), {&list, &box}));
  const auto joined = JoinedPositions::of(executor(), {&list, &nothing, &run, &last});
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->count(), 9);
  EXPECT_THROW(joined->within(9), InternalError);
  std::vector<double> values(10);
  std::iota(values.begin(), values.end(), 100);
  const Array<double, 1> data = make_array(executor(), values);
  Array<double, 1> buffer = make_array(executor(), std::vector<double>(11, -1));
  double* to = buffer.view().data;
  spread(*executor(), data.view(), joined->within(10), Stretches<double>{3, {0, 3, 7}, {to + 7, to, to + 5}});
  EXPECT_EQ(buffer.to_host(), (std::vector<double>{105, 106, 107, 108, -1, 100, 109, 108, 102, 103, -1}));
}

TEST_P(HaloPieceTest, RefusesSetsThatReachOutsideTheData) {
  Array<float, 1> data(executor(), {10}), buffer(executor(), {10});
  const IndexSet outside[] = {
      IndexSet::run(8, 3),           IndexSet::run(-1, 2),           {-1, {2, 1, 2}, {4, 0, 1}, {}},
      {5, {2, 1, 2}, {4, 0, 1}, {}}, {4, {3, 1, 1}, {-3, 0, 0}, {}}, {0, {}, {}, {3, 10, 5}},
      {0, {}, {}, {3, -1, 5}}};
  for (const IndexSet& set : outside) {
    const HaloPiece piece(executor(), set, 0);
    EXPECT_THROW(piece.collect(*executor(), std::as_const(data).view(), buffer.view()), InternalError);
    EXPECT_THROW(piece.distribute(*executor(), buffer.view(), data.view()), InternalError);
  }
  EXPECT_THROW(HaloPiece(executor(), {3, {-1, 1, -2}, {1, 1, 1}, {}}, 0), InternalError);
  const HaloPiece backwards(executor(), {9, {4, 1, 1}, {-3, 0, 0}, {}}, 0);  // 9, 6, 3, 0
  backwards.collect(*executor(), std::as_const(data).view(), buffer.view());
}

}  // namespace
}  // namespace halocline
