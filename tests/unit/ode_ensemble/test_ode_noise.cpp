// Equations with noise: the generator's known answers, orders along given paths, statistics, events and integrals, and
// the same bits on every layout and after a restart. inputs/ode_ensemble/noise.yaml has paths from another program.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lib/problems/ode_ensemble/jit/jit_host.hpp"
#include "lib/problems/ode_ensemble/stepper/noise.hpp"
#include "tests/unit/memory_archive.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

struct NoiseDeck {
  std::string equations, noise, initial, solver = "method: milstein, step: 1/64", phase = "length: 1", rest = "";
  std::string sweep = "[{name: path, paths: 100}]", final = "x", evaluation = "interpreted";
  std::string text() const {
    return "ode_ensemble:\n  equations: [" + equations + "]\n  noise: {" + noise + "}\n  initial: {" + initial +
           "}\n  sweep: " + sweep + "\n  solver: {" + solver + "}\n  phase: {" + phase +
           "}\n  evaluation: " + evaluation + "\n" + rest + "  record: {final: [" + final + "]" +
           (rest.find("at_times") == std::string::npos ? "}\n" : "");
  }
};

DeckResult run(const NoiseDeck& deck) { return run_deck(Communicator(MPI_COMM_SELF), deck.text()); }

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double covariance(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size());
}

// Of Random123, and lane by lane the same.
TEST(OdeNoise, KnownAnswersOfTheGenerator) {
  const auto expect = [](Words counter, unsigned long long key, Words answer) {
    const Words found = philox(counter, key);
    EXPECT_EQ(found.left, answer.left);
    EXPECT_EQ(found.right, answer.right);
  };
  expect({0, 0}, 0, {0xca00a0459843d731, 0x66c24222c9a845b5});
  expect({~0ULL, ~0ULL}, ~0ULL, {0x65b021d60cd8310f, 0x4d02f3222f86df20});
  expect({0x243f6a8885a308d3, 0x13198a2e03707344}, 0xa4093822299f31d0, {0x0a5e742c2997341c, 0xb0f883d38000de5d});
  using R = Lanes<2>;
  unsigned long long process[Traits<R>::lanes];
  R draw(0.0), first, second;
  for (int l = 0; l < Traits<R>::lanes; ++l) {
    process[l] = process_of(l * 0x1234567L, l % 3);
    set_lane(draw, l, std::ldexp(1.0, 3 * l) + l);
  }
  draw_uniform(77, process, draw, first, second);
  for (int l = 0; l < Traits<R>::lanes; ++l) {
    double one = 0, other = 0;
    draw_uniform(77, process + l, lane(draw, l), one, other);
    EXPECT_EQ(lane(first, l), one);
    EXPECT_EQ(lane(second, l), other);
  }
}

// Steps of 1/16 to 1/256 along the same paths: x = exp((mu - s^2/2) t + s W), with W from equations of its own.
TEST(OdeNoise, StrongOrdersAlongOnePath) {
  NoiseDeck walk{"\"x' = 0\"", "x: 1", "x: 0"}, motion{"\"x' = 0.5*x\"", "x: 0.5*x", "x: 1"};
  walk.solver = "method: euler_maruyama, step: 1/256";
  walk.sweep = motion.sweep = "[{name: path, paths: 2000}]";
  const DeckResult paths = run(walk);
  for (const auto& [method, order] : {std::pair{"euler_maruyama", 0.5}, {"milstein", 1.0}}) {
    std::vector<double> errors;
    for (int draws = 1; draws <= 16; draws *= 2) {
      motion.solver = std::string("method: ") + method + ", step: " + std::to_string(draws) +
                      "/256, fine_steps: " + std::to_string(draws);
      const DeckResult found = run(motion);
      double sum = 0;
      for (std::size_t i = 0; i < 2000; ++i)
        sum += std::pow(found["result/x"][i] - std::exp(0.375 + 0.5 * paths["result/x"][i]), 2);
      errors.push_back(std::sqrt(sum / 2000));
    }
    // Between steps of 1/256 and of 1/16.
    EXPECT_NEAR(std::log2(errors[4] / errors[0]) / 4, order, 0.06) << method << " " << errors[0];
  }
}

