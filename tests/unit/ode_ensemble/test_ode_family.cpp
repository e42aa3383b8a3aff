// The family through decks: equal bits on every layout, checkpoints, accumulators, sweeps, failures, comparison.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/problems/ode_ensemble/device/device_ensemble.hpp"
#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/trajectory.hpp"
#include "tests/unit/memory_archive.hpp"
#include "tests/unit/ode_ensemble/csv_table.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(HALOCLINE_INPUTS) + "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `text` with the first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw InternalError("the deck has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

// The valve at n flow rates 0.2, 0.3, ... (mod 98), few phases.
std::string valve_deck(Index n, const std::string& evaluation) {
  return "ode_ensemble:\n  model: relief_valve\n  evaluation: " + evaluation +
         "\n  sweep: [{name: q, from: 0.2, to: " + std::to_string(0.2 + 0.03125 * static_cast<double>(n - 1)) +
         ", points: " + std::to_string(n) +
         "}]\n  solver: {method: rkck45, rtol: 1e-8, atol: 1e-8}\n  phase: {ends: top, at_most: 50, steady: 1e-9}\n"
         "  repeat: {transient: 2, record: 3}\n  record: {each_phase: [ymax, ymin, hits], final: [y1, y3]}\n";
}

TEST(OdeFamily, BitsDoNotDependOnRanksPartsThreadsOrNumber) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const char* evaluation : {"auto", "interpreted"}) {
    const DeckResult reference = run_deck(self, valve_deck(257, evaluation));
    for (const auto& executors :
         {std::vector{make_omp_executor(1)}, std::vector{make_omp_executor(3)},
          std::vector{make_omp_executor(2), make_omp_executor(1)}, std::vector{make_emulated_executor(2, true)}})
      expect_same_bits(run_deck(world, valve_deck(257, evaluation), {executors}), reference);
    DeckLayout uneven{{make_omp_executor(1), make_omp_executor(1)}, {}};
    for (int part = 0; part < 2 * world.size(); ++part) uneven.weights.push_back(1 + part % 3);
    expect_same_bits(run_deck(world, valve_deck(257, evaluation), uneven), reference);
    for (const Index n : {7, 8, 9, 255, 256}) {
      Index compared = 0;
      const DeckResult fewer = run_deck(world, valve_deck(n, evaluation));
      for (Index i = 0; i < n; ++i) {
        if (fewer["sweep/q"][static_cast<std::size_t>(i)] != reference["sweep/q"][static_cast<std::size_t>(i)])
          continue;
        ++compared;
        ASSERT_EQ(fewer["result/y3"][static_cast<std::size_t>(i)], reference["result/y3"][static_cast<std::size_t>(i)]);
        ASSERT_EQ(fewer["cost/accepted"][static_cast<std::size_t>(i)],
                  reference["cost/accepted"][static_cast<std::size_t>(i)]);
      }
      EXPECT_GE(compared, n / 2);
    }
  }
  const std::string one =
      "ode_ensemble:\n  model: relief_valve\n  sweep: [{name: q, values: [0.2]}]\n"
      "  solver: {rtol: 1e-8, atol: 1e-8}\n  phase: {ends: top, at_most: 50, steady: 1e-9}\n"
      "  repeat: {transient: 2, record: 3}\n  record: {final: [y3]}\n";
  EXPECT_EQ(run_deck(world, one)["result/y3"][0], run_deck(self, valve_deck(9, "auto"))["result/y3"][0]);
}

