// Output at given times: against closed forms, and steps are what they are without it, on any layout and after a
// restart.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/unit/memory_archive.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

// w x = sin(w t), y = 1/(1 + t), their energy, and the integral and mean of cos(w t).
std::string wave_deck(const std::string& solver, const std::string& evaluation, const std::string& at_times) {
  return "ode_ensemble:\n  equations: [\"x' = v\", \"v' = -w^2*x\", \"y' = -y^2\"]\n  initial: {x: 0, v: 1, y: 1}\n"
         "  sweep: [{name: w, values: [0.5, 1, 3]}]\n  definitions: [energy = v^2 + (w*x)^2, product = x*y + t]\n"
         "  accumulators: {sum: {integral: cos(w*t), keep: true}, average: {mean: v}}\n"
         "  phase: {length: 2}\n  repeat: {transient: 2, record: 3}\n  solver: {method: " +
         solver + "}\n  evaluation: " + evaluation + "\n  record:\n    each_phase: [x, sum]\n" +
         (at_times.empty() ? "" : "    at_times: " + at_times + "\n");
}

struct Way {
  const char *solver, *evaluation;
  double limit;
};
constexpr Way ways[] = {{"dopri5, rtol: 1e-10, atol: 1e-10", "tree", 1e-8},
                        {"dopri5, rtol: 1e-10, atol: 1e-10", "interpreted", 1e-8},
                        {"dopri5, rtol: 1e-10, atol: 1e-10", "compiled", 1e-8},
                        {"rkck45, rtol: 1e-10, atol: 1e-10", "interpreted", 1e-8},
                        {"rkck45, rtol: 1e-10, atol: 1e-10, controller: rms", "interpreted", 1e-8},
                        {"rodas5p, rtol: 1e-10, atol: 1e-10", "interpreted", 1e-8},
                        {"rodas5p, rtol: 1e-10, atol: 1e-10", "compiled", 1e-8},
                        {"ros23, rtol: 1e-8, atol: 1e-8", "interpreted", 5e-5},
                        {"auto, rtol: 1e-10, atol: 1e-10", "interpreted", 1e-8},
                        {"rk4, step: 0.02", "interpreted", 5e-6}};

TEST(OdeTimes, ValuesAreExactAndStepsAsWithoutThem) {
  const Communicator self(MPI_COMM_SELF);
  for (const Way& way : ways) {
    const std::string what = std::string(way.solver) + ", " + way.evaluation;
    const DeckResult made =
        run_deck(self, wave_deck(way.solver, way.evaluation,
                                 "{from: 0, to: 10, points: 41, values: [x, y, energy, sum, average, product]}"));
    ASSERT_EQ(made["times/t"].size(), 41u);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 41; ++k) {
        const double w = made["sweep/w"][i], t = made["times/t"][k];
        const auto near = [&](const char* name, double value) {
          EXPECT_NEAR(made[std::string("times/") + name][41 * i + k], value, way.limit)
              << what << " " << name << " " << t;
        };
        EXPECT_EQ(t, 0.25 * static_cast<double>(k));
        near("x", std::sin(w * t) / w);
        near("y", 1 / (1 + t));
        near("energy", 1);
        near("sum", std::sin(w * t) / w);
        near("product", std::sin(w * t) / w / (1 + t) + t);
        const double begin = k == 0 ? 0 : 2 * std::ceil(t / 2 - 1e-9) - 2;  // ends of phases belong to them
        if (k > 0) near("average", (std::sin(w * t) - std::sin(w * begin)) / w / (t - begin));
      }
    const DeckResult plain = run_deck(self, wave_deck(way.solver, way.evaluation, ""));
    for (const auto& [name, values] : plain.columns)
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::string(way.solver).starts_with("rk4")) {
          EXPECT_NEAR(values[i], made[name][i], 1e-12) << what << name;
        } else {
          EXPECT_EQ(std::bit_cast<Index>(values[i]), std::bit_cast<Index>(made[name][i])) << what << name << i;
        }
      }
  }
}