// dx = -x dt + 0.5 dW from 1, 1e5 paths: mean and variance of the recurrence, and of the process itself.
TEST(OdeNoise, MeanAndVarianceOfOrnsteinUhlenbeck) {
  NoiseDeck deck{"\"x' = -x\"", "x: 0.5", "x: 1", "method: euler_maruyama, step: 0.02", "length: 4"};
  deck.sweep = "[{name: path, paths: 100000}]";
  const DeckResult found = run(deck);
  const std::vector<double>& x = found["result/x"];
  const double mean = mean_of(x), variance = covariance(x, x), rest = std::pow(1 - 0.02, 2 * 200), deviations = 4.5;
  const double expected = 0.25 * 0.02 * (1 - rest) / (1 - 0.98 * 0.98);
  EXPECT_NEAR(mean, std::sqrt(rest), deviations * std::sqrt(expected / 1e5));
  EXPECT_NEAR(variance, expected, deviations * expected * std::sqrt(2 / 1e5));
  EXPECT_NEAR(variance, 0.25 / 2, 0.25 / 2 * (0.02 / 2 + std::exp(-8) + deviations * std::sqrt(2 / 1e5)));
  double fourth = 0;
  for (const double one : x) fourth += std::pow((one - mean) / std::sqrt(variance), 4) / 1e5;
  EXPECT_NEAR(fourth, 3, deviations * std::sqrt(24 / 1e5));
  EXPECT_EQ(found.findings.failure, "");
}

// States, neighboring systems, successive increments, other seeds: 4.5 standard errors of 1e5 pairs.
TEST(OdeNoise, IncrementsAreIndependent) {
  NoiseDeck deck{"\"x' = 0\", \"y' = 0\"", "x: 1, y: 1", "x: 0, y: 0", "method: euler_maruyama, step: 1"};
  deck.sweep = "[{name: path, paths: 100000}]";
  deck.final = "x, y";
  const DeckResult one = run(deck);
  deck.phase = "length: 2";
  const DeckResult two = run(deck);
  deck.phase = "length: 1", deck.solver += ", seed: 2";
  const DeckResult other = run(deck);
  const std::vector<double>&x = one["result/x"], &y = one["result/y"];
  std::vector<double> next = two["result/x"], neighbor = x, square(x), next_square(x);
  for (std::size_t i = 0; i < x.size(); ++i) next[i] -= x[i], neighbor[i] = x[(i + 1) % x.size()];
  for (std::size_t i = 0; i < x.size(); ++i) square[i] = x[i] * x[i], next_square[i] = next[i] * next[i];
  const double bound = 4.5 / std::sqrt(1e5);
  EXPECT_NEAR(covariance(x, y), 0, bound);
  EXPECT_NEAR(covariance(x, next), 0, bound);
  EXPECT_NEAR(covariance(x, neighbor), 0, bound);
  EXPECT_NEAR(covariance(x, other["result/x"]), 0, bound);
  EXPECT_NEAR(covariance(square, next_square), 0, 2 * bound);  // both out of one draw of the generator
  EXPECT_NEAR(covariance(next, next), 1, bound * std::sqrt(2.0));
  EXPECT_NEAR(mean_of(x), 0, bound);
}

// The path of a common number is the same for all values of another name.
TEST(OdeNoise, CommonPaths) {
  NoiseDeck deck{"\"x' = -k*x\"", "x: 1", "x: 0"};
  deck.sweep = "[{name: k, values: [1, 1, 2]}, {paths: 5}]";
  const DeckResult own = run(deck);
  deck.solver += ", paths: common";
  const DeckResult common = run(deck);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(common["sweep/path"][5 + i], static_cast<double>(i));
    EXPECT_EQ(common["result/x"][i], common["result/x"][5 + i]);
    EXPECT_NE(common["result/x"][i], common["result/x"][10 + i]);
    EXPECT_NE(own["result/x"][i], own["result/x"][5 + i]);
    EXPECT_EQ(own["result/x"][i], common["result/x"][i]);
  }
}

