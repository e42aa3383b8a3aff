// Steps of equal size allocate nothing: neither sweeps, nor passes over the history at begins of blocks and sub-blocks,
// nor exchanges between parts. Left out are steps that SplitControl looks at, which make vectors of pointers and may
// solve the step as a whole, and levels of unequal steps, whose tables are made anew.
#include <gtest/gtest.h>

#include "lib/problems/fractional/stepper.hpp"
#include "tests/unit/count_allocations.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {
namespace {

// Of two blocks, when the first two have made their tables.
long allocations_of_blocks(const DeckText& deck, int devices) {
  const Communicator comm(MPI_COMM_WORLD);
  const FractionalOptions options = read_deck(deck.text());
  const Formulation f = formulate(options);
  std::vector<ExecutorPtr> executors;
  for (int i = 0; i < devices; ++i) executors.push_back(make_omp_executor(1));
  const Team team(executors, comm.rank() * devices, comm.size() * devices);
  Shape shape;
  shape.ranks = comm.size();
  shape.weights.assign(static_cast<std::size_t>(team.total_parts()), 1.0);
  ThrownFaults faults;
  const Partition partition = plan(options, shape, faults).partition;
  Timers timers;
  Log log(false, LogLevel::off);
  const auto stepper = make_stepper({comm, team, timers, log, shape, 1, partition}, f);
  stepper->set_initial();
  stepper->choose_split();
  constexpr Index block = 16;
  while (stepper->level() < 2 * block + 1) stepper->step();
  const long before = allocation_count();
  while (stepper->level() < 4 * block + 1) stepper->step();
  return allocation_count() - before;
}

DeckText deck() {
  DeckText deck;
  deck.grid = "{size: [1, 1, 1], cells: [7, 5, 32]}";
  deck.equation["initial"] = "x + y*z";
  deck.sides =
      "{x_min: {kind: dirichlet, value: t*y}, z_max: {kind: robin, transfer: 2, value: x*t}, rest: {kind: no_flux}}";
  deck.time = "{end: 1, steps: 80}";
  deck.more = "  history: {engine: exponentials}\n  solver: {split: adi}\n";
  return deck;
}

TEST(StepAllocations, AreNone) {
  std::vector<DeckText> decks(4, deck());
  decks[1].equation["sigma"] = "1 + x";
  decks[1].equation["source"] = "x*t - c^3";
  decks[2].equation["psi"] = "t^0.8";
  decks[2].time = "{end: 1, steps: 80, mesh: uniform_psi, scheme: l1}";
  decks[3].equation["order"] = "";
  decks[3].equation["terms"] = "[{order: 0.8, coefficient: step(0.4 - x)}, {order: 0.3}]";
  decks[3].equation["source"] = "x*t";
  decks.push_back(decks[0]);
  decks.back().more += "  precision: mixed\n";
  decks.push_back(decks[3]);
  decks.back().more += "  precision: fp16_history\n";
  for (const DeckText& deck : decks)
    for (const int devices : {1, 3})
      EXPECT_EQ(allocations_of_blocks(deck, devices), 0) << devices << " devices" << deck.text();
}

}  // namespace
}  // namespace halocline::fractional
