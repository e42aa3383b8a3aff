// What formulas of a deck may say, against closed forms and on every way of evaluating them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "lib/problems/ode_ensemble/tables/forcing.hpp"
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

// x' = cos t and x' = -x/(1 + t) from any start, with phases that begin there again and that do not.
TEST(OdeLanguage, SystemsStartAtTimesOfTheirOwn) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = cos(t)\", \"y' = -y/(20 + t)\"]\n  initial: {x: sin(s), y: 1}\n"
      "  sweep: [{name: s, values: [-7, -2, 0, 3, 1000]}]\n  repeat: {transient: 0, record: 3}\n"
      "  definitions: [lag = x - sin(t), now = t]\n  evaluation: interpreted\n";
  const std::string solvers[] = {"{method: dopri5, rtol: 1e-12, atol: 1e-12}",
                                 "{method: rodas5p, rtol: 1e-11, atol: 1e-11}",
                                 "{method: rkck45, rtol: 1e-12, atol: 1e-12}", "{method: rk4, step: 0.005}"};
  for (const std::string& solver : solvers)
    for (const bool again : {false, true}) {
      const DeckResult made =
          run_deck(self, deck + "  solver: " + solver +
                             "\n  phase: {start: s, length: 2, restart_time: " + (again ? "true" : "false") +
                             "}\n  record: {each_phase: [x, now, lag], final: [y, now]}\n");
      for (std::size_t i = 0; i < 5; ++i) {
        const double s = made["sweep/s"][i];
        for (int phase = 0; phase < 3; ++phase) {
          const std::size_t at = 3 * i + static_cast<std::size_t>(phase);
          const double t = again ? s + 2 : s + 2 * (phase + 1);
          const double x = again ? std::sin(s) + (phase + 1) * (std::sin(s + 2) - std::sin(s)) : std::sin(t);
          EXPECT_NEAR(made["result/now"][at], t, 1e-12) << solver;
          EXPECT_NEAR(made["result/x"][at], x, 1e-9) << solver << s;
          EXPECT_NEAR(made["result/lag"][at], x - std::sin(t), 1e-9) << solver;
        }
        EXPECT_NEAR(made["result/y"][i], again ? std::pow((20 + s) / (22 + s), 3) : (20 + s) / (26 + s), 1e-9)
            << solver;
        EXPECT_EQ(made["result/now_final"][i], made["result/now"][3 * i + 2]) << solver;
        EXPECT_EQ(made["/status"][i], 0) << solver;
      }
    }
}

// Definitions are recorded like states, of these and accumulators, to the same values on every way of evaluation; a
// name may be recorded in several ways.
TEST(OdeLanguage, DefinitionsAreRecorded) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = v\", \"v' = -w*w*x\"]\n  initial: {x: 1, v: 0}\n"
      "  sweep: [{name: w, values: [1, 2, 3]}]\n  definitions: [energy = (v^2 + (w*x)^2)/2, ratio = top/(1 + n)]\n"
      "  events: [{name: cut, crossing: x}]\n  accumulators: {top: {maximum: v, refined: true}, n: {count: cut}}\n"
      "  solver: {method: dopri5, rtol: 1e-12, atol: 1e-12}\n  phase: {length: 2*pi}\n  repeat: {transient: 1, record: "
      "2}\n"
      "  record:\n    final: [x, energy, ratio]\n    each_phase: [x, energy, n]\n    all_phases: {energy: maximum}\n  "
      "evaluation: ";
  for (const char* evaluation : evaluations) {
    const DeckResult made = run_deck(self, deck + evaluation);
    for (std::size_t i = 0; i < 3; ++i) {
      const double w = made["sweep/w"][i];
      EXPECT_NEAR(made["result/x_final"][i], 1, 1e-9) << evaluation;
      EXPECT_EQ(made["result/x_final"][i], made["result/x"][2 * i + 1]) << evaluation;
      EXPECT_NEAR(made["result/energy"][2 * i], w * w / 2, 1e-9) << evaluation;
      EXPECT_EQ(made["result/energy_final"][i], made["result/energy"][2 * i + 1]) << evaluation;
      EXPECT_EQ(made["result/energy_maximum"][i],
                std::max(made["result/energy"][2 * i], made["result/energy"][2 * i + 1]));
      EXPECT_EQ(made["result/n"][2 * i], 2 * w) << evaluation;
      EXPECT_NEAR(made["result/ratio"][i], w / (1 + 2 * w), 1e-9) << evaluation;
    }
  }
  const std::string twice = "ode_ensemble:\n  equations: [\"x' = -x\"]\n  initial: {x: 1}\n  phase: {length: 1}\n";
  EXPECT_NE(deck_faults(twice + "  record: {final: [x, x]}\n").find("recorded twice"), std::string::npos);
  EXPECT_NE(deck_faults(twice + "  record: {final: [u]}\n").find("no state, accumulator or definition"),
            std::string::npos);
  const std::string mean = "  definitions: [half = m/2]\n  accumulators: {m: {mean: x}}\n  record: {final: [half]}\n";
  EXPECT_NE(deck_faults(twice + mean).find("may not be used here"), std::string::npos);
}