TEST(OdeFamily, EveryEvaluationGivesTheSame) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (world.size() > 1) GTEST_SKIP() << "compiles; on one rank only";
  const std::string bubble =
      "ode_ensemble:\n  model: keller_miksis\n  evaluation: auto\n  sweep: [{name: f1, values: [30e3, 1e5, 5e5]}]\n"
      "  solver: {rtol: 1e-10, atol: 1e-10, first_step: 1e-3, max_step: 1e-3}\n  phase: {length: 3e-3}\n"
      "  record: {final: [y1, y2, peak]}\n";
  const std::string valve = with(with(valve_deck(9, "auto"), "transient: 2, record: 3", "transient: 0, record: 1"),
                                 "ends: top, at_most: 50", "length: 0.01");
  const std::string lorenz =
      "ode_ensemble:\n  model: lorenz\n  evaluation: auto\n  sweep: [{name: p, from: 0, to: 21, points: 9}]\n"
      "  solver: {method: rk4, step: 0.01}\n  phase: {length: 0.03}\n  record: {final: [x1, x2, x3]}\n";
  for (const std::string& deck : {bubble, valve, lorenz}) {
    const DeckResult oracle = run_deck(self, with(deck, "evaluation: auto", "evaluation: tree"));
    for (const char* evaluation : {"auto", "compiled", "interpreted"}) {
      const DeckResult made = run_deck(self, with(deck, "evaluation: auto", std::string("evaluation: ") + evaluation));
      for (const auto& [name, values] : oracle.columns) {
        if (name.starts_with("cost/")) {
          EXPECT_EQ(made[name], values) << evaluation;
        }
        if (!name.starts_with("result/")) continue;
        for (std::size_t i = 0; i < values.size(); ++i)
          EXPECT_NEAR(made[name][i], values[i], 1e-13 * std::max(1.0, std::abs(values[i]))) << evaluation << name << i;
      }
    }
  }
}

TEST(OdeFamily, CoefficientsOfTheBubbleAreExact) {
  const Communicator self(MPI_COMM_SELF);
  std::vector<std::string> names;
  std::string deck = text_of("keller_miksis.yaml"), accumulators, values;
  for (const CsvRow& row : csv_rows("keller_miksis_coef.csv"))
    if (row.at("index") == "0") values += (values.empty() ? "" : ", ") + row.at("f1_kHz") + "e3";
  for (int c = 0; c < 10; ++c) {
    const std::string name = "c" + std::to_string(c);
    accumulators += "    " + name + ": {start: C" + std::to_string(c) + "}\n";
    names.push_back(name);
  }
  const std::size_t from = deck.find("values: ["), to = deck.find(']', from);
  deck.replace(from, to - from, "values: [" + values);
  deck = with(deck, "  accumulators:\n", "  accumulators:\n" + accumulators);
  deck = with(deck, "final: [y1, y2]", "final: [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]");
  deck = with(deck, "transient: 1024, record: 64", "transient: 0, record: 1");
  deck = with(deck, "phase:   {length: 1,", "phase:   {length: 1e-3,");
  deck.resize(deck.find("verify:"));
  for (const char* evaluation : {"tree", "interpreted"}) {
    const DeckResult made =
        run_deck(self, with(deck, "  constants:", std::string("  evaluation: ") + evaluation + "\n  constants:"));
    std::map<double, std::size_t> system;
    for (std::size_t i = 0; i < made["sweep/f1"].size(); ++i) system[made["sweep/f1"][i]] = i;
    int checked = 0;
    for (const CsvRow& row : csv_rows("keller_miksis_coef.csv")) {
      if (number(row, "index") > 9) continue;
      const double value = made["result/c" + row.at("index")][system.at(1000 * number(row, "f1_kHz"))];
      EXPECT_NEAR(value, number(row, "value"), 4e-15 * std::abs(number(row, "value")))
          << row.at("f1_kHz") << " C" << row.at("index");
      ++checked;
    }
    EXPECT_GE(checked, 30);
  }
}

// x' = -p x from 1 and z' = 1 from 0: everything is known.
std::string decay_deck(const std::string& more, const std::string& record, const std::string& phase = "length: 1",
                       const std::string& repeat = "transient: 1, record: 3") {
  return "ode_ensemble:\n  equations: [\"x' = -p*x\", \"z' = 1\"]\n  initial: {x: 1, z: 0}\n  evaluation: interpreted\n"
         "  sweep: [{name: p, values: [0.5, 1, 2]}]\n  solver: {method: dopri5, rtol: 1e-11, atol: 1e-13}\n" +
         more + "  phase: {" + phase + "}\n  repeat: {" + repeat + "}\n  record: " + record + "\n";
}

