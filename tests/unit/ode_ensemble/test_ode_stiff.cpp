// Stiff systems through decks: the problems of tests/data/stiff.csv, events, integrals, equal bits, restarts.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/memory_archive.hpp"
#include "tests/unit/ode_ensemble/csv_table.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

struct Problem {
  std::string name;
  int states;
  std::string equations, initial, atol;
};

// In the order of states y1, y2, ...
std::vector<Problem> problems() {
  return {{"robertson", 3, "[\"y1' = 1e4*y2*y3 - p*y1\", \"y2' = p*y1 - 1e4*y2*y3 - 3e7*y2^2\", \"y3' = 3e7*y2^2\"]",
           "{y1: 1, y2: 0, y3: 0}", "{y1: 1e-18, y2: 1e-23, y3: 1e-14}"},
          {"van_der_pol", 2, "[\"y1' = y2\", \"y2' = p^2*((1 - y1^2)*y2 - y1)\"]", "{y1: 2, y2: 0}", "1e-12"},
          {"orego", 3,
           "[\"y1' = p*(y2 + y1*(1 - 8.375e-6*y1 - y2))\", \"y2' = (y3 - (1 + y1)*y2)/p\", \"y3' = 0.161*(y1 - y3)\"]",
           "{y1: 1, y2: 2, y3: 3}", "1e-12"},
          {"hires", 8,
           "[\"y1' = -1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007\", \"y2' = 1.71*y1 - 8.75*y2\", "
           "\"y3' = -10.03*y3 + 0.43*y4 + 0.035*y5\", \"y4' = 8.32*y2 + 1.71*y3 - 1.12*y4\", "
           "\"y5' = -1.745*y5 + 0.43*y6 + 0.43*y7\", "
           "\"y6' = -p*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7\", \"y7' = p*y6*y8 - 1.81*y7\", "
           "\"y8' = -p*y6*y8 + 1.81*y7\"]",
           "{y1: 1, y2: 0, y3: 0, y4: 0, y5: 0, y6: 0, y7: 0, y8: 0.0057}", "1e-16"}};
}

std::string names(const Problem& problem) {
  std::string list;
  for (int i = 1; i <= problem.states; ++i) list += (i > 1 ? ", y" : "y") + std::to_string(i);
  return list;
}

// `solver`: method and rtol.
std::string deck(const Problem& problem, const std::string& sweep, const std::string& length, const std::string& solver,
                 const std::string& evaluation = "interpreted") {
  return "ode_ensemble:\n  evaluation: " + evaluation + "\n  equations: " + problem.equations +
         "\n  initial: " + problem.initial + "\n  sweep: [" + sweep + "]\n  solver: {" + solver +
         ", atol: " + problem.atol +
         ", first_step: 1e-6, min_step: 1e-14, max_step: 1e10}\n  phase: {length: " + length +
         "}\n  record: {final: [" + names(problem) + "]}\n";
}

class OdeStiff : public testing::Test {
 protected:
  DeckResult run(const std::string& text) const { return run_deck(self, text); }
  const Communicator self{MPI_COMM_SELF};
};

// The largest error of all states relative to their values at the end.
double worst_error(const DeckResult& made, const Problem& problem, const std::vector<CsvRow>& rows) {
  double worst = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int i = 1; i <= problem.states; ++i) {
      const std::string name = "y" + std::to_string(i);
      const double wanted = number(rows[k], name), found = made["result/" + name][k];
      worst = std::max(worst, std::abs(found - wanted) / std::abs(wanted));
    }
  return worst;
}

TEST_F(OdeStiff, ProblemsOfTheTestSet) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem.name);
    std::vector<CsvRow> rows;
    std::string values, length;
    for (const CsvRow& row : csv_rows("stiff.csv")) {
      if (row.at("problem") != problem.name) continue;
      rows.push_back(row);
      values += (values.empty() ? "" : ", ") + row.at("p");
      length = row.at("t");
    }
    ASSERT_FALSE(rows.empty());
    const std::string sweep = "{name: p, values: [" + values + "]}";
    const DeckResult fifth = run(deck(problem, sweep, length, "method: rodas5p, rtol: 1e-12"));
    const DeckResult second = run(deck(problem, sweep, length, "method: ros23, rtol: 1e-6"));
    EXPECT_LT(worst_error(fifth, problem, rows), 1e-8);
    EXPECT_LT(worst_error(second, problem, rows), 0.02);
  }
}

