// Families of equations over an index: against loops written by hand, on all backends and layouts; the same equations
// as loops and written out; faults.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "gpu/nvrtc.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/codegen.hpp"
#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/options.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

using Values = std::vector<double>;
using Rates = std::function<Values(double t, const Values& y)>;

// The classic method with fixed steps, from 0 to t.
Values marched(const Rates& rates, Values y, double t, int steps) {
  const double h = t / steps;
  const auto moved = [&](const Values& k, double by) {
    Values z = y;
    for (std::size_t i = 0; i < y.size(); ++i) z[i] += by * k[i];
    return z;
  };
  for (int n = 0; n < steps; ++n) {
    const double now = n * h;
    const Values k1 = rates(now, y), k2 = rates(now + h / 2, moved(k1, h / 2)),
                 k3 = rates(now + h / 2, moved(k2, h / 2)), k4 = rates(now + h, moved(k3, h));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (k1[i] + k4[i] + 2 * (k2[i] + k3[i]));
  }
  return y;
}

// A deck and the same by hand, for one value of the swept p.
struct Model {
  std::string deck;  // constants to initial
  Rates rates;
  Values initial;
};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Around a circle, with neighbors on both sides.
Model lorenz96(int n, double p) {
  Model made{"  constants: {N: " + std::to_string(n) +
                 "}\n  equations: [\"x[i]' = (x[i+1] - x[i-2])*x[i-1] - x[i] + p for i in 1..N, periodic\"]\n"
                 "  initial: {'x[i]': 'p + sin(i)', 'x[2]': 0.5}\n  record: {final: [x]}\n",
             [=](double, const Values& x) {
               Values f(x.size());
               for (int i = 0; i < n; ++i)
                 f[at(i)] = (x[at((i + 1) % n)] - x[at((i + n - 2) % n)]) * x[at((i + n - 1) % n)] - x[at(i)] + p;
               return f;
             },
             {}};
  for (int i = 1; i <= n; ++i) made.initial.push_back(i == 2 ? 0.5 : p + std::sin(i));
  return made;
}

// All with all, frequencies of their own, a mean field as a state, a phase that depends on time and index.
Model oscillators(int n, double p) {
  const double pi = std::numbers::pi;
  const auto frequency = [n, p, pi](int i) { return p * std::tan(pi * (i - (n + 1) / 2.0) / (n + 2)); };
  Model made{"  constants: {N: " + std::to_string(n) +
                 "}\n  definitions: ['w[k] = p*tan(pi*(k - (N + 1)/2)/(N + 2)) for k in 1..N', "
                 "'C = sum(j, 1, N, cos(x[j]))/N']\n"
                 "  equations:\n    - \"x[i]' = w[i] + p/N*sum(j, 1, N, sin(x[j] - x[i])/(1 + (i - j)^2)) + "
                 "0.1*sin(t + 2*i) for i in 1..N\"\n    - \"m' = C - m + sum(j, 1, N, w[j]*x[j])/N\"\n"
                 "  initial: {x: '2*sin(7*i)', m: 0}\n  record: {final: [x, m]}\n",
             [=](double t, const Values& x) {
               Values f(x.size());
               double mean = 0, weighted = 0;
               for (int i = 1; i <= n; ++i) {
                 double sum = 0;
                 for (int j = 1; j <= n; ++j) sum += std::sin(x[at(j - 1)] - x[at(i - 1)]) / (1 + (i - j) * (i - j));
                 f[at(i - 1)] = frequency(i) + p / n * sum + 0.1 * std::sin(t + 2 * i);
                 mean += std::cos(x[at(i - 1)]) / n;
                 weighted += frequency(i) * x[at(i - 1)] / n;
               }
               f[at(n)] = mean - x[at(n)] + weighted;
               return f;
             },
             {}};
  for (int i = 1; i <= n; ++i) made.initial.push_back(2 * std::sin(7 * i));
  made.initial.push_back(0);
  return made;
}

