// How systems move, through decks and against exact values: steps of any unit, events of functions that jump, bounces,
// friction, integrals.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

constexpr double pi = std::numbers::pi;

// x = cos t, with events where functions jump and where one does not.
std::string jumps_deck(const std::string& evaluation, const std::string& solver) {
  const char* const names[] = {"late", "jump", "rise", "smooth", "later"};
  std::string accumulators, counts, times;
  for (const std::string name : names) {
    accumulators += "    n_" + name + ": {count: " + name + "}\n    t_" + name + ": {value: t, at: " + name + "}\n";
    counts += (counts.empty() ? "" : ", ") + ("n_" + name + ", t_" + name);
  }
  return "ode_ensemble:\n  evaluation: " + evaluation +
         "\n  equations: [\"x' = v\", \"v' = -x\"]\n  initial: {x: 1, v: 0}\n"
         "  sweep: [{name: p, values: [0.5, 0.25, -0.75]}]\n  events:\n"
         "    - {name: late, crossing: 'if(t < 2.5, -1, 1)'}\n    - {name: jump, crossing: sign(x - p)}\n"
         "    - {name: rise, crossing: step(x - p) - 0.5, direction: rising}\n    - {name: smooth, crossing: x - p}\n"
         "    - {name: later, crossing: 'if(t < 2.75, 3 + t, -7)'}\n  accumulators:\n" +
         accumulators + "  solver: " + solver + "\n  phase: {length: 20}\n  record: {final: [" + counts + "]}\n";
}

TEST(OdeMotion, JumpsOfEventFunctionsAreFoundOnce) {
  const Communicator self(MPI_COMM_SELF);
  const auto check = [&](const std::string& evaluation, const std::string& solver, double limit) {
    const DeckResult made = run_deck(self, jumps_deck(evaluation, solver));
    for (std::size_t i = 0; i < 3; ++i) {
      const auto value = [&](const std::string& name) { return made["result/" + name][i]; };
      const double first = std::acos(made["sweep/p"][i]);
      int crossings = 0, rises = 0;
      double last = 0, last_rise = 0;
      for (int turn = 0; turn < 4; ++turn) {
        if (2 * pi * turn + first < 20) ++crossings, last = 2 * pi * turn + first;
        const double up = 2 * pi * (turn + 1) - first;
        if (up < 20) ++crossings, ++rises, last = last_rise = up;
      }
      EXPECT_EQ(value("n_late"), 1) << evaluation << solver;
      EXPECT_NEAR(value("t_late"), 2.5, 1e-15) << evaluation << solver;
      EXPECT_EQ(value("n_later"), 1) << evaluation << solver;
      EXPECT_NEAR(value("t_later"), 2.75, 1e-15) << evaluation << solver;
      EXPECT_EQ(value("n_jump"), crossings) << evaluation << solver;
      EXPECT_NEAR(value("t_jump"), last, limit) << evaluation << solver;
      EXPECT_EQ(value("n_rise"), rises) << evaluation << solver;
      EXPECT_NEAR(value("t_rise"), last_rise, limit) << evaluation << solver;
      EXPECT_EQ(value("n_smooth"), crossings) << evaluation << solver;
      EXPECT_NEAR(value("t_smooth"), last, limit) << evaluation << solver;
      EXPECT_EQ(made["/status"][i], 0) << evaluation << solver;
    }
  };
  for (const char* evaluation : {"tree", "interpreted", "compiled"})
    check(evaluation, "{method: rkck45, rtol: 1e-12, atol: 1e-12}", 1e-10);
  check("interpreted", "{method: dopri5, rtol: 1e-12, atol: 1e-12}", 1e-10);
  check("interpreted", "{method: rk4, step: 0.25}", 1e-2);  // steps end exactly at 2.5 and 2.75
  const std::string deck = jumps_deck("interpreted", "{rtol: 1e-8, atol: 1e-8}");
  const DeckResult whole = run_deck(self, deck);
  expect_same_bits(run_deck(self, deck, {{make_omp_executor(3)}, {}}), whole);
  expect_same_bits(run_deck(self, deck, {{make_omp_executor(1), make_emulated_executor(2, true)}, {}}), whole);
}