// Equations with an integral, and events of integrals and counts: x' = -I, I' = x is a rotation.
TEST(OdeLanguage, EquationsReadIntegralsAndEventsReadAccumulators) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  equations: [\"x' = -I\", \"u' = 1\"]\n  initial: {x: 1, u: 0}\n"
      "  sweep: [{name: most, values: [2, 3, 5]}]\n  accumulators:\n    I: {integral: x, keep: true}\n    n: {count: "
      "zero}\n"
      "    high: {maximum: x}\n    when: {value: t, at: half}\n  events:\n"
      "    - {name: zero, crossing: x}\n"
      "    - {name: half, crossing: I - 1/2, direction: rising}\n"
      "    - {name: enough, crossing: 'if(n >= most - 1, x, 1)', ends_phase: true}\n"
      "    - {name: drop, crossing: 'high*0.9 - x', direction: rising, then: {u: 'if(n < 1, t, u)'}}\n"
      "  solver: {method: METHOD}\n"
      "  phase: {ends: enough, at_most: 50}\n  record: {final: [x, I, u, n, when]}\n  evaluation: ";
  const auto with = [&](const std::string& method, const std::string& evaluation) {
    std::string text = deck + evaluation;
    return text.replace(text.find("METHOD"), 6, method);
  };
  for (const char* evaluation : evaluations) {
    const DeckResult made = run_deck(self, with("dopri5, rtol: 1e-11, atol: 1e-11", evaluation));
    for (std::size_t i = 0; i < 3; ++i) {
      const int most = static_cast<int>(made["sweep/most"][i]);
      EXPECT_EQ(made["result/n"][i], most) << evaluation;
      EXPECT_NEAR(made["result/x"][i], std::cos((most - 0.5) * pi), 1e-5) << evaluation;
      EXPECT_NEAR(made["result/I"][i], std::sin((most - 0.5) * pi), 1e-9) << evaluation;
      const double when = pi / 6 + (most < 3 ? 0 : most < 5 ? 2 * pi : 4 * pi);
      EXPECT_NEAR(made["result/when"][i], when, 1e-9) << evaluation;
      EXPECT_EQ(made["/status"][i], 0) << evaluation;
    }
  }
  for (const char* method : {"rodas5p", "dopri5, integrals: free"})
    EXPECT_NE(deck_faults(with(method, "tree")).find("'I' may not be used here"), std::string::npos) << method;
}

// The growth of a small difference from (1, 1, ...)/sqrt(n), by SciPy's DOP853 with tolerances of 1e-13.
TEST(OdeLanguage, LyapunovExponentsAreThoseOfTheVariationalEquation) {
  const Communicator self(MPI_COMM_SELF);
  struct System {
    const char *equations, *initial, *length;
    double value;
  };
  const System systems[] = {
      {"[\"x' = 10*(y - x)\", \"y' = x*(28 - z) - y\", \"z' = x*y - 8/3*z\"]", "{x: 1, y: 1, z: 1}", "10",
       0.0696693604445485},
      {"[\"x' = -y - z\", \"y' = x + 0.2*y\", \"z' = 0.2 + z*(x - 5.7)\"]", "{x: 1, y: 1, z: 0}", "40",
       0.04073221449799154},
      {"[\"x' = v\", \"v' = -0.3*v + x - x^3 + 0.5*cos(1.2*t)\"]", "{x: 1, v: 0}", "20", 0.2519284995696478}};
  for (const System& one : systems)
    for (const std::string solver : {"dopri5, rtol: 1e-12, atol: 1e-12", "rodas5p, rtol: 1e-12, atol: 1e-12",
                                     "rkck45, rtol: 1e-12, atol: 1e-12", "rk4, step: 0.0005"}) {
      const DeckResult made = run_deck(
          self, std::string("ode_ensemble:\n  evaluation: interpreted\n  equations: ") + one.equations +
                    "\n  initial: " + one.initial +
                    "\n  sweep: [{name: none, values: [0]}]\n  accumulators: {growth: {lyapunov: true}}\n"
                    "  solver: {method: " +
                    solver + "}\n  phase: {length: " + one.length + "}\n  record: {final: [growth, growth_x]}\n");
      EXPECT_NEAR(made["result/growth"][0], one.value, 1e-7) << one.equations << solver;
      EXPECT_LE(std::abs(made["result/growth_x"][0]), 1 + 1e-6);
    }
}