// A chain of springs that grow stiffer, one end driven, the other held by the last mass but one.
Model chain(int n, double p) {
  Model made{"  constants: {N: " + std::to_string(n) +
                 "}\n  definitions: ['x[0] = sin(3*t)', 'x[N+1] = x[N-1]', "
                 "'d[i] = x[i+1] - x[i] for i in 0..N']\n"
                 "  equations: [\"x[i]' = v[i] for i in 1..N\", "
                 "\"v[i]' = d[i] + p*d[i]^3 - d[i-1] - p*d[i-1]^3 for i in 1..N\"]\n"
                 "  initial: {x: 0, 'v[i]': 'sin(pi*i/(N + 1))'}\n  record: {final: [x, v]}\n",
             [=](double t, const Values& y) {
               Values f(y.size());
               const auto x = [&](int i) { return i == 0 ? std::sin(3 * t) : i > n ? y[at(n - 2)] : y[at(i - 1)]; };
               const auto force = [&](int i) { return (x(i + 1) - x(i)) + p * std::pow(x(i + 1) - x(i), 3); };
               for (int i = 1; i <= n; ++i) f[at(i - 1)] = y[at(n + i - 1)], f[at(n + i - 1)] = force(i) - force(i - 1);
               return f;
             },
             Values(at(2 * n), 0.0)};
  for (int i = 1; i <= n; ++i) made.initial[at(n + i - 1)] = std::sin(std::numbers::pi * i / (n + 1));
  return made;
}

std::string whole(const Model& model, const std::string& more) {
  return "ode_ensemble:\n  sweep: [{name: p, values: [0.5, 1.5, 3, 2, 1, 0.75, 2.5, 1.25, 0.25]}]\n"
         "  phase: {length: 1}\n" +
         model.deck + more;
}

// The final states of one system, in the order of the deck.
Values finals(const DeckResult& result, const Model& model, std::size_t system) {
  Values all;
  const std::size_t count = model.initial.size();
  const auto add = [&](const std::string& name) {
    const auto found = result.columns.find("result/" + name);
    if (found != result.columns.end()) all.push_back(found->second[system]);
    return found != result.columns.end();
  };
  for (const char* name : {"x", "v", "m"}) {
    add(name);
    for (int i = 1; add(std::string(name) + "[" + std::to_string(i) + "]"); ++i) {
    }
  }
  EXPECT_EQ(all.size(), count);
  return all;
}

using Maker = Model (*)(int, double);

TEST(OdeVectors, FixedStepsAreThoseByHand) {
  const Communicator self(MPI_COMM_SELF);
  const Values swept{0.5, 1.5, 3, 2, 1, 0.75, 2.5, 1.25, 0.25};
  const auto check = [&](Maker make, int n, const std::string& evaluation) {
    const DeckResult made =
        run_deck(self, whole(make(n, 0), "  solver: {method: rk4, step: 0.02}\n  evaluation: " + evaluation + "\n"));
    for (std::size_t k = 0; k < swept.size(); ++k) {
      const Model model = make(n, swept[k]);
      const Values expected = marched(model.rates, model.initial, 1, 50), found = finals(made, model, k);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 2e-12 * (1 + std::abs(expected[i])))
            << evaluation << n << " " << k << " " << i;
    }
  };
  for (const Maker make : {lorenz96, oscillators, chain}) {
    check(make, 40, "compiled");
    check(make, 20, "tree");
    for (const int n : {4, 40}) check(make, n, "interpreted");  // written out, and in loops
  }
}