// Bounces follow ever faster until t = sqrt(2/g) (1 + r)/(1 - r); what comes then is beyond the equations.
TEST(OdeMotion, BouncesThatAccumulateEndInRestOrByName) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"y' = v\", \"v' = -9.81\"]\n  initial: {y: 1, v: 0}\n  evaluation: interpreted\n"
      "  sweep: [{name: r, values: [0.1, 0.3, 0.5, 0.9]}, {name: beyond, values: [0.9, 1.01, 2]}]\n"
      "  phase: {length: beyond*sqrt(2/9.81)*(1 + r)/(1 - r)}\n  record: {final: [y, v]}\n"
      "  events:\n    - name: impact\n      crossing: y\n      direction: falling\n      then: [y = 0, v = -r*v]\n";
  for (const char* method : {"rkck45", "dopri5"}) {
    const std::string solver = std::string("  solver: {method: ") + method + "}\n";
    const DeckResult made = run_deck(self, deck + solver);
    const DeckResult rests =
        run_deck(self, deck + "      rest: {speed: v, below: 1e-5, hold: [y, v], until: -1}\n" + solver);
    for (std::size_t i = 0; i < 12; ++i) {
      const bool beyond = made["sweep/beyond"][i] > 1;
      EXPECT_EQ(made["/status"][i], beyond ? 128 : 0) << i;
      EXPECT_EQ(std::isnan(made["result/y"][i]), beyond) << i;
      EXPECT_EQ(rests["/status"][i], 0) << i;
      EXPECT_GE(rests["result/y"][i], -1e-12) << i;
      if (beyond) {
        EXPECT_EQ(rests["result/v"][i], 0) << i;
      }
    }
    EXPECT_NE(made.findings.failure.find("8 met events that follow ever faster"), std::string::npos)
        << made.findings.failure;
  }
}

// A mass on a spring and a belt of speed u, with friction: x'' = -x - kinetic sign(v - u), sticking up to |x| = 1. By
// hand: arcs of circles about x = kinetic, then straight lines. From rest at x = 0.
std::array<double, 2> belt_by_hand(double u, double kinetic, double end) {
  double t = 0, d = -kinetic, v = 0;
  for (;;) {
    const double speed = std::hypot(d, v), from = std::atan2(-d, v);  // the speed after s: speed cos(s - from)
    double slip = speed > u ? from - std::acos(u / speed) : 2 * end;  // it may never be as fast as the belt
    while (slip <= 1e-9) slip += 2 * pi;
    if (t + slip > end)
      return {kinetic + d * std::cos(end - t) + v * std::sin(end - t), -d * std::sin(end - t) + v * std::cos(end - t)};
    const double x = kinetic + d * std::cos(slip) + v * std::sin(slip);
    t += slip;
    const double stick = (1 - x) / u;
    if (t + stick > end) return {x + u * (end - t), u};
    t += stick;
    d = 1 - kinetic, v = u;
  }
}