// The decks of inputs/ that use all this pass their own limits.
TEST(OdeLanguage, DecksVerifyThemselves) {
  const Communicator self(MPI_COMM_SELF);
  for (const std::string name : {"house.yaml", "lyapunov.yaml"}) {
    const std::string file = std::string(HALOCLINE_INPUTS) + "/" + name;
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::string part;  // the blocks of the family
    for (const char* block : {"problem:", "ode_ensemble:", "verify:"}) {
      const std::size_t from = text.find(std::string("\n") + block) + 1;
      std::size_t end = from;
      do end = text.find('\n', end) + 1;
      while (end != 0 && end < text.size() && text[end] == ' ');
      part += text.substr(from, end == 0 ? std::string::npos : end - from);
    }
    const DeckResult made = run_deck(self, part, {}, file);
    EXPECT_EQ(made.findings.failure, "");
    int checked = 0;
    for (const Finding& one : made.findings.list) {
      if (!one.checked()) continue;
      ++checked;
      EXPECT_TRUE(one.holds()) << name << " " << one.name << " " << one.value;
    }
    EXPECT_GT(checked, 0) << name;
  }
}

TEST(OdeLanguage, FaultsOfLyapunovExponents) {
  const auto fault = [](const std::string& rest, const std::string& what) {
    const std::string found =
        deck_faults("ode_ensemble:\n  equations: [x' = -x]\n  initial: {x: 1}\n  phase: {length: 1}\n" + rest);
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  fault("  record: {final: [a]}\n  accumulators: {a: {lyapunov: true}, b: {lyapunov: true}}\n", "there is 'a' already");
  fault("  record: {final: [a]}\n  accumulators: {a: {lyapunov: true, integral: x}}\n", "give one of: maximum");
  fault(
      "  record: {final: [a]}\n  accumulators: {a: {lyapunov: true}}\n  events: [{name: e, crossing: x, then: {x: "
      "1}}]\n",
      "event 'e' changes states");
}

// Of SciPy's PchipInterpolator, between values that rise.
TEST(OdeLanguage, SlopesOfMonotoneCubics) {
  const double expected[] = {1.1666666666666667, 0.6923076923076923, 0.823529411764706, 1.2631578947368423,
                             0.7500000000000002};
  const std::vector<double> slopes = monotone_slopes({0, 1, 3, 4.5, 5}, {0, 1, 2, 5, 5.5});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(slopes[i], expected[i], 1e-14);
}

// Values of SciPy's PchipInterpolator and of its antiderivative, and of linear interpolation.
class OdeForcing : public testing::Test {
 protected:
  static constexpr double times[] = {0.1, 0.3, 0.7, 1.1, 2, 2.5, 3.3, 4};
  void SetUp() override { file("when,what,same\n0,0,1\n0.3,1,1\n1,0.5,1\n1.2,0.5,1\n2.5,-2,1\n4,3,1\n"); }
  static void file(const std::string& text) { std::ofstream("forcing_test.csv") << text; }
  static std::string deck(const std::string& keys, const std::string& end = "4") {
    return "ode_ensemble:\n  equations: [\"x' = wind\", \"y' = -y + k*wind^2\"]\n  initial: {x: 0, y: 0}\n"
           "  sweep: [{name: k, values: [0, 1]}]\n  definitions: [w = wind]\n"
           "  forcing: [{name: wind, file: forcing_test.csv, time: when, value: what" +
           keys +
           "}]\n"
           "  phase: {length: " +
           end +
           "}\n  record:\n    final: [x, y]\n"
           "    at_times: {times: [0.1, 0.3, 0.7, 1.1, 2, 2.5, 3.3, 4], values: [x, w]}\n";
  }
};

TEST_F(OdeForcing, FollowsTheTable) {
  const Communicator self(MPI_COMM_SELF);
  const double cubic[] = {0.46137566137566144, 1.0,  0.6967930029154519,  0.5,
                          -1.1750113791533907, -2.0, -0.4747578347578354, 3};
  const double cubic_sum[] = {0.023154761904761907, 0.18410714285714286, 0.5374599125364431,  0.7591071428571429,
                              0.6847557546004291,   -0.1658928571428573, -1.3513124745624747, -0.5688804945054946};
  const double linear[] = {1.0 / 3, 1, 1 - 0.4 * 0.5 / 0.7, 0.5, 0.5 - 0.8 * 2.5 / 1.3, -2, -2 + 0.8 * 5 / 1.5, 3};
  const double linear_sum[] = {1.0 / 60,           0.15, 0.4928571428571429,  0.725,
                               0.5596153846153844, -0.2, -0.7333333333333335, 0.55};
  const std::string solvers[] = {"dopri5, rtol: 1e-11, atol: 1e-11", "rodas5p, rtol: 1e-10, atol: 1e-10",
                                 "rkck45, rtol: 1e-11, atol: 1e-11", "rk4, step: 0.001"};
  double y[2] = {0, 0};
  for (const std::string& solver : solvers)
    for (const bool smooth : {true, false})
      for (const char* evaluation : evaluations) {
        // Walks of trees and compiling take time: once each.
        if (std::string(evaluation) != "interpreted" && (&solver != solvers || !smooth)) continue;
        const std::string text = deck(smooth ? "" : ", interpolation: linear") + "  solver: {method: " + solver +
                                 "}\n  evaluation: " + evaluation + "\n";
        const DeckResult made = run_deck(self, text);
        const std::string what = solver + (smooth ? " smooth " : " linear ") + evaluation;
        for (std::size_t k = 0; k < 8; ++k) {
          EXPECT_NEAR(made["times/w"][8 + k], (smooth ? cubic : linear)[k], 1e-14) << what << " " << times[k];
          EXPECT_NEAR(made["times/x"][8 + k], (smooth ? cubic_sum : linear_sum)[k], 2e-8) << what << " " << times[k];
        }
        if (y[smooth ? 1 : 0] == 0) y[smooth ? 1 : 0] = made["result/y"][1];
        EXPECT_NEAR(made["result/y"][1], y[smooth ? 1 : 0], 1e-7) << what;
        EXPECT_EQ(made["result/y"][0], 0) << what;
      }
}

TEST_F(OdeForcing, HoldsOrRefusesBeyondTheTable) {
  const Communicator self(MPI_COMM_SELF);
  const std::string solver = "  evaluation: interpreted\n  solver: {method: dopri5, rtol: 1e-10, atol: 1e-10}\n";
  const DeckResult held = run_deck(self, deck(", outside: hold", "6") + solver);
  EXPECT_NEAR(held["result/x"][0], -0.5688804945054946 + 2 * 3, 1e-8);
  EXPECT_NE(deck_faults(deck("", "6") + solver).find("the table has times 0 to 4, systems run from 0 to 6"),
            std::string::npos);
  EXPECT_EQ(deck_faults(deck("") + solver), "");
  // With lengths of their own systems fail where the table ends, and the table of failures says so.
  const DeckResult made = run_deck(self, deck("", "4 + 2*k") + solver);
  EXPECT_EQ(made["/status"][0], 0);
  EXPECT_EQ(made["failed/system"], std::vector<double>{1});
  EXPECT_EQ(made["failed/status"], std::vector<double>{2});
  EXPECT_NEAR(made["failed/t"][0], 4, 1e-6);
  EXPECT_NE(made.findings.failure.find("the first number 1 at t = 4"), std::string::npos) << made.findings.failure;
}

TEST_F(OdeForcing, FaultsOfTables) {
  const auto fault = [](const std::string& text, const std::string& what, const std::string& keys = "") {
    file(text);
    const std::string found = deck_faults(deck(keys));
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  fault("when,what\n0,1\n0,2\n", "forcing_test.csv:3:1: the times must increase");
  fault("when,what\n0,1\n4,many\n", "holds 'many', no number");
  fault("when,what\n0,1\n", "less than two rows");
  fault("time,what\n0,1\n4,1\n", "when");
}

}  // namespace
}  // namespace halocline::ode_ensemble