// Rosenbrock methods have few states, with exact derivatives; chosen steps agree with small fixed ones.
TEST(OdeVectors, AllMethodsAgree) {
  const Communicator self(MPI_COMM_SELF);
  const std::string tolerance = ", rtol: {x: 1e-11}, atol: 1e-11}\n  evaluation: interpreted\n";
  for (const Maker make : {lorenz96, oscillators})
    for (const int n : {6, 36}) {
      const Model model = make(n, 1.5);
      const Values fine = marched(model.rates, model.initial, 1, 4000);
      const std::vector<std::string> methods = n == 6 ? std::vector<std::string>{"rkck45", "dopri5", "rodas5p", "auto"}
                                                      : std::vector<std::string>{"rkck45", "dopri5"};
      for (const std::string& method : methods) {
        const DeckResult made = run_deck(self, whole(make(n, 0), "  solver: {method: " + method + tolerance));
        const Values found = finals(made, model, 1);
        for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_NEAR(found[i], fine[i], 2e-9) << method << n << " " << i;
      }
    }
}

TEST(OdeVectors, HalfTheStepIsSixteenTimesBetter) {
  const Communicator self(MPI_COMM_SELF);
  const Model model = lorenz96(40, 3);
  const Values fine = marched(model.rates, model.initial, 1, 4000);
  double before = 0;
  for (const char* step : {"0.02", "0.01", "0.005"}) {
    const DeckResult made = run_deck(
        self, whole(model, std::string("  evaluation: interpreted\n  solver: {method: rk4, step: ") + step + "}\n"));
    const Values found = finals(made, model, 2);
    double worst = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) worst = std::max(worst, std::abs(found[i] - fine[i]));
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / worst), 4, 0.2);
    }
    before = worst;
  }
}

// Events, accumulators and integrals of elements and sums; the energy of a chain without a drive stays.
TEST(OdeVectors, EventsAndAccumulatorsOfElements) {
  const Communicator self(MPI_COMM_SELF);
  const std::string deck =
      "ode_ensemble:\n  constants: {N: 40, a: 0.25}\n  sweep: [{name: A, values: [1, 2, 3]}]\n"
      "  definitions: ['x[0] = 0', 'x[N+1] = 0', 'd[i] = x[i+1] - x[i] for i in 0..N',\n"
      "    'E = sum(i, 1, N, v[i]^2/2) + sum(i, 0, N, d[i]^2/2 + a*d[i]^3/3)']\n"
      "  equations: [\"x[i]' = v[i] for i in 1..N\", \"v[i]' = d[i] + a*d[i]^2 - d[i-1] - a*d[i-1]^2 for i in 1..N\"]\n"
      "  initial: {x: 'A*sin(pi*i/(N + 1))', v: 0}\n"
      "  events: [{name: pass, crossing: 'x[20]', direction: falling, then: ['x[40] = x[40] + 0']}]\n"
      "  accumulators:\n    low: {minimum: E}\n    high: {maximum: E}\n    passes: {count: pass}\n"
      "    moment: {integral: 'sum(i, 1, N, v[i])'}\n    travel: {integral: 'v[7]'}\n"
      "  solver: {method: dopri5, rtol: 1e-11, atol: {x: 1e-11, v: 1e-11, moment: 1e-10}}\n  phase: {length: 60}\n"
      "  record: {final: [x, low, high, passes, moment, travel]}\n  evaluation: ";
  const DeckResult compiled = run_deck(self, deck + "compiled\n"), made = run_deck(self, deck + "interpreted\n");
  for (std::size_t k = 0; k < 3; ++k) {
    double moved = 0;
    const double amplitude = static_cast<double>(k) + 1;
    for (int i = 1; i <= 40; ++i)
      moved += made["result/x[" + std::to_string(i) + "]"][k] - amplitude * std::sin(std::numbers::pi * i / 41);
    EXPECT_NEAR(made["result/high"][k] / made["result/low"][k], 1, 1e-8);
    EXPECT_EQ(made["result/passes"][k], 1);
    EXPECT_NEAR(made["result/moment"][k], moved, 1e-7);
    EXPECT_NEAR(made["result/travel"][k], made["result/x[7]"][k] - amplitude * std::sin(std::numbers::pi * 7 / 41),
                1e-8);
    EXPECT_NEAR(made["result/x[13]"][k], compiled["result/x[13]"][k], 1e-8);
    EXPECT_EQ(made["/status"][k], 0);
  }
  expect_same_bits(run_deck(self, deck + "interpreted\n", {{make_omp_executor(3)}, {}}), made);
  expect_same_bits(
      run_deck(self, deck + "interpreted\n", {{make_omp_executor(1), make_emulated_executor(2, true)}, {}}), made);
}