TEST(OdeFamily, AccumulatorsKeepWhatTheyShould) {
  const Communicator self(MPI_COMM_SELF);
  const std::string more =
      "  events: [{name: tick, crossing: sin(2*pi*z*4), direction: rising}]\n"
      "  accumulators:\n    high: {maximum: x}\n    low: {minimum: x}\n    area: {integral: x}\n    average: {mean: "
      "x}\n"
      "    total: {integral: x, keep: true}\n    overall: {mean: x, keep: true}\n    ticks: {count: tick}\n"
      "    at_tick: {value: x, at: tick}\n    wave: {maximum: sin(3*z), refined: true}\n"
      "    own: {start: 2, each_step: own, at_tick: own*2}\n    highest: {maximum: x, keep: true}\n"
      "    all_ticks: {count: tick, keep: true}\n";
  const DeckResult made =
      run_deck(self, decay_deck(more,
                                "{each_phase: [high, low, area, average, total, overall, ticks, at_tick, own, highest, "
                                "all_ticks], "
                                "all_phases: {wave: maximum}, final: [x, z]}"));
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = made["sweep/p"][i];
    const auto x = [p](double t) { return std::exp(-p * t); };
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = 1 + static_cast<double>(k), b = a + 1;
      const auto value = [&](const char* name) { return made[std::string("result/") + name][3 * i + k]; };
      EXPECT_NEAR(value("high"), x(a), 1e-9);
      EXPECT_NEAR(value("low"), x(b), 1e-9);
      EXPECT_NEAR(value("area"), (x(a) - x(b)) / p, 1e-9);
      EXPECT_NEAR(value("average"), (x(a) - x(b)) / p, 1e-9);
      EXPECT_NEAR(value("total"), (1 - x(b)) / p, 1e-9);
      EXPECT_NEAR(value("overall"), (1 - x(b)) / p / b, 1e-9);
      EXPECT_NEAR(value("ticks"), 3.5, 0.51);  // the one at the end may belong to either phase
      EXPECT_NEAR(value("own"), std::exp2(1 + value("ticks")), 1e-12);
      EXPECT_EQ(value("highest"), 1);
      EXPECT_NEAR(value("all_ticks"), 4 * b - 0.5, 0.51);
      const double last = std::abs(value("at_tick") - x(b)) < 1e-6 ? b : b - 0.25;
      EXPECT_NEAR(value("at_tick"), x(last), 1e-9);
    }
    EXPECT_NEAR(made["result/wave"][i], 1, 1e-8);
    EXPECT_NEAR(made["result/x"][i], x(4), 1e-9);
    EXPECT_NEAR(made["result/z"][i], 4, 1e-9);
  }
}

// x' = -x^p from 1, y = (2^t - 1)/log(2), u = (1 + t)^(1 + t).
TEST(OdeFamily, ExponentsMayVary) {
  const Communicator self(MPI_COMM_SELF);
  for (const char* evaluation : {"tree", "interpreted"}) {
    const DeckResult made = run_deck(
        self,
        std::string("ode_ensemble:\n  evaluation: ") + evaluation +
            "\n  equations: [\"x' = -x^p\", \"y' = 2^z\", \"z' = 1\", \"u' = (1 + z)^(1 + z)*(1 + log(1 + z))\"]\n"
            "  initial: {x: 1, y: 0, z: 0, u: 1}\n  sweep: [{name: p, values: [1.5, 2, 3.25]}]\n"
            "  solver: {method: dopri5, rtol: 1e-11, atol: 1e-13}\n  phase: {length: 1.5}\n"
            "  record: {final: [x, y, u]}\n");
    for (std::size_t i = 0; i < 3; ++i) {
      const double p = made["sweep/p"][i];
      EXPECT_NEAR(made["result/x"][i], std::pow(1 + (p - 1) * 1.5, -1 / (p - 1)), 1e-9) << evaluation;
      EXPECT_NEAR(made["result/y"][i], (std::exp2(1.5) - 1) / std::log(2.0), 1e-9) << evaluation;
      EXPECT_NEAR(made["result/u"][i], std::pow(2.5, 2.5), 1e-8) << evaluation;
    }
  }
}

