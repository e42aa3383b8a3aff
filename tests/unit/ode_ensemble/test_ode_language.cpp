// What formulas of a deck may say, against closed forms and on every way of evaluating them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

constexpr double pi = std::numbers::pi;
constexpr const char* evaluations[] = {"tree", "interpreted", "compiled"};

// Integrals of erf, erfc, floor, ceil and mod over time, at several ends.
TEST(OdeLanguage, FunctionsHaveTheirIntegrals) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations:\n    - x' = erf(s*t)\n    - y' = erfc(s*t)\n    - z' = floor(t) + 3*ceil(s*t)\n"
      "    - w' = mod(t, 0.75)\n    - q' = exp(-q)*erf(q)\n  initial: {x: 0, y: 0, z: 0, w: 0, q: 0.5}\n"
      "  sweep: [{name: s, values: [1, 2, -1]}]\n  solver: {method: dopri5, rtol: 1e-11, atol: 1e-11}\n"
      "  phase: {length: 3.5}\n  record: {final: [x, y, z, w, q]}\n  evaluation: ";
  const double end = 3.5, q = run_deck(self, deck + "tree")["result/q"][0];
  for (const char* evaluation : evaluations) {
    const DeckResult made = run_deck(self, deck + evaluation);
    for (std::size_t i = 0; i < 3; ++i) {
      const double s = made["sweep/s"][i];
      const double integral = end * std::erf(s * end) + (std::exp(-s * s * end * end) - 1) / (s * std::sqrt(pi));
      EXPECT_NEAR(made["result/x"][i], integral, 1e-10) << evaluation;
      EXPECT_NEAR(made["result/y"][i], end - integral, 1e-10) << evaluation;
      const double whole = 0 + 1 + 2 + 3 * 0.5, up = s > 1 ? (1 + 7) * 7 / 4.0 : s > 0 ? 1 + 2 + 3 + 2 : -3 * 0.5 - 3;
      EXPECT_NEAR(made["result/z"][i], whole + 3 * up, 2e-7) << evaluation;
      EXPECT_NEAR(made["result/w"][i], 4 * 0.75 * 0.75 / 2 + 0.5 * 0.5 / 2, 2e-8) << evaluation;
      EXPECT_NEAR(made["result/q"][i], q, 1e-11) << evaluation;
    }
  }
}

// The numbers of the other families, whatever evaluates them.
TEST(OdeLanguage, RandomNumbersAreTheSameEverywhere) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations:\n    - x' = random(s, 7)\n  initial: {x: 0}\n  sweep: [{name: s, values: [0.1, 0, "
      "2]}]\n"
      "  solver: {method: dopri5}\n  phase: {length: 2}\n  record: {final: [x]}\n  evaluation: ";
  for (const char* evaluation : evaluations)
    EXPECT_NEAR(run_deck(self, deck + evaluation)["result/x"][0], 2 * 0.1721825828520004, 1e-14) << evaluation;
}

}  // namespace
}  // namespace halocline::ode_ensemble