// Sums that equations without vectors have are differentiated: x' = -(1 + 1/2 + 1/4) x.
TEST(OdeVectors, LyapunovExponentsSeeIntoSums) {
  const Communicator self(MPI_COMM_SELF);
  const std::string head =
      "ode_ensemble:\n  sweep: [{name: p, values: [1, 2]}]\n  solver: {method: dopri5, rtol: 1e-10, atol: 1e-12}\n"
      "  phase: {length: 1}\n  evaluation: interpreted\n  record: {final: [rate]}\n"
      "  accumulators: {rate: {lyapunov: true}}\n";
  const DeckResult made = run_deck(self, head + "  equations: [\"x' = -p*sum(k, 0, 2, x/2^k)\"]\n  initial: {x: 1}\n");
  for (const std::size_t k : {0, 1}) EXPECT_NEAR(made["result/rate"][k], k == 0 ? -1.75 : -3.5, 1e-9);
  const std::string vector = head + "  equations: [\"x[i]' = -p*x[i] for i in 1..3\"]\n  initial: {x: 1}\n";
  const std::string faults = deck_faults(vector);
  EXPECT_NE(faults.find("is for equations without an index"), std::string::npos) << faults;
  EXPECT_NE(faults.find("1 fault in"), std::string::npos) << faults;
}

TEST(OdeVectors, NvrtcCompilesLoops) {
  std::optional<Nvrtc> nvrtc;
  try {
    nvrtc.emplace();
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const Maker make : {lorenz96, oscillators, chain}) {
    const Deck deck(whole(make(256, 0), "  solver: {method: dopri5}\n"), "deck.yaml");
    DeckReader reader(deck);
    EnsembleOptions options;
    options.describe(reader);
    const Cubin cubin = nvrtc->compile(device_source(lower(formulate(options, nullptr).system), Method::dopri5), 90);
    EXPECT_GT(kernel_use(cubin.log, "halocline_ensemble").registers, 0);
  }
}

struct Fault {
  const char *from, *to, *place, *message;
};

const std::string good =
    "ode_ensemble:\n"                                        // 1
    "  constants: {N: 4}\n"                                  // 2
    "  definitions:\n"                                       // 3
    "    - w[i] = i for i in 1..N\n"                         // 4
    "  equations:\n"                                         // 5
    "    - x[i]' = w[i] - x[i+1] for i in 1..N, periodic\n"  // 6
    "    - v' = sum(j, 1, N, x[j])\n"                        // 7
    "  initial:\n"                                           // 8
    "    x[i]: 1\n"                                          // 9
    "    v: 0\n"                                             // 10
    "  solver: {method: dopri5}\n"                           // 11
    "  phase: {length: 1}\n"                                 // 12
    "  record: {final: [x]}\n";                              // 13

