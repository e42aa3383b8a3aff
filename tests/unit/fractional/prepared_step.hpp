// The matrix of a first step on one part, for tests of what solves such steps.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/fractional/split/step_system.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/sources.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {

struct PreparedStep {
  // `local`: sigma A of the step, so that nu is about 1/local. The factors are not set yet.
  PreparedStep(TestDevice device, const DeckText& deck, double local)
      : comm(MPI_COMM_SELF),
        team(std::vector<ExecutorPtr>{make_test_executor(device)}, 0, 1),
        f(formulate(read_deck(deck.text()))),
        slabs(std::make_shared<Slabs<double>>(
            comm, team, Partition::from_starts({0, f.grid.extent[2]}), f.grid,
            SlabRules{.halo = 1, .periodic = f.grid.periodic[2], .also_alone = true, .pitch = 32})),
        coefficients(f, slabs),
        sources(f, slabs, coefficients.media()),
        factors(f, slabs, coefficients, sources),
        system(slabs, coefficients, factors) {
    numbers.level = 1;
    numbers.local.of[0] = local;
  }

  Communicator comm;
  Team team;
  Formulation f;
  std::shared_ptr<Slabs<double>> slabs;
  Coefficients coefficients;
  StepSources sources;
  StepFactors factors;
  StepSystem system;
  LevelNumbers numbers;
};

}  // namespace halocline::fractional