TEST(OdeFamily, PhasesMayHaveALengthOfTheirOwn) {
  const Communicator self(MPI_COMM_SELF);
  const DeckResult made = run_deck(self, decay_deck("", "{final: [x, z]}", "length: 1/p", "transient: 0, record: 2"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(made["result/x"][i], std::exp(-2.0), 1e-9);
    EXPECT_NEAR(made["result/z"][i], 2 / made["sweep/p"][i], 1e-9);
  }
}

TEST(OdeFamily, TrajectoriesOfChosenSystems) {
  const Communicator world(MPI_COMM_WORLD);
  for (const char* kind : {"every: 0.3", "steps: true"}) {
    const DeckResult made =
        run_deck(world, decay_deck("", std::string("{final: [x], trajectory: {systems: [2, 0], ") + kind + "}}"));
    const std::vector<double>&t = made["trajectory/t"], &x = made["trajectory/x"], &offset = made["trajectory/offset"];
    ASSERT_EQ(offset.size(), 3u);
    ASSERT_EQ(t.size(), static_cast<std::size_t>(offset[2]));
    for (std::size_t k = 0; k < 2; ++k)
      for (auto i = static_cast<std::size_t>(offset[k]); i < static_cast<std::size_t>(offset[k + 1]); ++i)
        EXPECT_NEAR(x[i], std::exp(-(k == 0 ? 2.0 : 0.5) * t[i]), 1e-9) << t[i];
    if (std::string(kind) == "every: 0.3") {
      EXPECT_EQ(offset[1], 14);  // 0, 0.3, ... 3.9
    } else {
      EXPECT_EQ(t[static_cast<std::size_t>(offset[1]) - 1], 4);
    }
  }
}

// A step that holds many points does not keep a run from hearing that it shall end.
TEST(OdeFamily, PointsOfTrajectoriesComeInSlices) {
  const Communicator self(MPI_COMM_SELF);
  const Deck deck(
      "ode_ensemble:\n  equations: [\"x' = -x\"]\n  initial: {x: 1}\n  phase: {length: 1}\n"
      "  solver: {method: rk4, step: 0.5}\n  evaluation: tree\n  record: {trajectory: {systems: [0], every: 1e-3}}\n",
      "deck.yaml");
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  const Formulation formulation = formulate(static_cast<const EnsembleOptions&>(*options), nullptr);
  const auto backend = make_tree_backend(formulation.system, formulation.method);
  Follower follower(formulation, *backend, 0, 1e-3);
  int slices = 0;
  while (!follower.advance(*backend, Part::Clock::time_point::min())) ++slices;
  const std::vector<double>& t = follower.trajectory().t;
  ASSERT_EQ(t.size(), 1001u);
  EXPECT_GE(slices, 1000);
  EXPECT_NEAR(follower.trajectory().states[0][700], std::exp(-0.7), 1e-2);
}

TEST(OdeFamily, AKilledRunGoesOnToTheSameBits) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  // Slow enough that it is not done when it is stopped.
  const std::string deck = with(valve_deck(33, "tree"), "transient: 2, record: 3", "transient: 250, record: 20");
  const DeckResult whole = run_deck(self, deck);
  EXPECT_GE(whole.slices, 3);
  MemoryArchive saved;
  run_deck(self, deck, {{make_omp_executor(2)}, {}}, "deck.yaml", nullptr, [&](Problem& problem) {
    problem.archive(saved);
    return false;
  });
  saved.restore_from_now_on();
  const DeckLayout parts{{make_omp_executor(1), make_omp_executor(1), make_omp_executor(1)}, {}};
  expect_same_bits(run_deck(self, deck, parts, "deck.yaml", &saved), whole);
}

