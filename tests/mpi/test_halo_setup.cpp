// Set-up of halos: how little it takes and what it refuses. Part of the program test_halo_types. No test stops at its
// first failure: the other ranks would wait for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/mpi/count_calls.hpp"
#include "tests/mpi/halo_cases.hpp"

namespace halocline {
namespace {

// Words of a few reductions, whatever the number of ranks; messages to neighbors alone tell where doors lead.
TEST_P(HaloTest, SetUpIsShort) {
  if (GetParam().devices == 0) return;  // unequal numbers of devices take a number per rank
  const Links links = line_links(team, std::vector<Index>(static_cast<std::size_t>(team.parts()), 4), 3, {1, 1, 1});
  const auto make = [&] { const Halo<double> halo(comm, team, links); };
  make();  // opens the doors
  const MpiCalls before = mpi_calls();
  make();
  const MpiCalls calls = mpi_calls() - before;
  const bool doors = GetParam().transfer == Transfer::ipc;
  EXPECT_LE(calls.messages, doors ? 4U : 0U);
  EXPECT_EQ(calls.collectives, 1U);
  EXPECT_LE(calls.bytes, doors ? 400U : 24U);
}

TEST_P(HaloTest, RefusesLinksThatDoNotMatch) {
  Links links(static_cast<std::size_t>(team.parts()));
  const auto expect_fault = [&](const Links& wrong, const std::string& fault) {
    try {
      const Halo<double> halo(comm, team, wrong);
      ADD_FAILURE() << "no fault found";
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(fault), std::string::npos) << error.what();
    }
  };
  if (total() > 1) {  // part 0 sends two values to the last part, which expects one
    const int last = total() - 1;
    const std::string pair = "what part 0 sends to part " + std::to_string(last) + " is not what that one expects";
    const std::string told = comm.size() > 1 ? pair : "the links of two parts differ in size";
    if (team.first_part() == 0) links.front().push_back({last, IndexSet::run(0, 2), {}});
    if (team.first_part() + team.parts() == total()) links.back().push_back({0, {}, IndexSet::run(0, 1)});
    expect_fault(links, told);
    // As many values in all, in stretches of other lengths.
    for (auto& own : links) own.clear();
    if (team.first_part() == 0) links.front() = {{last, IndexSet::run(0, 2), {}}, {last, IndexSet::run(2, 1), {}}};
    if (team.first_part() + team.parts() == total())
      links.back() = {{0, {}, IndexSet::run(0, 1)}, {0, {}, IndexSet::run(1, 2)}};
    expect_fault(links, told);
    // One of the two knows nothing of it.
    if (team.first_part() + team.parts() == total()) links.back().clear();
    if (comm.size() > 1) expect_fault(links, pair);
    for (auto& own : links) own.clear();
    if (team.first_part() + team.parts() == total()) links.back() = {{0, {}, IndexSet::run(0, 1)}};
    if (comm.size() > 1) expect_fault(links, pair);
  }
  // Within one rank, while the links of the others are right: they throw as well, instead of waiting.
  for (auto& own : links) own.clear();
  if (team.first_part() == 0) links.front().push_back({0, IndexSet::run(0, 2), IndexSet::run(2, 1)});
  expect_fault(links,
               comm.rank() == 0 ? "the links of two parts differ in size" : "the links of another rank are wrong");
  for (auto& own : links) own.clear();
  if (team.first_part() == 0) links.front().push_back({total(), IndexSet::run(0, 2), {}});
  EXPECT_THROW(Halo<double>(comm, team, links), InternalError);
  Links too_many(static_cast<std::size_t>(team.parts()) + 1);
  EXPECT_THROW(Halo<double>(comm, team, too_many), InternalError);
}

}  // namespace
}  // namespace halocline
