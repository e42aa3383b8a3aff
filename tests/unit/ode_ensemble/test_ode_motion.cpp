// How systems move, through decks and against exact values: steps of any unit.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

// Times and amplitudes in SI units, and in others: x'' = -w^2 x at 1 THz and at one turn in 3000 years, with default
// keys.
TEST(OdeMotion, StepsHaveNoUnitOfTheirOwn) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = v\", \"v' = -(2*pi*f)^2*x\"]\n  initial: {x: 1, v: 0}\n"
      "  evaluation: interpreted\n  sweep: [{name: f, values: [1e12, 1, 1e-11]}]\n  phase: {length: 10.1/f}\n"
      "  record: {final: [x, v]}\n";
  const DeckResult made = run_deck(self, deck);
  for (std::size_t i = 0; i < 3; ++i) {
    const double w = 2 * std::acos(-1.0) * made["sweep/f"][i];
    EXPECT_EQ(made["/status"][i], 0) << w;
    EXPECT_NEAR(made["result/x"][i], std::cos(0.2 * std::acos(-1.0)), 1e-5) << w;
    EXPECT_LT(made["cost/accepted"][i] + made["cost/rejected"][i], 3000) << w;
  }
  EXPECT_EQ(made.findings.failure, "");
  // What was the default: too large for one of these units.
  const DeckResult bounded = run_deck(self, deck + "  solver: {min_step: 1e-12}\n");
  EXPECT_EQ(static_cast<int>(bounded["/status"][0]) & 1, 1);
  EXPECT_NE(bounded.findings.failure.find("1 missed their tolerances at the smallest step, the first number 0"),
            std::string::npos)
      << bounded.findings.failure;
}

}  // namespace
}  // namespace halocline::ode_ensemble