const Fault faults[] = {
    {", periodic", "", "6:22", "'x[i+1]' reaches x[5], which does not exist"},
    {" for i in 1..N, periodic", "", "6:7", "ends with its range"},
    {"x[i+1]", "y[i+1]", "6:22", "'y' has no elements"},
    {"x[i+1]", "x[i/2]", "6:22", "a subscript is a whole number plus whole multiples of indices"},
    {"x[i+1]", "x[i*i]", "6:22", "a subscript is a whole number plus whole multiples of indices"},
    {"x[i+1]", "x[j]", "6:22", "'j' is not an index here"},
    {"x[i+1]", "x[i", "6:23", "']' is missing"},
    {"x[i+1]", "x", "6:22", "unknown name 'x'"},
    {"x[i+1]", "u", "6:22", "unknown name 'u'"},
    {"1..N, periodic", "1..N, around", "6:29", "a range reads 'for i in 1..N'"},
    {"1..N, periodic", "1..M, periodic", "6:41", "unknown name 'M'"},
    {"1..N, periodic", "1..N/3, periodic", "6:41", "expected a whole number"},
    {"1..N, periodic", "4..1, periodic", "6:29", "the range from 4 to 1 is empty"},
    {"1..N, periodic", "1..600, periodic", "6:7", "'x' has 600 elements, 512 at most"},
    {"v' = sum(j, 1, N, x[j])", "v' = sum(j, 1, N)", "7:12", "a sum reads 'sum(j, 1, N, formula)'"},
    {"v' = sum(j, 1, N, x[j])", "v' = sum(j, 1, N, x[j+1]*q)", "7:32", "unknown name 'q'"},
    {"v' = sum(j, 1, N, x[j])", "v' = sum(j, 1, N, sum(k, 1, N, x[j]))", "7:38",
     "a sum inside another one cannot use its index"},
    {"v' = sum(j, 1, N, x[j])", "v' = x[i]", "7:12", "'i' is not an index here"},
    {"v' = sum(j, 1, N, x[j])", "v' = j*sum(j, 1, N, x[j])", "7:12", "'j' is not an index here"},
    {"v' = sum(j, 1, N, x[j])", "i' = 1", "6:7", "the name 'i' is a state already; it cannot be an index too"},
    {"w[i] = i for i in 1..N", "w[i] = i for i in 2..N", "6:15", "'w[i]' reaches w[1]; 'w' is defined from 2 to 4"},
    {"w[i] = i for i in 1..N", "w[i] = w[i] for i in 1..N", "4:7", "circular definition: 'w' uses itself"},
    {"w[i] = i for", "x[0] = i for", "4:7", "a definition with an index reads"},
    {"w[i] = i for i in 1..N", "x[0] = 1", "4:7", "the range of 'x' is periodic"},
    {"w[i] = i for i in 1..N", "x[2] = 1", "4:7", "'x[2]' is an unknown: it has an equation"},
    {"    x[i]: 1\n", "    x[3]: 1\n", "8:3", "has no value for state 'x[1]'"},
    {"    x[i]: 1\n", "    x[i]: 1\n    x: 2\n", "10:8", "'x' is given twice"},
    {"    x[i]: 1\n", "    x[i]: v\n", "9:11", "'v' may not be used here"},
    {"    x[i]: 1\n", "    x[k]: 1\n", "9:11", "'x[k]' is no state"},
    {"dopri5", "dopri5, atol: {'x[3]': 1e-9}", "11:28", "the elements of a vector share the tolerance under its name"},
    {"[x]", "['x[5]']", "13:12", "'x[5]' is no state, accumulator or definition"},
    {"N: 4}", "N: 40}\n", "", ""},
};

TEST(OdeVectors, FaultsHavePlacesAndSayWhatIsRight) {
  EXPECT_EQ(deck_faults(good), "");
  for (const Fault& one : faults) {
    std::string deck = good;
    const std::size_t begin = deck.find(one.from);
    ASSERT_NE(begin, std::string::npos) << one.from;
    deck.replace(begin, std::string(one.from).size(), one.to);
    const std::string found = deck_faults(deck);
    if (*one.message == '\0') {
      EXPECT_EQ(found, "") << deck;
      continue;
    }
    EXPECT_NE(found.find(std::string("deck.yaml:") + one.place), std::string::npos) << one.place << "\n" << found;
    EXPECT_NE(found.find(one.message), std::string::npos) << one.message << "\n" << found;
  }
  std::string stiff = good;
  stiff.replace(stiff.find("N: 4"), 4, "N: 40");
  stiff.replace(stiff.find("dopri5"), 6, "rodas5p");
  EXPECT_NE(deck_faults(stiff).find("has 41 states (ros23, rodas5p and auto solve dense systems), 32 at most"),
            std::string::npos);
}

}  // namespace
}  // namespace halocline::ode_ensemble