TEST(OdeFamily, SystemsThatFailAreMarkedAndTheOthersGoOn) {
  const Communicator world(MPI_COMM_WORLD);
  const std::string deck =  // x = 1/(1/p - t) becomes infinite at t = 1/p
      "ode_ensemble:\n  equations: [\"x' = x^2\"]\n  initial: {x: p}\n  evaluation: interpreted\n"
      "  sweep: [{name: p, values: [0.1, 2, 0.2, 5]}]\n  solver: {rtol: 1e-10, atol: 1e-10, max_steps: 100000}\n"
      "  phase: {length: 1}\n  record: {final: [x]}\n";
  const DeckResult made = run_deck(world, deck);
  EXPECT_NEAR(made["result/x"][0], 1 / 9.0, 1e-8);
  EXPECT_NEAR(made["result/x"][2], 1 / 4.0, 1e-8);
  EXPECT_TRUE(std::isnan(made["result/x"][1]) && std::isnan(made["result/x"][3]));
  EXPECT_EQ(made["/status"][0], 0);
  EXPECT_NE(static_cast<int>(made["/status"][1]) & (2 | 4), 0);
  const auto finding = [&made](const std::string& name) {
    for (const Finding& one : made.findings.list)
      if (one.name == name) return one.value;
    return 0.0;
  };
  EXPECT_EQ(finding("failed_systems"), 2);
  EXPECT_EQ(finding("ended.not_finite") + finding("ended.too_many_steps"), 2);
  EXPECT_NE(made.findings.failure.find("2 systems did not end well"), std::string::npos) << made.findings.failure;
  EXPECT_NE(made.findings.failure.find("the first number 1"), std::string::npos) << made.findings.failure;
  EXPECT_EQ(run_deck(world, deck + "  on_failure: stop\n").findings.failure.empty(), false);
  EXPECT_EQ(run_deck(world, deck + "  on_failure: report\n").findings.failure, "");
}

TEST(OdeFamily, SystemsThatCannotBeginAreListed) {
  const Communicator world(MPI_COMM_WORLD);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = sqrt(x)\"]\n  initial: {x: p}\n  evaluation: interpreted\n"
      "  sweep: [{name: p, from: -20, to: 4, points: 25}]\n  phase: {length: 1}\n  record: {final: [x]}\n";
  try {
    run_deck(world, deck);
    FAIL() << "began";
  } catch (const DeckError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("20 systems cannot begin"), std::string::npos) << text;
    EXPECT_NE(text.find("system 9: p = -11"), std::string::npos) << text;
    EXPECT_EQ(text.find("system 10: p"), std::string::npos) << text;
  }
  const DeckResult made = run_deck(world, deck + "  on_failure: report\n");
  EXPECT_TRUE(std::isnan(made["result/x"][0]));
  EXPECT_EQ(made["/status"][0], 2);
  EXPECT_NEAR(made["result/x"][24], 6.25, 1e-6);  // (sqrt p + t/2)^2
}

