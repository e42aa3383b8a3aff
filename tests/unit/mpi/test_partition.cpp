#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/partition.hpp"

namespace halocline {
namespace {

std::string message_of(Index count, Index chunk, const std::vector<double>& weights, Index least) {
  try {
    Partition(count, chunk, weights, least);
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

TEST(Partition, EqualWeights) {
  const Partition p(10, 1, std::vector<double>{1, 1, 1, 1});
  ASSERT_EQ(p.parts(), 4);
  EXPECT_EQ(p.count(), 10);
  const Index starts[] = {0, 3, 5, 8};  // 2.5, 5, 7.5 rounded
  for (int part = 0; part < 4; ++part) EXPECT_EQ(p.block(part).lo[0], starts[part]);
}

TEST(Partition, WeightsAreShares) {
  const Partition p(1000, 1, std::vector<double>{1, 3, 4, 2});
  const Index sizes[] = {100, 300, 400, 200};
  for (int part = 0; part < 4; ++part) EXPECT_EQ(p.block(part).size(), sizes[part]);
}

TEST(Partition, LastChunkTakesTheRemainder) {
  const Partition p(2500, 1024, std::vector<double>{1, 1});
  EXPECT_EQ(p.block(0), (Range<1>{{0}, {1024}}));
  EXPECT_EQ(p.block(1), (Range<1>{{1024}, {2500}}));
  const Partition small(7, 1024, std::vector<double>{1});
  EXPECT_EQ(small.block(0), (Range<1>{{0}, {7}}));
}

TEST(Partition, AnyBlocksCoverAllItemsOnChunkBoundaries) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const Index chunk = 1 + static_cast<Index>(random() % 5), least = 1 + static_cast<Index>(random() % 4);
    const int parts = 1 + static_cast<int>(random() % 8);
    const Index need = (least + chunk - 1) / chunk * chunk;
    const Index count = need * parts + static_cast<Index>(random() % 100);  // always enough
    std::vector<double> weights(static_cast<std::size_t>(parts));
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(static_cast<double>(random() % 1000) / 200);
    const Partition p(count, chunk, weights, least);
    ASSERT_EQ(p.parts(), parts);
    EXPECT_EQ(p.block(0).lo[0], 0);
    EXPECT_EQ(p.block(parts - 1).hi[0], count);
    for (int part = 0; part < parts; ++part) {
      const Range<1> block = p.block(part);
      EXPECT_EQ(block.lo[0] % chunk, 0);
      EXPECT_GE(block.size(), least);
      if (part > 0) {
        EXPECT_EQ(block.lo[0], p.block(part - 1).hi[0]);
      }
      EXPECT_EQ(p.owner(block.lo[0]), part);
      EXPECT_EQ(p.owner(block.hi[0] - 1), part);
    }
    // Far from the limits every boundary is the nearest to the exact share.
    if (chunk == 1 && least == 1) {
      double before = 0;
      bool roomy = true;
      for (double weight : weights) roomy = roomy && weight / total * static_cast<double>(count) > 2;
      for (int part = 0; roomy && part < parts; ++part) {
        EXPECT_LE(std::abs(static_cast<double>(p.block(part).lo[0]) - before / total * static_cast<double>(count)),
                  0.51);
        before += weights[part];
      }
    }
  }
}

TEST(Partition, TellsHowManyPartsFit) {
  const std::vector<double> six(6, 1.0);
  EXPECT_NE(message_of(10, 1, six, 2).find("10 items into 6 parts of at least 2: at most 5 parts fit"),
            std::string::npos);
  EXPECT_EQ(message_of(12, 1, six, 2), "");
  EXPECT_NE(message_of(12, 4, six, 1).find("(in units of 4)"), std::string::npos);
  EXPECT_NE(message_of(12, 4, six, 1).find("at most 3 parts fit"), std::string::npos);
  EXPECT_NE(message_of(1, 1, {1.0}, 2).find("enlarge the problem"), std::string::npos);
  EXPECT_NE(message_of(3, 1, {1.0, 1.0}, 2).find("at most 1 part fits"), std::string::npos);
}

// Whether any choice of boundaries on multiples of `chunk` gives every block its least number.
bool feasible(Index count, Index chunk, int parts, Index least, Index first = 0) {
  if (parts == 1) return count - first >= least;
  for (Index next = first; next <= count; next += chunk)
    if (next - first >= least && feasible(count, chunk, parts - 1, least, next)) return true;
  return false;
}

TEST(Partition, RefusesWhatCannotBeSplitAndNothingElse) {
  EXPECT_EQ(message_of(3, 2, {1.0, 1.0}, 1), "") << "0, 2, 3";
  for (Index count = 0; count <= 12; ++count)
    for (Index chunk = 1; chunk <= 4; ++chunk)
      for (Index least = 0; least <= 4; ++least)
        for (int parts = 1; parts <= 5; ++parts) {
          SCOPED_TRACE(std::to_string(count) + " " + std::to_string(chunk) + " " + std::to_string(least));
          const std::vector<double> weights(static_cast<std::size_t>(parts), 1.0);
          const bool splits = message_of(count, chunk, weights, least).empty();
          EXPECT_EQ(splits, feasible(count, chunk, parts, least)) << parts;
          if (!splits) continue;
          const Partition p(count, chunk, weights, least);
          for (int part = 0; part < parts; ++part) {
            EXPECT_GE(p.block(part).size(), least) << parts;
            EXPECT_EQ(p.block(part).lo[0] % chunk, 0) << parts;
          }
        }
}

TEST(Partition, RefusesUselessWeights) {
  EXPECT_NE(message_of(30, 1, {1e308, 1e308, 1e308}, 1).find("too large"), std::string::npos);
  for (double weight : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_NE(message_of(10, 1, {1.0, weight}, 1).find("positive"), std::string::npos);
  }
}

TEST(Partition, MayBeEmptyWhenAllowed) {
  const Partition p(1, 1, std::vector<double>{1, 1, 1}, 0);
  EXPECT_EQ(p.block(2).hi[0], 1);
  EXPECT_THROW(p.owner(1), InternalError);
  int owners = 0;
  for (int part = 0; part < 3; ++part) owners += p.block(part).size() == 1 ? 1 : 0;
  EXPECT_EQ(owners, 1);
  EXPECT_EQ(p.block(p.owner(0)).size(), 1);
}

TEST(Partition, WithoutALeastSizeFitsMorePartsThanItems) {
  for (Index count : {Index{0}, Index{1}, Index{3}, Index{4096}, Index{9000}}) {
    const Partition p(count, 4096, std::vector<double>{1, 3, 2, 2, 1}, 0);
    ASSERT_EQ(p.parts(), 5);
    EXPECT_EQ(p.count(), count);
    Index items = 0;
    for (int part = 0; part < 5; ++part) {
      EXPECT_EQ(p.block(part).lo[0] % 4096, 0);
      items += p.block(part).size();
    }
    EXPECT_EQ(items, count);
    for (Index item = 0; item < count; item += 7) {
      const Range<1> block = p.block(p.owner(item));
      EXPECT_TRUE(item >= block.lo[0] && item < block.hi[0]);
    }
  }
}

TEST(Partition, BeginsWhereItIsTold) {
  const Partition p = Partition::from_starts({0, 0, 4, 4, 9, 9});
  ASSERT_EQ(p.parts(), 5);
  EXPECT_EQ(p.count(), 9);
  EXPECT_EQ(p.block(1), (Range<1>{{0}, {4}}));
  for (const int empty : {0, 2, 4}) EXPECT_EQ(p.block(empty).size(), 0);
  for (Index item = 0; item < 9; ++item) EXPECT_EQ(p.owner(item), item < 4 ? 1 : 3);
  EXPECT_THROW(p.owner(9), InternalError);
  EXPECT_EQ(Partition::from_starts({0, 3, 5, 8, 10}), Partition(10, 1, std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(Partition::from_starts({0, 0}).count(), 0);
}

TEST(Partition, RefusesStartsThatAreNone) {
  for (const std::vector<Index>& starts : {std::vector<Index>{}, {0}, {1, 3}, {-1, 0, 3}, {0, 4, 3}}) {
    EXPECT_THROW(Partition::from_starts(starts), InternalError);
  }
}

}  // namespace
}  // namespace halocline