// A neuron that fires: events at ends of steps, resets, counts; integrals by the trapezoidal rule; all evaluations.
const NoiseDeck neuron{
    "\"v' = 20 - 10*v\", \"r' = 1\"",
    "v: 0.4*sqrt(1 + r)",
    "v: 0, r: 0",
    "method: milstein, step: 1/256",
    "length: 1/2",
    "  repeat: {transient: 1, record: 3}\n  events: [{name: fires, crossing: v - 1, direction: rising, then: {v: 0}}]\n"
    "  accumulators: {spikes: {count: fires, keep: true}, top: {maximum: v, keep: true},"
    " rest: {integral: r, keep: true}, at: {value: t, at: fires, keep: true}}\n",
    "[{name: path, paths: 37}]",
    "v, r, spikes, top, rest, at"};

TEST(OdeNoise, EventsAtEndsOfSteps) {
  DeckResult tree, other;
  for (const char* evaluation : {"tree", "interpreted", "compiled"}) {
    if (std::string(evaluation) == "compiled" && !find_host_compiler()) continue;
    NoiseDeck deck = neuron;
    deck.evaluation = evaluation;
    DeckResult& found = std::string(evaluation) == "tree" ? tree : other;
    found = run(deck);
    for (std::size_t i = 0; i < 37; ++i) {
      EXPECT_NEAR(found["result/rest"][i], 2, 1e-13);
      EXPECT_GT(found["result/spikes"][i], 8);
      EXPECT_LT(found["result/v"][i], 1);
      EXPECT_GE(found["result/top"][i], 1);
      const double steps = found["result/at"][i] * 256;
      EXPECT_EQ(steps, std::round(steps));
      for (const char* name : {"result/v", "result/spikes", "result/top", "result/at"})
        EXPECT_NEAR(found[name][i], tree[name][i], 1e-12) << evaluation << name;
    }
  }
}

TEST(OdeNoise, PhasesThatEventsEnd) {
  NoiseDeck deck = neuron;
  deck.phase = "ends: fires, at_most: 100";
  const DeckResult found = run(deck);
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(found["result/spikes"][i], 4);
}

// Values at ends of steps are those of the path, in between on a straight line, of which a note tells.
TEST(OdeNoise, OutputAtGivenTimes) {
  NoiseDeck deck{"\"x' = 0\"", "x: 1", "x: 0"};
  deck.rest = "",
  deck.final = "x], at_times: {times: [0, 1/64, 3/128, 1/32, 1], values: [x]}, trajectory: {systems: [3], steps: true";
  std::string text = deck.text();
  text.replace(text.rfind("]}"), 2, "}}");
  const DeckResult found = run_deck(Communicator(MPI_COMM_SELF), text);
  const std::vector<double>& x = found["times/x"];
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(x[5 * i], 0);
    EXPECT_NEAR(x[5 * i + 2], 0.5 * (x[5 * i + 1] + x[5 * i + 3]), 1e-14);
    EXPECT_EQ(x[5 * i + 4], found["result/x"][i]);
  }
  EXPECT_EQ(found["trajectory/x"].size(), 65u);
  EXPECT_EQ(found["trajectory/x"][1], x[5 * 3 + 1]);
  EXPECT_EQ(found["trajectory/x"].back(), found["result/x"][3]);
  EXPECT_NE(deck_notes(text).front().find("times of output lie inside steps"), std::string::npos);
}

// Elements of vectors, few in registers and many in memory: the noise of element i is i W_i.
TEST(OdeNoise, Vectors) {
  for (const int count : {4, 60}) {
    NoiseDeck deck{"\"x[i]' = 0*x[i+1] for i in 1.." + std::to_string(count) + ", periodic\"", "\"x[i]\": i", "x: 0",
                   "method: euler_maruyama, step: 1"};
    deck.sweep = "[{paths: 2000}]", deck.final = "\"x[1]\", \"x[4]\"";
    const DeckResult found = run(deck);
    const std::vector<double>&first = found["result/x[1]"], &fourth = found["result/x[4]"];
    EXPECT_NEAR(covariance(first, first), 1, 0.15);
    EXPECT_NEAR(covariance(fourth, fourth), 16, 16 * 0.15);
    EXPECT_NEAR(covariance(first, fourth), 0, 4 * 0.1);
  }
}

