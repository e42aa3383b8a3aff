// Steps of one size: which a stepper is asked for, where times to stop at are hit, and what a restart goes on with.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/unit/time/states.hpp"

namespace halocline {
namespace {

// Notes what it is asked for.
struct Noting final : TimeStepper {
  struct Call {
    double start, dt;
    Index steps;
  };
  std::vector<Call> calls;
  double limit = std::numeric_limits<double>::infinity();  // from t = `from` on
  double from = 0;
  Index advance(const Clock& clock, Index steps) override {
    Index made = 0;
    while (made < steps && (clock.at(made) < from || clock.dt <= limit)) ++made;
    if (made > 0) calls.push_back({clock.at(0), clock.dt, made});
    return made;
  }
  double allowed() const override { return limit; }
  Index group() const override { return 1; }
  void wait() const override {}
};

TEST(Stepping, MakesAsManyStepsAtOnceAsAllowed) {
  Noting noting;
  Stepping time(0.25);
  EXPECT_EQ(time.towards(noting, 2, 5), 5);
  EXPECT_EQ(time.time(), 1.25);
  EXPECT_EQ(time.towards(noting, 2, 5), 3);
  EXPECT_EQ(time.time(), 2);
  EXPECT_EQ(time.towards(noting, 2, 5), 0);
  ASSERT_EQ(noting.calls.size(), 2u);
  EXPECT_EQ(noting.calls[1].start, 1.25);
  EXPECT_EQ(noting.calls[1].steps, 3);
}

TEST(Stepping, HitsTimesBetweenStepsByAShorterOne) {
  Noting noting;
  Stepping time(0.25);
  EXPECT_EQ(time.towards(noting, 0.6, 10), 3);
  EXPECT_EQ(time.time(), 0.6);
  EXPECT_EQ(time.steps(), 3);
  ASSERT_EQ(noting.calls.size(), 2u);
  EXPECT_EQ(noting.calls[1].start, 0.5);
  EXPECT_EQ(noting.calls[1].dt, 0.6 - 0.5);
  // Full steps go on from there.
  time.towards(noting, 5, 2);
  EXPECT_EQ(noting.calls[2].start, 0.6);
  EXPECT_EQ(noting.calls[2].dt, 0.25);
  EXPECT_EQ(time.time(), 0.6 + 2 * 0.25);
}

TEST(Stepping, TimesDoNotDrift) {
  Noting noting;
  Stepping time(0.1);
  while (time.time() < 1000) time.towards(noting, 1000, 7);
  EXPECT_EQ(time.time(), 1000);  // hit, though 0.1 is no double
  EXPECT_EQ(time.steps(), 10000);
  for (const Noting::Call& call : noting.calls) EXPECT_EQ(call.dt, 0.1);
}

TEST(Stepping, ShortensStepsThatTheStateDoesNotAllow) {
  Noting noting;
  noting.limit = 0.1, noting.from = 0.5;
  Stepping time(0.25);
  EXPECT_EQ(time.towards(noting, 0.7, 2), 2);
  EXPECT_EQ(time.towards(noting, 0.7, 2), 2);
  ASSERT_EQ(noting.calls.size(), 3u);
  EXPECT_EQ(noting.calls[0].steps, 2);
  EXPECT_EQ(noting.calls[1].start, 0.5);
  EXPECT_EQ(noting.calls[1].dt, share_of_allowed * 0.1);
  EXPECT_EQ(time.towards(noting, 0.7, 9), 1);  // which is short enough to hit the time
  EXPECT_EQ(time.time(), 0.7);
  EXPECT_EQ(time.steps(), 5);
  // Saved between shortened steps, and full ones when they are allowed again.
  time.towards(noting, 2, 1);
  Memory memory;
  time.archive(memory);
  memory.reads = true;
  Stepping restored(0.25);
  restored.archive(memory);
  Noting again = noting;
  again.calls.clear();
  noting.limit = again.limit = 1;
  time.towards(noting, 2, 3);
  restored.towards(again, 2, 3);
  EXPECT_EQ(noting.calls.back().dt, 0.25);
  EXPECT_EQ(again.calls.back().start, 0.7 + share_of_allowed * 0.1);
  EXPECT_EQ(restored.time(), time.time());
}

TEST(Stepping, TellsWhenTheNumberOfStepsIsAMultiple) {
  Noting noting;
  Stepping time(0.5);
  EXPECT_EQ(time.next_multiple(4), 2);
  time.towards(noting, 10, 4);
  EXPECT_EQ(time.next_multiple(4), 4);
  time.towards(noting, 10, 1);
  EXPECT_EQ(time.next_multiple(4), 4);
}

// However many steps a caller allows at once.
TEST(Stepping, CountsStepsThatTheStateShortens) {
  const auto run = [](Index most) {
    Noting noting;
    noting.limit = 0.2, noting.from = 1.2;
    Stepping time(0.5);
    std::vector<double> reached;
    while (time.time() < 4) {
      time.towards(noting, std::min(4.0, time.next_multiple(4)), most);
      if (time.at_multiple()) reached.push_back(time.time());
    }
    return reached;
  };
  const std::vector<double> reached = run(1);
  ASSERT_EQ(reached.size(), 4U);  // after 4, 8, 12, 16 steps
  EXPECT_NEAR(reached[0], 1.68, 1e-12);
  EXPECT_NEAR(reached[1], 2.4, 1e-12);
  EXPECT_EQ(run(3), reached);
  EXPECT_EQ(run(100), reached);
}

TEST(Stepping, MakesNoStepForRounding) {
  Noting noting;
  Stepping time(0.1);
  time.towards(noting, 0.3, 10);
  EXPECT_EQ(time.towards(noting, 0.3 + 1e-12, 10), 0);
  EXPECT_EQ(time.time(), 0.3 + 1e-12);
  EXPECT_EQ(time.steps(), 3);
}

TEST(Stepping, GoesOnAfterARestartAsIfNothingHadHappened) {
  Noting noting, again, other_end;
  Stepping time(0.3), restored(0.3), finer(0.1);
  time.towards(noting, 1, 100);
  time.towards(noting, 7, 4);
  Memory memory;
  time.archive(memory);
  memory.reads = true;
  restored.archive(memory);
  finer.archive(memory);
  time.towards(noting, 7, 100);
  restored.towards(again, 7, 100);
  EXPECT_EQ(restored.time(), time.time());
  EXPECT_EQ(restored.steps(), time.steps());
  EXPECT_EQ(again.calls.front().start, noting.calls[3].start);
  // A step of another size begins where the saved one ended.
  finer.towards(other_end, 7, 1);
  EXPECT_EQ(other_end.calls.front().start, noting.calls[3].start);
  EXPECT_EQ(other_end.calls.front().dt, 0.1);
}

TEST(ControlledStepping, FindsTheStepForATolerance) {
  for (const double first : {1e-9, 0.5}) {
    Decaying state;
    Stepping time(first, true);
    while (time.time() < 3) time.towards(state, 3, 7);
    EXPECT_EQ(time.time(), 3);
    EXPECT_EQ(time.steps(), static_cast<Index>(state.made.size()));
    EXPECT_NEAR(state.c, std::exp(-3), 2e-5);
    // Errors c dt^3/12 of the tolerance, with some safety: steps grow as c^(-1/3).
    const double ideal = std::cbrt(12 * state.tolerance);
    EXPECT_NEAR(state.made[state.made.size() / 4] / ideal, 1, 0.35);
    EXPECT_LT(static_cast<double>(time.steps()), 115);
    EXPECT_LT(state.tried, time.steps() + 8);
  }
}

TEST(ControlledStepping, HitsTimesOfOutputAndGoesOnAsBefore) {
  Decaying state, plain;
  Stepping time(1e-3, true), alone(1e-3, true);
  for (int n = 1; n <= 40; ++n) {
    while (time.time() < 0.05 * n) time.towards(state, 0.05 * n, 3);
    EXPECT_EQ(time.time(), 0.05 * n);
  }
  while (alone.time() < 2) alone.towards(plain, 2, 3);
  EXPECT_NEAR(state.c, std::exp(-2), 2e-5);
  EXPECT_LT(time.steps(), alone.steps() + 85);  // two steps for most of the intervals
}

TEST(ControlledStepping, KeepsBelowWhatTheStateAllows) {
  Decaying state;
  state.largest = 0.004;
  Stepping time(0.1, true);
  time.towards(state, 1, 20);
  for (const double dt : state.made) EXPECT_LE(dt, state.largest);
  EXPECT_GT(state.made.back(), 0.5 * state.largest);
}

TEST(ControlledStepping, GoesOnAfterARestartWithTheSameSteps) {
  Decaying state;
  Stepping time(1e-4, true);
  time.towards(state, 5, 17);
  Memory memory;
  time.archive(memory);
  memory.reads = true;
  Decaying again = state;
  Stepping restored(7, true);
  restored.archive(memory);
  EXPECT_EQ(restored.next_multiple(5), time.next_multiple(5));
  time.towards(state, 5, 30);
  restored.towards(again, 5, 30);
  EXPECT_EQ(again.made, state.made);
  EXPECT_EQ(restored.time(), time.time());
}

TEST(ControlledStepping, EndsWhereNoStepIsGoodEnough) {
  Decaying state;
  state.c = std::numeric_limits<double>::quiet_NaN();
  Stepping time(0.1, true);
  try {
    time.towards(state, 1, 5);
    ADD_FAILURE();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("after any of them c is no number"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace halocline