TEST(OdeMotion, DryFrictionSticksAndSlips) {
  const Communicator self(MPI_COMM_SELF);
  const auto deck = [](const std::string& evaluation, const std::string& more) {
    return "ode_ensemble:\n  evaluation: " + evaluation + "\n" + more +
           "  sweep: [{name: u, values: [0.3, 0.5, 0.8]}]\n" +
           "  solver: {rtol: 1e-10, atol: 1e-10}\n  repeat: {record: 40}\n  phase: {length: 0.75}\n"
           "  record: {each_phase: [x, v]}\n";
  };
  const std::string absolute =
      "  equations: [\"x' = v\", \"v' = -x - 0.6*sign(v - u)\"]\n  initial: {x: 0, v: 0}\n  events:\n"
      "    - {name: same, crossing: v - u, rest: {speed: v - u, below: 1e-5, hold: [v], until: abs(x) - 1}}\n";
  const std::string relative =
      "  equations: [\"x' = w + u\", \"w' = -x - 0.6*sign(w)\", \"v' = 0\"]\n  initial: {x: 0, w: -u, v: 0}\n  "
      "events:\n"
      "    - {name: same, crossing: w, rest: {speed: w, below: 1e-5, hold: [w], until: abs(x) - 1}}\n";
  for (const char* evaluation : {"tree", "interpreted", "compiled"})
    for (const std::string& form : {absolute, relative}) {
      const bool moves = form == absolute;
      if (!moves && std::string(evaluation) == "compiled") continue;
      const DeckResult made = run_deck(self, deck(evaluation, form));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 40; ++k) {
          const auto exact = belt_by_hand(made["sweep/u"][i], 0.6, 0.75 * static_cast<double>(k + 1));
          EXPECT_NEAR(made["result/x"][40 * i + k], exact[0], 1e-6) << evaluation << i << " " << k;
          if (moves) {
            EXPECT_NEAR(made["result/v"][40 * i + k], exact[1], 1e-6) << evaluation << i << " " << k;
          }
        }
      EXPECT_EQ(made.findings.failure, "") << evaluation;
    }
  // Leaving the belt is no event: the mass comes back to it as often as by hand.
  for (const char* method : {"rkck45", "dopri5", "ros23", "rodas5p"}) {
    const DeckResult counted =
        run_deck(self, "ode_ensemble:\n  evaluation: interpreted\n" + absolute +
                           "  accumulators: {n: {count: same}, last: {value: t, at: same}}\n  constants: {u: 0.5}\n"
                           "  solver: {rtol: 1e-8, atol: 1e-8, method: " +
                           method + "}\n  phase: {length: 60}\n  record: {final: [n, last]}\n");
    EXPECT_EQ(counted["result/n"][0], 10) << method;
    EXPECT_NEAR(counted["result/last"][0], 59.6518, 1e-3) << method;
  }
  // Without a belt every half turn takes 2 * 0.6 from the amplitude, until it is below 1: 7.3, 6.1, ... 1.3, 0.1.
  const std::string still =
      "  equations: [\"x' = v\", \"v' = -x - 0.6*sign(v)\"]\n  initial: {x: 6.8 + u, v: 0}\n  events:\n"
      "    - {name: turn, crossing: v, rest: {speed: v, below: 1e-5, hold: [v], until: abs(x) - 1}}\n";
  const DeckResult made = run_deck(self, deck("interpreted", still));
  EXPECT_NEAR(made["result/x"][79], 0.1, 1e-7);
  EXPECT_EQ(made["result/v"][79], 0);
}

// A mass that sticks until the force on it, a function of time, exceeds 1 for a moment: held states bring no errors, so
// steps grow, and must not leap over that moment. By hand: parabolas and sines, switched at roots.
TEST(OdeMotion, RestsEndByForcesOfTime) {
  const Communicator self(MPI_COMM_SELF);
  const std::array<double, 4> exact = {0.2907715297713, 0.3078334706380, 0.3353809331322, 0.4459292114175};
  for (const char* method : {"rkck45", "rodas5p"}) {
    const DeckResult made = run_deck(
        self, std::string("ode_ensemble:\n  evaluation: interpreted\n"
                          "  sweep: [{name: F, values: [1.02, 1.05, 1.1, 1.3]}]\n"
                          "  equations: [\"x' = v\", \"v' = F*cos(t) - sign(v)\"]\n  initial: {x: 0, v: 0.3}\n"
                          "  events:\n    - {name: stop, crossing: v, rest: {speed: v, below: 1e-5, hold: [v], until: "
                          "abs(F*cos(t)) - 1}}\n  accumulators: {n: {count: stop}}\n"
                          "  solver: {rtol: 1e-10, atol: 1e-10, method: ") +
                  method + "}\n  phase: {length: 60}\n  record: {final: [x, n]}\n");
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(made["result/n"][i], 19) << method << i;
      EXPECT_NEAR(made["result/x"][i], exact[i], 1e-7) << method << i;
    }
  }
}