// The error inside steps has the order of the method: with steps half as large it is 16 times smaller at least.
TEST(OdeTimes, OrderInsideSteps) {
  const Communicator self(MPI_COMM_SELF);
  for (const auto& [method, order] :
       {std::pair{"rk4, step: ", 4}, std::pair{"dopri5, rtol: 0.9, atol: 1e9, first_step: S, max_step: ", 4},
        std::pair{"rkck45, rtol: 0.9, atol: 1e9, first_step: S, max_step: ", 5}}) {
    double errors[2];
    for (int half = 0; half < 2; ++half) {
      const std::string step = half == 0 ? "0.2" : "0.1";
      std::string solver = method + step;
      if (const auto at = solver.find("S,"); at != std::string::npos) solver.replace(at, 1, step);
      const DeckResult made = run_deck(self, wave_deck(solver, "tree", "{from: 0, to: 10, points: 173, values: [x]}"));
      double& worst = errors[half] = 0;
      for (std::size_t k = 0; k < 173; ++k)
        worst = std::max(worst, std::abs(made["times/x"][2 * 173 + k] - std::sin(3 * made["times/t"][k]) / 3));
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), order - 0.4) << method << errors[0];
  }
}

// A ball that falls from 1 at the system's own start and bounces with all its speed; times before the start and after
// the end have no values.
TEST(OdeTimes, BetweenEventsFromTheStartToTheEnd) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"y' = v\", \"v' = -2\"]\n  initial: {y: 1, v: 0}\n"
      "  sweep: [{name: s, values: [-1, 0, 0.5]}]\n  events: [{name: hit, crossing: y, direction: falling, then: {v: "
      "-v}}]\n"
      "  accumulators: {hits: {count: hit, keep: true}}\n  phase: {start: s, length: 0.8}\n"
      "  repeat: {transient: 3, record: 4}\n  record: {at_times: {from: 0, to: 8, points: 81, values: [y, hits]}}\n"
      "  evaluation: interpreted\n  solver: {rtol: 1e-10, atol: 1e-10, method: ";
  for (const char* method : {"dopri5", "rkck45", "rodas5p"}) {
    const DeckResult made = run_deck(self, deck + method + "}\n");
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 81; ++k) {
        const double t = made["times/t"][k] - made["sweep/s"][i], value = made["times/y"][81 * i + k];
        if (t < -1e-9 || t > 5.6 + 1e-9) {
          EXPECT_TRUE(std::isnan(value)) << t;
          continue;
        }
        const double since = t - 2 * std::round(t / 2);  // of the highest point
        EXPECT_NEAR(value, 1 - since * since, 1e-8) << method << t;
        if (std::abs(std::abs(since) - 1) > 1e-6) {
          EXPECT_EQ(made["times/hits"][81 * i + k], std::round(t / 2)) << method << t;
        }
      }
  }
}

// Times that are close together beside the length of the phase.
TEST(OdeTimes, SmallTimesInLongPhases) {
  const Communicator self(MPI_COMM_SELF);
  for (const char* method : {"rodas5p", "ros23", "auto"}) {
    const DeckResult made = run_deck(
        self,
        std::string("ode_ensemble:\n  equations: [\"x' = -1e6*(x - y)\", \"y' = -1e-8*y\"]\n  initial: {x: 2, y: 1}\n"
                    "  sweep: [{name: s, values: [0, 1]}]\n  evaluation: interpreted\n  phase: {length: 1e9}\n"
                    "  record: {at_times: {times: [0, 1e-12, 1e-9, 3e-8, 1e-7, 5e-7, 1e-6, 2e-6, 1e-3, 1e9], "
                    "values: [x]}}\n  solver: {rtol: 1e-8, atol: 1e-8, first_step: 1e-7, method: ") +
            method + "}\n");
    const std::vector<double>& t = made["times/t"];
    for (std::size_t k = 0; k < 2 * t.size(); ++k) {
      const double at = t[k % t.size()];
      EXPECT_NEAR(made["times/x"][k], std::exp(-1e-8 * at) + std::exp(-1e6 * at), 1e-5) << method << " " << at;
    }
  }
}

