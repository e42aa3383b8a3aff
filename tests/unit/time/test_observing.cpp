// Times that are only looked at: no step changes, and the state shown there is that of a shorter step.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/unit/time/states.hpp"

namespace halocline {
namespace {

// c' = -c by steps of Euler, shorter ones where t lies in an interval.
struct Euler final : TimeStepper {
  double c = 1, kept = 0, limit = 0.03, from = 0.6, to = 0.8;
  std::vector<double> made;
  std::size_t kept_made = 0;
  Index advance(const Clock& clock, Index steps) override {
    for (Index n = 0; n < steps; ++n) {
      const double t = clock.at(n);
      if (t >= from && t < to && clock.dt > limit) return n;
      c -= clock.dt * c;
      made.push_back(t);
    }
    return steps;
  }
  double allowed() const override { return limit; }
  void mark(bool) override { kept = c, kept_made = made.size(); }
  void undo(bool done) override {
    if (done) c = kept, made.resize(kept_made);
  }
  Index group() const override { return 1; }
  void wait() const override {}
};

template <class State>
struct Observed {
  State state;
  Stepping time;
  std::map<double, double> seen;
  Observed(State start, Stepping from, double end, const std::vector<double>& times, Index most)
      : state(std::move(start)), time(std::move(from)) {
    time.hold_before(end);
    for (const double at : times) advance(at, end, most);
    advance(end, end, most);
  }
  void advance(double at, double end, Index most) {
    for (int calls = 0; time.time() < at && calls < 10000; ++calls) {
      const double before = time.time();
      time.observe(state, at, end, most);
      EXPECT_GE(time.time(), before);
    }
    EXPECT_EQ(time.time(), at);
    seen[at] = state.c;
  }
};

TEST(Observing, ChangesNoStep) {
  Euler plain;
  Stepping alone(0.1);
  while (alone.time() < 1.25) alone.towards(plain, 1.25, 5);
  for (const Index most : {1, 3, 100}) {
    const std::vector<double> times{0.01, 0.05, 0.1, 0.30000001, 0.3005, 0.61, 0.62, 0.7, 0.88, 1.2, 1.24};
    const Observed<Euler> run({}, Stepping(0.1), 1.25, times, most);
    EXPECT_EQ(run.state.c, plain.c);
    EXPECT_EQ(run.state.made, plain.made);
    EXPECT_EQ(run.time.steps(), alone.steps());
    EXPECT_EQ(run.time.time(), 1.25);
    EXPECT_EQ(run.seen.size(), times.size() + 1);
    // Steps of Euler are straight lines.
    EXPECT_DOUBLE_EQ(run.seen.at(0.05), 0.95);
    EXPECT_DOUBLE_EQ(run.seen.at(0.1), 0.9);
    for (const auto& [t, c] : run.seen) EXPECT_NEAR(c, std::exp(-t), 0.03) << t;
  }
}

// However many steps a call may take, a time next to the end is the end: what is shown must not hang on slices.
TEST(Observing, TakesATimeNextToTheEndForTheEnd) {
  for (const Index most : {1, 2, 100}) {
    Euler state;
    Stepping time(1e-3 / 3);
    time.hold_before(1e-3);
    for (const double at : {0.0003333333333, 0.0006666666666, 0.0009999999999})
      for (int calls = 0; time.time() < at && calls < 10; ++calls) time.observe(state, at, 1e-3, most);
    EXPECT_EQ(time.time(), 1e-3) << most;
  }
}

// The times of steps of 0.1 are 0.30000000000000004, 0.6000000000000001 and 0.7000000000000001.
TEST(Observing, ShowsTimesOfStepsAsTheyWereAskedFor) {
  for (const Index most : {1, 2, 3, 100}) {
    Euler state;
    Stepping time(0.1);
    time.hold_before(1);
    for (const double at : {0.3, 0.6, 0.7, 0.9}) {
      for (int calls = 0; time.time() < at && calls < 10; ++calls) time.observe(state, at, 1, most);
      EXPECT_EQ(time.time(), at) << most;
    }
  }
}

TEST(Observing, ChangesNoStepThatErrorsChoose) {
  for (const double first : {1e-3, 0.5})  // the second one is refused until it is shorter than the first time
    for (const bool erratic : {false, true}) {
      Decaying plain;
      plain.erratic = erratic;
      Stepping alone(first, true);
      while (alone.time() < 2) alone.towards(plain, 2, 3);
      std::vector<double> times{0.05};
      for (int n = 3; n < 90; ++n) times.push_back(0.0211 * n);
      for (const Index most : {1, 50}) {
        Decaying state;
        state.erratic = erratic;
        const Observed<Decaying> run(state, Stepping(first, true), 2, times, most);
        EXPECT_EQ(run.state.c, plain.c);
        EXPECT_EQ(run.state.made, plain.made);
        EXPECT_EQ(run.time.steps(), alone.steps());
        EXPECT_EQ(run.seen.size(), times.size() + 1);
        for (const auto& [t, c] : run.seen) EXPECT_NEAR(c, std::exp(-t), erratic ? 1e-3 : 2e-5) << t;
      }
    }
}

TEST(Observing, SavesTheLastWholeStep) {
  Euler state;
  Stepping time(0.1), restored(0.1);
  time.observe(state, 0.25, 1, 100);
  const double shown = state.c;
  Memory memory;
  double saved = 0;
  time.with_whole_step(state, memory, [&] {
    time.archive(memory);
    saved = state.c;
  });
  EXPECT_EQ(time.time(), 0.25);
  EXPECT_EQ(state.c, shown);
  EXPECT_NEAR(saved, 0.81, 1e-15);
  memory.reads = true;
  Euler again;
  again.c = saved;
  restored.with_whole_step(again, memory, [&] { restored.archive(memory); });
  EXPECT_EQ(restored.time(), 0.25);  // what is shown is shown again
  EXPECT_EQ(again.c, shown);
  restored.towards(again, 1, 1);
  EXPECT_DOUBLE_EQ(restored.time(), 0.3);
}

TEST(Observing, ShowsAgainWhatCouldNotBeSaved) {
  Euler state;
  Stepping time(0.1);
  time.observe(state, 0.25, 1, 100);
  const double shown = state.c;
  Memory memory;
  const auto fails = [] { throw MachineError("the disk is full"); };
  EXPECT_THROW(time.with_whole_step(state, memory, fails), MachineError);
  EXPECT_EQ(time.time(), 0.25);
  EXPECT_EQ(state.c, shown);
}

TEST(Observing, NeverGoesBackAfterARestartBeforeTheEnd) {
  Euler state, again;
  Stepping time(0.1), restored(0.1);
  time.hold_before(1);
  restored.hold_before(1);
  time.observe(state, 0.95, 1, 100);
  EXPECT_TRUE(time.held());
  time.observe(state, 0.95, 1, 100);
  EXPECT_EQ(time.time(), 0.95);
  Memory memory;
  time.with_whole_step(state, memory, [&] {
    time.archive(memory);
    again.c = state.c;
  });
  memory.reads = true;
  restored.with_whole_step(again, memory, [&] { restored.archive(memory); });
  EXPECT_EQ(restored.time(), 0.95);
  restored.observe(again, 0.97, 1, 100);
  EXPECT_EQ(restored.time(), 0.97);
}

}  // namespace
}  // namespace halocline