TEST(OdeMotion, IntegralsAreAsExactAsStates) {
  const Communicator self(MPI_COMM_SELF);
  const auto deck = [](const std::string& solver) {
    return "ode_ensemble:\n  equations: [\"x' = -x\"]\n  initial: {x: 1}\n  evaluation: interpreted\n"
           "  sweep: [{name: w, values: [3, 26.2]}]\n  phase: {length: 10}\n  record: {final: [x, area, average]}\n"
           "  accumulators:\n    area: {integral: x*sin(w*t)}\n    average: {mean: x*cos(w*t)}\n  solver: {" +
           solver + "}\n";
  };
  const auto worst = [&](const DeckResult& made) {
    double error = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double w = made["sweep/w"][i], e = std::exp(-10.0), c = std::cos(10 * w), s = std::sin(10 * w);
      error = std::max(error, std::abs(made["result/area"][i] - (w - e * (w * c + s)) / (1 + w * w)));
      error = std::max(error, std::abs(made["result/average"][i] - (1 + e * (w * s - c)) / (1 + w * w) / 10));
    }
    return error;
  };
  for (const char* method : {"method: rkck45", "method: dopri5", "method: dopri5, controller: rms"}) {
    const std::string solver = method;
    EXPECT_LT(worst(run_deck(self, deck(solver))), 1e-6) << method;
    EXPECT_LT(worst(run_deck(self, deck(solver + ", rtol: 1e-4, atol: 1e-5"))), 1e-2) << method;
    EXPECT_LT(worst(run_deck(self, deck(solver + ", rtol: {x: 1e-4}, atol: {x: 1e-4, area: 1e-10, average: 1e-10}"))),
              1e-7)
        << method;
    EXPECT_GT(worst(run_deck(self, deck(solver + ", rtol: 1e-6, atol: 1e-6, integrals: free"))), 1e-4) << method;
  }
  EXPECT_NE(deck_faults(deck("integrals: free, rtol: {area: 1e-4}")).find("'area' is no state"), std::string::npos);
  // Free ones leave the steps of the states alone.
  const DeckResult free = run_deck(self, deck("integrals: free"));
  const std::string plain = deck("");
  const std::size_t from = plain.find("  accumulators:"), to = plain.find("  solver:");
  std::string none = plain.substr(0, from) + plain.substr(to);
  none.replace(none.find("[x, area, average]"), 18, "[x]");
  EXPECT_EQ(run_deck(self, none)["result/x"], free["result/x"]);
}

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

// Amplitudes below atol are nobody's business: told, and right with a smaller atol.
TEST(OdeMotion, StatesBelowTheirToleranceAreNoticed) {
  const Communicator self(MPI_COMM_SELF);
  const auto deck = [](const std::string& solver) {
    return "ode_ensemble:\n  equations: [\"x' = v\", \"v' = -x\"]\n  initial: {x: a, v: 0}\n  evaluation: interpreted\n"
           "  sweep: [{name: a, values: [1, 1e-10, 1e-13]}]\n  phase: {length: 20}\n  record: {final: [x]}\n"
           "  solver: {" +
           solver + "}\n";
  };
  const auto below = [](const DeckResult& made) {
    for (const Finding& one : made.findings.list)
      if (one.name == "below_atol") return one.value;
    return 0.0;
  };
  EXPECT_EQ(below(run_deck(self, deck(""))), 2);
  EXPECT_EQ(below(run_deck(self, deck("atol: 1e-12"))), 1);
  EXPECT_EQ(below(run_deck(self, deck("method: rk4, step: 0.1"))), 0);
  for (const char* solver : {"atol: 1e-17, rtol: 1e-4", "atol: 1e-25, controller: rms"}) {
    const DeckResult made = run_deck(self, deck(solver));
    EXPECT_EQ(below(made), 0) << solver;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(made["result/x"][i] / made["sweep/a"][i], std::cos(20.0), 1e-2) << solver;
  }
}

// Equations and assignments as a list or by name.
TEST(OdeMotion, EquationsMayComeByName) {
  const Communicator self(MPI_COMM_SELF);
  const std::string rest =
      "  initial: {y: 1, v: 0}\n  evaluation: interpreted\n  phase: {length: 2}\n  record: {final: [y, v]}\n"
      "  events:\n    - name: impact\n      crossing: y\n      direction: falling\n      then: ";
  const DeckResult list =
      run_deck(self, "ode_ensemble:\n  equations: [\"y' = v\", \"v' = -1\"]\n" + rest + "[y = 0, v = -0.5*v]\n");
  for (const char* equations : {"{y: v, v: -1}", "{\"y'\": v, v: \"-1\"}"}) {
    const DeckResult named =
        run_deck(self, std::string("ode_ensemble:\n  equations: ") + equations + "\n" + rest + "{y: 0, v: -0.5*v}\n");
    expect_same_bits(named, list);
  }
  EXPECT_NE(deck_faults("ode_ensemble:\n  equations: {y: v, v: w}\n" + rest + "{y: 0}\n").find("unknown name 'w'"),
            std::string::npos);
}

}  // namespace
}  // namespace halocline::ode_ensemble