// Attracting cycles: as many maxima as the reference has, and its impact speeds.
TEST(OdeFamily, CyclesOfTheValveHaveTheirPeriodsAndSpeeds) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1) GTEST_SKIP() << "on one rank only";
  std::string deck =
      with(text_of("relief_valve_cycles.yaml"), "    hits: {count: impact}\n",
           "    hits: {count: impact}\n    speed: {value: y2, at: impact}\n    high: {value: y1, at: top}\n");
  deck = with(deck, "{all_phases: {ymax: maximum, ymin: minimum, hits: maximum}}", "{each_phase: [high, speed]}");
  deck = with(deck, "  sweep:\n", "  evaluation: interpreted\n  sweep:\n");
  deck = with(deck, "[1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7.6, 7.7, 7.8, 8, 8.2, 8.4]",
              "[1.2, 2, 4, 6, 6.5, 8]");
  deck = with(deck, "transient: 1024", "transient: 200");
  const std::size_t head = deck.find("ode_ensemble:\n"), tail = deck.find("run:");
  const DeckResult made = run_deck(world, deck.substr(head, tail - head));
  std::map<double, std::vector<CsvRow>> cycles;
  for (const CsvRow& row : csv_rows("valve.csv"))
    if (row.at("kind") == "cycle") cycles[number(row, "q")].push_back(row);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < made["sweep/q"].size(); ++i) {
    const std::vector<CsvRow>& rows = cycles.at(made["sweep/q"][i]);
    const double* const high = &made["result/high"][32 * i];
    int period = 1;
    while (period < 32 && std::abs(high[period] - high[0]) > 1e-6) ++period;
    EXPECT_EQ(period, static_cast<int>(number(rows.front(), "period"))) << made["sweep/q"][i];
    for (const CsvRow& row : rows) {
      if (row.at("event") != "I") continue;
      double nearest = 1;
      for (std::size_t phase = 0; phase < 32; ++phase)
        nearest = std::min(nearest, std::abs(made["result/speed"][32 * i + phase] - number(row, "v")));
      EXPECT_LT(nearest, 2e-7) << made["sweep/q"][i];
      ++compared;
    }
  }
  EXPECT_GE(compared, 6u);
}

TEST(OdeFamily, UnusedDefinitionsAndTimesBeyondTheEndAreTold) {
  EnsembleOptions options;
  const Deck deck(
      "ode_ensemble:\n  constants: {a: 1}\n  definitions: [b = 2*a]\n  equations: [\"x' = 1\"]\n  initial: {x: 0}\n"
      "  phase: {length: 1, start: 2}\n  record: {at_times: {times: [3, 3.5], values: [x]}}\n",
      "deck.yaml");
  DeckReader reader(deck);
  options.describe(reader);
  reader.check();
  const std::vector<std::string> warnings = formulate(options, nullptr).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "record.at_times goes on to t = 3.5, systems end at t = 3: values after that are NaN");
  EXPECT_EQ(warnings[1], "'b' is defined but never used");
}

// GPUs step systems of a shuffled sweep in the order of their cost.
TEST(OdeFamily, ShuffledSweepsAreSortedByCost) {
  std::vector<int> list{0, 2, 3, 5, 6};
  order_by_cost(list, {7, 0, 3, 1, 0, 3, 0});
  EXPECT_EQ(list, (std::vector<int>{6, 3, 2, 5, 0}));
  SweepOptions range, random;
  range.name = "p", range.from = 0, range.to = 1, range.points = 3;
  range.has_from = range.has_to = range.has_points = true;
  random.name = "q", random.points = 3, random.random.uniform = {0, 1};
  random.has_points = random.has_random = true;
  ListOf<SweepOptions> entries;
  entries.blocks = {range};
  EXPECT_FALSE(Sweep(entries, false, "sweep", nullptr).shuffled());
  entries.blocks.push_back(random);
  EXPECT_TRUE(Sweep(entries, false, "sweep", nullptr).shuffled());
}

TEST(OdeFamily, ComparesWithTables) {
  const Communicator world(MPI_COMM_WORLD);
  const std::string deck = text_of("lorenz.yaml"), file = std::string(HALOCLINE_INPUTS) + "/lorenz.yaml";
  const auto finding = [](const DeckResult& made, const std::string& name) {
    for (const Finding& one : made.findings.list)
      if (one.name == name) return one;
    throw InternalError("no finding " + name);
  };
  const DeckResult good = run_deck(world, with(deck, "constants:", "evaluation: interpreted\n  constants:"), {}, file);
  EXPECT_EQ(finding(good, "compared.x1").value, 16);
  EXPECT_TRUE(finding(good, "max_error.x1").holds());
  const DeckResult bad = run_deck(
      world, with(with(deck, "2.666", "2.667"), "constants:", "evaluation: interpreted\n  constants:"), {}, file);
  EXPECT_FALSE(finding(bad, "max_error.x1").holds());
}

}  // namespace
}  // namespace halocline::ode_ensemble