TEST_F(OdeStiff, DeckVerifiesItself) {
  const std::string file = std::string(HALOCLINE_INPUTS) + "/stiff.yaml";
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.resize(text.find("run:"));
  std::ifstream again(file);
  const std::string whole{std::istreambuf_iterator<char>(again), {}};
  text = text.substr(text.find("ode_ensemble:")) + "  evaluation: interpreted\n" + whole.substr(whole.find("verify:"));
  const DeckResult made = run_deck(self, text, {}, file);
  int checked = 0;
  for (const auto& one : made.findings.list) {
    if (!one.name.starts_with("max_error")) continue;
    EXPECT_LT(one.value, one.high) << one.name;
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

// The first steps are 1e-17 of the phase, and no key says so.
TEST_F(OdeStiff, PhasesMuchLongerThanTheFastestMotions) {
  const Problem robertson = problems()[0];
  std::string values;
  std::vector<CsvRow> rows;
  for (const CsvRow& row : csv_rows("stiff.csv")) {
    if (row.at("problem") != robertson.name) continue;
    rows.push_back(row);
    values += (values.empty() ? "" : ", ") + row.at("p");
  }
  for (const char* method : {"rodas5p", "auto"}) {
    std::string text = deck(robertson, "{name: p, values: [" + values + "]}", rows[0].at("t"),
                            "rtol: 1e-9, method: " + std::string(method));
    const std::string steps = ", first_step: 1e-6, min_step: 1e-14, max_step: 1e10";
    text.erase(text.find(steps), steps.size());
    const DeckResult made = run(text);
    EXPECT_EQ(made["/status"], std::vector<double>(rows.size(), 0));
    EXPECT_LT(worst_error(made, robertson, rows), 1e-6);
  }
}

// Whatever the step, x is below 1 at its end: the search for one ends soon.
TEST_F(OdeStiff, StepsThatFailAtTheBeginning) {
  for (const char* method : {"rkck45", "rodas5p"}) {
    const DeckResult made =
        run("ode_ensemble:\n  evaluation: interpreted\n  equations: [x' = -1, \"y' = sqrt(x - 1)^3\"]\n"
            "  initial: {x: 1, y: 0}\n  solver: {method: " +
            std::string(method) + "}\n  phase: {length: 1e11}\n  record: {final: [y]}\n");
    EXPECT_EQ(static_cast<int>(made["/status"][0]) & 2, 2) << method;
    EXPECT_LT(made["cost/rejected"][0], 100) << method;
  }
}

// x goes to infinity at t = 1, and a pole is nothing to a method of order 2: it steps on beside it.
TEST_F(OdeStiff, PolesEndSystems) {
  for (const char* method : {"ros23", "rodas5p", "dopri5"}) {
    const DeckResult made = run(
        "ode_ensemble:\n  evaluation: interpreted\n  equations: [x' = x^2]\n  initial: {x: 1}\n  solver: {method: " +
        std::string(method) + "}\n  phase: {length: 2}\n  record: {final: [x]}\n");
    EXPECT_NE(static_cast<int>(made["/status"][0]) & 6, 0) << method;
    EXPECT_LT(made["cost/accepted"][0], 20000) << method;
  }
}

// Trees, instructions and machine code; the last as here, with a compiler.
TEST_F(OdeStiff, EveryEvaluationGivesTheSame) {
  for (const Problem& problem : problems())
    for (const std::string method : {"ros23", "rodas5p"}) {
      if (problem.name == "robertson" || problem.name == "orego") continue;
      const auto made = [&](const std::string& evaluation) {
        return run(deck(problem, "{name: p, from: 20, to: 30, points: 11}", "1e-3", "rtol: 1e-6, method: " + method,
                        evaluation));
      };
      const DeckResult tree = made("tree");
      for (const char* evaluation : {"interpreted", "compiled"}) {
        const DeckResult other = made(evaluation);
        EXPECT_EQ(other["cost/accepted"], tree["cost/accepted"]) << evaluation;
        for (std::size_t i = 0; i < 11; ++i)
          EXPECT_NEAR(other["result/y2"][i], tree["result/y2"][i], 1e-11 * std::abs(tree["result/y2"][i]))
              << evaluation;
      }
    }
}

// The first by a Rosenbrock method; of the second some systems change over to it.
TEST_F(OdeStiff, BitsDoNotDependOnPartsThreadsOrRestarts) {
  for (const std::string& text :
       {deck(problems()[0], "{name: p, from: 0.01, to: 0.1, points: 300}", "1e4", "method: rodas5p, rtol: 1e-8"),
        deck(problems()[1], "{name: p, from: 1, to: 100, points: 300}", "2", "method: auto, rtol: 1e-6")}) {
    const DeckResult one = run(text);
    const auto expect_same = [&one](const DeckResult& other, const char* what) {
      for (const auto& [name, values] : one.columns) EXPECT_EQ(other[name], values) << what << " " << name;
    };
    expect_same(run_deck(self, text, {{make_omp_executor(3)}, {}}), "threads");
    expect_same(run_deck(self, text, {{make_omp_executor(2), make_omp_executor(1)}, {}}), "parts");
    MemoryArchive saved;
    run_deck(self, text, {}, "deck.yaml", nullptr, [&saved](halocline::Problem& problem) {
      problem.archive(saved);
      return false;
    });
    saved.restore_from_now_on();
    expect_same(run_deck(self, text, {{make_omp_executor(1), make_omp_executor(1)}, {}}, "deck.yaml", &saved),
                "restart");
  }
}

TEST_F(OdeStiff, SystemsThatAreStiffChangeOver) {
  const auto made = [&](const std::string& method, const std::string& values) {
    return run(deck(problems()[1], "{name: p, values: [" + values + "]}", "2", "rtol: 1e-8, method: " + method));
  };
  const DeckResult by_itself = made("auto", "1, 3, 100, 1000"), tame = made("dopri5", "1, 3"),
                   stiff = made("rodas5p", "1, 3, 100, 1000");
  EXPECT_EQ(by_itself["/stiff"], (std::vector<double>{0, 0, 1, 1}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(by_itself["result/y1"][i], stiff["result/y1"][i], 1e-6) << i;
    if (i >= 2) {
      EXPECT_LT(by_itself["cost/accepted"][i], 1.5 * stiff["cost/accepted"][i]);
      continue;
    }
    EXPECT_NEAR(by_itself["result/y1"][i], tame["result/y1"][i], 1e-12);
    EXPECT_EQ(by_itself["cost/accepted"][i], tame["cost/accepted"][i]);
    EXPECT_EQ(by_itself["cost/rhs"][i], tame["cost/rhs"][i]);
  }
  for (const auto& finding : by_itself.findings.list)
    if (finding.name == "stiff_systems") {
      EXPECT_EQ(finding.value, 2);
    }
}

// y = cos(2 pi t) whatever p, z = exp(sin(2 pi t)/(2 pi)) doubled where y falls through 1/2.
std::string forced(const std::string& method, const std::string& rtol) {
  return "ode_ensemble:\n  evaluation: interpreted\n"
         "  equations: [\"y' = -p*(y - cos(2*pi*t)) - 2*pi*sin(2*pi*t)\", \"z' = y*z\"]\n"
         "  initial: {y: 1, z: 1}\n  sweep: [{name: p, values: [1, 1e3, 1e6, 1e9]}]\n"
         "  events: [{name: half, crossing: y - 1/2, direction: falling, then: [z = 2*z]}]\n"
         "  accumulators:\n    time: {value: t, at: half}\n    hits: {count: half}\n"
         "    area: {integral: \"z*y\"}\n    low: {minimum: y, refined: true}\n    top: {maximum: z, refined: true}\n"
         "  solver: {method: " +
         method + ", rtol: " + rtol + ", atol: " + rtol +
         ", first_step: 1e-4}\n  phase: {length: 1.25}\n  record: {final: [y, z, time, hits, area, low, top]}\n";
}

TEST_F(OdeStiff, EventsIntegralsAndExtrema) {
  for (const bool fifth : {true, false}) {
    const DeckResult made = run(forced(fifth ? "rodas5p" : "ros23", fifth ? "1e-11" : "1e-7"));
    const double limit = fifth ? 2e-9 : 2e-4, pi = std::acos(-1.0);
    const auto z = [pi](double t) { return std::exp(std::sin(2 * pi * t) / (2 * pi)); };
    for (std::size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(made["result/hits"][i], 2);
      EXPECT_NEAR(made["result/time"][i], 7.0 / 6, limit);
      EXPECT_NEAR(made["result/z"][i], 4 * z(1.25), 10 * limit);
      EXPECT_NEAR(made["result/area"][i], z(1.0 / 6) - 1 + 2 * (z(7.0 / 6) - z(1.0 / 6)) + 4 * (z(1.25) - z(7.0 / 6)),
                  10 * limit);
      EXPECT_NEAR(made["result/low"][i], -1, limit);
      EXPECT_NEAR(made["result/top"][i], 4 * z(1.25), 10 * limit);
    }
  }
}

// A state at rest does not move, and its row of the Jacobian does not act: x stops at 0, and w goes on.
TEST_F(OdeStiff, StatesAtRest) {
  const DeckResult made = run(
      "ode_ensemble:\n  evaluation: interpreted\n"
      "  equations: [\"x' = v\", \"v' = -1\", \"w' = -1e4*(w - x - t)\"]\n"
      "  initial: {x: h, v: 0, w: 0}\n  sweep: [{name: h, values: [0.5, 0.02]}]\n"
      "  events:\n    - name: bounce\n      crossing: x\n      direction: falling\n      then: [x = 0, v = -0.1*v]\n"
      "      rest: {speed: v, below: 0.5, hold: [x, v], until: t - 2}\n"
      "  accumulators: {bounces: {count: bounce}}\n"
      "  solver: {method: rodas5p, rtol: 1e-10, atol: 1e-10}\n  phase: {length: 1.9}\n"
      "  record: {final: [x, v, w, bounces]}\n");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(made["result/x"][i], 0);
    EXPECT_EQ(made["result/v"][i], 0);
    EXPECT_EQ(made["result/bounces"][i], 1);
    EXPECT_NEAR(made["result/w"][i], 1.9 - 1e-4, 1e-9);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