// Noise that is no number at the start is seen beforehand, as such equations are; systems without go on.
TEST(OdeNoise, NoiseThatIsNoNumberAtTheStart) {
  NoiseDeck deck{"\"x' = 0\", \"y' = 0\"", "x: sqrt(path - 1), y: 1/y", "x: 0, y: path - 2"};
  deck.sweep = "[{name: path, paths: 5}]";
  const std::string found = deck_faults(deck.text());
  EXPECT_NE(found.find("2 systems cannot begin: their initial state"), std::string::npos) << found;
  EXPECT_NE(found.find("system 0: path = 0\n  system 2: path = 2\n"), std::string::npos) << found;
  EXPECT_THROW(run(deck), DeckError);
  deck.rest = "  on_failure: report\n";
  EXPECT_EQ(deck_faults(deck.text()), "");
  const DeckResult made = run(deck);
  EXPECT_EQ(made["/status"], (std::vector<double>{2, 0, 2, 0, 0}));
}

TEST(OdeNoise, BitsOnLayoutsAndAfterARestart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  NoiseDeck deck = neuron;
  deck.sweep = "[{name: path, paths: 700}]";
  const DeckResult reference = run(deck);
  expect_same_bits(run_deck(world, deck.text()), reference);
  expect_same_bits(run_deck(world, deck.text(), {{make_omp_executor(2), make_omp_executor(1)}, {}}), reference);
  MemoryArchive archive;
  run_deck(self, deck.text(), {}, "deck.yaml", nullptr, [&archive](Problem& problem) {
    problem.archive(archive);
    return false;
  });
  archive.restore_from_now_on();
  expect_same_bits(
      run_deck(self, deck.text(), {{make_omp_executor(1), make_omp_executor(1)}, {}}, "deck.yaml", &archive),
      reference);
}

TEST(OdeNoise, Faults) {
  const auto expect = [](const NoiseDeck& deck, const std::string& what) {
    const std::string found = deck_faults(deck.text());
    EXPECT_NE(found.find(what), std::string::npos) << found << "\n" << deck.text();
  };
  const NoiseDeck good{"\"x' = -x\", \"y' = 0\"", "x: 1, y: 0.5*y", "x: 0, y: 1"};
  EXPECT_EQ(deck_faults(good.text()), "");
  const auto with = [&good](std::string NoiseDeck::*member, const std::string& text) {
    NoiseDeck deck = good;
    deck.*member = text;
    return deck;
  };
  expect(with(&NoiseDeck::solver, "method: dopri5"), "dopri5 is for equations without noise; with it give `solver");
  expect(with(&NoiseDeck::noise, ""), "milstein is for equations with `noise`, which the deck does not have");
  expect(with(&NoiseDeck::solver, "method: milstein"), "milstein needs the size of its steps");
  expect(with(&NoiseDeck::solver, "method: milstein, step: 1, rtol: 1"), "is not used by milstein");
  expect(with(&NoiseDeck::noise, "z: 1"), "'z' is no state");
  expect(with(&NoiseDeck::noise, "x: w"), "unknown name 'w'");
  expect(with(&NoiseDeck::noise, "x: 0"), "is 0 for all states");
  expect(with(&NoiseDeck::noise, "x: y, y: 1"), "that of 'x' depends on 'y', which has noise of its own");
  expect(with(&NoiseDeck::phase, "length: 1, steady: 1e-3"), "does not go with noise");
  expect(with(&NoiseDeck::rest, "  accumulators: {a: {lyapunov: true}}\n"), "is for equations without noise");
  expect(with(&NoiseDeck::rest, "  accumulators: {a: {maximum: x, refined: true}}\n"), "does not go with noise");
  expect(with(&NoiseDeck::solver, "method: milstein, step: 1, paths: common, fine_steps: 0"), "fine_steps");
  NoiseDeck no_paths = with(&NoiseDeck::sweep, "[{name: k, values: [1, 2]}]");
  no_paths.solver += ", paths: common";
  expect(no_paths, "common paths have the numbers of an entry of `sweep`");
  NoiseDeck plain = with(&NoiseDeck::noise, "");
  plain.solver = "method: rk4, step: 1, seed: 3";
  expect(plain, "is for euler_maruyama and milstein");
  NoiseDeck euler = with(&NoiseDeck::noise, "x: y, y: 1");
  euler.solver = "method: euler_maruyama, step: 1";
  EXPECT_EQ(deck_faults(euler.text()), "");
}

}  // namespace
}  // namespace halocline::ode_ensemble