// Times are x = t - start to rounding: in short phases long after the time 0, and after many phases, whose lengths add
// up to less than their number times the length.
TEST(OdeTimes, EndsOfPhasesByRoundingAlone) {
  const Communicator self(MPI_COMM_SELF);
  const std::string begin =
      "ode_ensemble:\n  equations: [\"x' = 1 + 0*t\"]\n  initial: {x: 0}\n  sweep: [{name: s, values: [0]}]\n  "
      "evaluation: interpreted\n  ";
  for (const char* restart : {"false", "true"}) {
    const std::string phase = std::string("restart_time: ") + restart + ", ";
    for (const char* method : {"dopri5", "rk4, step: 2^-14"}) {
      const DeckResult late =
          run_deck(self, begin + "phase: {" + phase +
                             "start: 2^30, length: 2^-10}\n  repeat: {record: 8}\n  solver: {method: " + method +
                             "}\n  record: {at_times: {from: 2^30, to: 2^30 + 2^-7, points: 33, values: [x]}}\n");
      for (std::size_t k = 0; k < 33; ++k)
        EXPECT_NEAR(std::ldexp(late["times/x"][k], 12), static_cast<double>(k), 1e-2) << method << restart;
    }
    const DeckResult many =
        run_deck(self, begin + "phase: {" + phase +
                           "length: 0.3}\n  repeat: {record: 75000}\n  solver: {method: rk4, step: 0.3}\n"
                           "  record: {at_times: {times: [0.3, 0.9, 22499.7, 22500], values: [x]}}\n");
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(many["times/x"][k], many["times/t"][k], 1e-6) << restart;
    const DeckResult zero =
        run_deck(self, begin + "phase: {" + phase +
                           "start: -100, length: 0.1}\n  repeat: {record: 1000}\n  solver: {method: rk4, step: 0.1}\n"
                           "  record: {at_times: {times: [-100, -99.9, -50, -0.1, 0], values: [x]}}\n");
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(zero["times/x"][k], 100 + zero["times/t"][k], 1e-9) << restart;
  }
}

// At an event the value is that before it, also where its time is known to rounding alone and where it ends the run.
TEST(OdeTimes, EndsAtEvents) {
  const Communicator self(MPI_COMM_SELF);
  for (const char* phase : {"length: 20}", "ends: hit, at_most: 20}"}) {
    const DeckResult made = run_deck(
        self, std::string(
                  "ode_ensemble:\n  equations: [\"x' = -v + 0*t\", \"n' = 0\"]\n  initial: {x: 1, n: 0}\n"
                  "  sweep: [{name: v, values: [7, pi, 3, 2.2, 1.7, 1, 0.7, 0.3, 0.1]}]\n"
                  "  events: [{name: hit, crossing: x, direction: falling, then: [x = 1, n = n + 1]}]\n"
                  "  record: {at_times: {times: [1/7, 1/pi, 1/3, 1/2.2, 1/1.7, 1, 1/0.7, 1/0.3, 10], values: [x, n]}}\n"
                  "  evaluation: interpreted\n  solver: {method: dopri5}\n  phase: {") +
                  phase + "\n");
    for (std::size_t k = 0; k < 9; ++k) {
      EXPECT_NEAR(made["times/x"][9 * k + k], 0, 1e-12) << phase << k;
      EXPECT_EQ(made["times/n"][9 * k + k], 0) << phase << k;
    }
  }
}

