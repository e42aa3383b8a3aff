// Exchanges of unequal lists, against what every rank can tell of all others.
// No test stops at its first failure: the other ranks would wait for ever.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/parcels.hpp"
#include "tests/mpi/count_calls.hpp"

namespace halocline {
namespace {

struct Entry {  // of no kind that MPI knows, 12 bytes
  std::int32_t row, column;
  float value;
  friend bool operator==(const Entry&, const Entry&) = default;
};

template <class T>
T make_value(int from, int to, int i) {
  if constexpr (std::is_same_v<T, Entry>) {
    return {from, to, static_cast<float>(i)};
  } else {
    return static_cast<T>(10000 * from + 1000 * to + i);
  }
}

// What `from` has for `to`, the same on every rank; many are empty.
template <class T>
std::vector<T> list(int from, int to, int round) {
  std::mt19937 random(static_cast<unsigned>(100 * round + 10 * from + to));
  std::vector<T> values(random() % 2 == 0 ? 0 : random() % 300);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = make_value<T>(from, to, static_cast<int>(i));
  return values;
}

// Pieces that no list fills, that some do, and that cut values.
constexpr std::size_t messages[] = {largest_message, 1200, 100, 7};

template <class T>
class ExchangeTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
};
using Types = testing::Types<double, float, std::int32_t, std::int64_t, char, Entry>;
TYPED_TEST_SUITE(ExchangeTest, Types);

TYPED_TEST(ExchangeTest, AnyPatternArrivesInTheOrderOfTheRanks) {
  const Communicator& comm = this->comm;
  for (int round = 0; round < 40; ++round) {
    std::vector<Parcel<TypeParam>> outgoing;
    // Every second round: only what is not empty, backwards.
    for (int to = 0; to < comm.size(); ++to) {
      Parcel<TypeParam> parcel{to, list<TypeParam>(comm.rank(), to, round)};
      if (round % 2 == 0) {
        outgoing.push_back(parcel);
      } else if (!parcel.values.empty()) {
        outgoing.insert(outgoing.begin(), parcel);
      }
    }
    const auto incoming = exchange_lists(comm, outgoing, messages[round % 4]);
    std::size_t next = 0;
    for (int from = 0; from < comm.size(); ++from) {
      const auto expected = list<TypeParam>(from, comm.rank(), round);
      if (expected.empty()) continue;
      if (next >= incoming.size()) {
        ADD_FAILURE() << "nothing from " << from;
        continue;
      }
      EXPECT_EQ(incoming[next].rank, from);
      EXPECT_EQ(incoming[next].values, expected);
      ++next;
    }
    EXPECT_EQ(next, incoming.size());
  }
}

TYPED_TEST(ExchangeTest, EveryRankGetsTheListsOfAll) {
  const Communicator& comm = this->comm;
  for (int round = 0; round < 12; ++round) {
    const auto all = gather_lists(comm, list<TypeParam>(comm.rank(), 0, round), messages[round % 4]);
    std::vector<TypeParam> expected;
    std::vector<Index> starts{0};
    for (int from = 0; from < comm.size(); ++from) {
      const auto part = list<TypeParam>(from, 0, round);
      expected.insert(expected.end(), part.begin(), part.end());
      starts.push_back(static_cast<Index>(expected.size()));
    }
    EXPECT_EQ(all.values, expected);
    EXPECT_EQ(all.starts, starts);
  }
}

// Ranks that are far ahead of others must not mix up exchanges: each sends to the next only, in turns of its own pace.
TEST(Exchange, FollowsTheOneBefore) {
  const Communicator comm(MPI_COMM_WORLD);
  for (int round = 0; round < 300; ++round) {
    std::vector<Parcel<Index>> outgoing;
    const int from = (comm.rank() + comm.size() - 1) % comm.size(), to = (comm.rank() + 1) % comm.size();
    if ((comm.rank() + round) % 3 != 0) outgoing.push_back({to, {round, comm.rank()}});
    const auto incoming = exchange_lists(comm, outgoing, 5);
    const bool expected = (from + round) % 3 != 0;
    EXPECT_EQ(incoming.size(), expected ? 1u : 0u);
    if (!incoming.empty()) {
      EXPECT_EQ(incoming.front().values, (std::vector<Index>{round, from}));
    }
  }
}

// To the next rank only: what is handed to MPI does not depend on the number of ranks.
TEST(Exchange, TakesNoMoreThanItsParcels) {
  const Communicator comm(MPI_COMM_WORLD);
  const MpiCalls before = mpi_calls();
  exchange_lists(comm, std::vector<Parcel<Index>>{{(comm.rank() + 1) % comm.size(), {1, 2, 3}}});
  const MpiCalls calls = mpi_calls() - before;
  EXPECT_EQ(calls.messages, comm.size() > 1 ? 1U : 0U);
  EXPECT_EQ(calls.bytes, comm.size() > 1 ? 4 * sizeof(Index) : 0U);
  EXPECT_EQ(calls.collectives, 0U);
}

// One rank comes late to an exchange; those of its neighbors that have nothing to do with it go on to the next.
TEST(Exchange, OthersMayBeFarAhead) {
  const Communicator comm(MPI_COMM_WORLD);
  for (int round = 0; round < 20; ++round) {
    if (comm.rank() == round % comm.size()) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::vector<Parcel<Index>> outgoing;
    if (comm.rank() == 0) outgoing.push_back({comm.size() - 1, {round}});
    const auto incoming = exchange_lists(comm, outgoing);
    EXPECT_EQ(incoming.size(), comm.rank() == comm.size() - 1 ? 1U : 0U);
    if (!incoming.empty()) {
      EXPECT_EQ(incoming.front().values, std::vector<Index>{round});
    }
  }
}

TEST(Exchange, ParcelsAreFilledInAnyOrder) {
  const Communicator comm(MPI_COMM_WORLD);
  const int next = (comm.rank() + 1) % comm.size();
  Parcels<int> parcels;
  for (int i = 0; i < 3; ++i) {
    parcels.to(next).push_back(10 * comm.rank() + i);
    parcels.to(comm.rank()).push_back(-i);
  }
  const auto incoming = parcels.send(comm);
  const int before = 10 * ((comm.rank() + comm.size() - 1) % comm.size());
  for (const Parcel<int>& parcel : incoming) {
    if (comm.size() == 1)
      EXPECT_EQ(parcel.values, (std::vector<int>{0, 0, 1, -1, 2, -2}));
    else if (parcel.rank == comm.rank())
      EXPECT_EQ(parcel.values, (std::vector<int>{0, -1, -2}));
    else
      EXPECT_EQ(parcel.values, (std::vector<int>{before, before + 1, before + 2}));
  }
  EXPECT_EQ(incoming.size(), comm.size() == 1 ? 1U : 2U);
  EXPECT_TRUE(parcels.send(comm).empty());
}

TEST(Exchange, OfNothing) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_TRUE(exchange_lists(comm, std::vector<Parcel<double>>{}).empty());
  EXPECT_TRUE(exchange_lists(comm, std::vector<Parcel<double>>{{comm.rank(), {}}}).empty());
  const auto all = gather_lists(comm, std::vector<double>{});
  EXPECT_TRUE(all.values.empty());
  EXPECT_EQ(all.starts, std::vector<Index>(static_cast<std::size_t>(comm.size()) + 1, 0));
}

TEST(Exchange, RefusesParcelsThatCannotBeSent) {
  const Communicator comm(MPI_COMM_WORLD);
  const Parcel<Index> one{0, {1}};
  EXPECT_THROW(exchange_lists(comm, std::vector<Parcel<Index>>{one, one}), InternalError);
  EXPECT_THROW(exchange_lists(comm, std::vector<Parcel<Index>>{{comm.size(), {1}}}), InternalError);
  EXPECT_THROW(exchange_lists(comm, std::vector<Parcel<Index>>{one}, 0), InternalError);
  EXPECT_THROW(exchange_lists(comm, std::vector<Parcel<Index>>{one}, std::size_t{1} << 31), InternalError);
}

}  // namespace
}  // namespace halocline