// Where phases restart the time, times go on.
TEST(OdeTimes, GoOnWherePhasesBeginAgain) {
  const Communicator self(MPI_COMM_SELF);
  const DeckResult made =
      run_deck(self,
               "ode_ensemble:\n  equations: [x' = t]\n  initial: {x: 0}\n  evaluation: interpreted\n"
               "  sweep: [{name: s, values: [0, 2]}]\n  phase: {start: s, length: 1, restart_time: true}\n"
               "  solver: {method: dopri5}\n  repeat: {record: 3}\n"
               "  record: {at_times: {times: [2, 2.25, 2.5, 3, 4.5], values: [x]}}\n");
  const double first[] = {1, 1 + 1.0 / 32, 1.125, 1.5, NAN},
               second[] = {0, 0.25 * 2.125, 0.5 * 2.25, 2.5, 5 + 0.5 * 2.25};
  for (std::size_t k = 0; k < 5; ++k) {
    if (k < 4) {
      EXPECT_NEAR(made["times/x"][k], first[k], 1e-9);
    }
    EXPECT_NEAR(made["times/x"][5 + k], second[k], 1e-9);
  }
  EXPECT_TRUE(std::isnan(made["times/x"][4]));
}

TEST(OdeTimes, BitsDoNotDependOnLayoutsNorRestarts) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = v\", \"v' = mu*(1 - x^2)*v - x\"]\n  initial: {x: 2, v: 0}\n"
      "  sweep: [{name: mu, from: 0, to: 20, points: 67}]\n  phase: {length: 5}\n  repeat: {record: 20}\n"
      "  solver: {method: auto, rtol: 1e-7, atol: 1e-7}\n  definitions: [\"r = hypot(x, v)\"]\n  evaluation: "
      "interpreted\n"
      "  record: {each_phase: [r], at_times: {from: 0, to: 100, points: 333, values: [x, r]}}\n";
  const DeckResult reference = run_deck(self, deck);
  for (const auto& executors : {std::vector{make_omp_executor(1)}, std::vector{make_omp_executor(3)},
                                std::vector{make_omp_executor(2), make_emulated_executor(2, true)}})
    expect_same_bits(run_deck(world, deck, {executors}), reference);
  if (world.size() > 1) return;
  MemoryArchive archive;
  run_deck(self, deck, {}, "deck.yaml", nullptr, [&archive](Problem& problem) {
    problem.archive(archive);
    return false;
  });
  archive.restore_from_now_on();
  expect_same_bits(run_deck(self, deck, {{make_omp_executor(1), make_omp_executor(1)}, {}}, "deck.yaml", &archive),
                   reference);
}

TEST(OdeTimes, TrajectoriesHaveAColumnOffset) {
  const std::string deck =
      "ode_ensemble:\n  equations: [\"offset' = 1\"]\n  initial: {offset: 1}\n  phase: {length: 1}\n";
  EXPECT_EQ(deck_faults(deck + "  record: {final: [offset]}\n"), "");
  const std::string found = deck_faults(deck + "  record: {trajectory: {systems: [0], every: 0.5}}\n");
  EXPECT_NE(found.find("cannot be named 'offset'"), std::string::npos) << found;
}

TEST(OdeTimes, Faults) {
  const auto expect = [](const std::string& at_times, const std::string& what) {
    const std::string found = deck_faults(wave_deck("dopri5", "auto", at_times));
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  expect("{from: 0, to: 1, values: [x]}", "give from, to and points, or times");
  expect("{from: 0, to: 1, points: 3, times: [1], values: [x]}", "give from, to and points, or times");
  expect("{times: [1, 1], values: [x]}", "the times must increase");
  expect("{times: [-1, 1], values: [x]}", "begins before the systems");
  expect("{times: [1], values: [z]}", "'z' is no state, accumulator or definition");
  expect("{times: [1], values: [x, x]}", "at_times.values: 'x' is recorded twice");
  expect("{from: 1, to: 0, points: 3, values: [x]}", "the times must increase");
}

}  // namespace
}  // namespace halocline::ode_ensemble
