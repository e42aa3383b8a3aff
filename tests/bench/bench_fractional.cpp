// Steps of family fractional, whole and kernel by kernel, beside the bytes that they must move.
//
//   bench_fractional [DEVICE [CELLS [CASE [TERMS [PRECISION]]]]]      omp:1 128 all 40 fp64 by default
// CELLS along each axis; CASE: constant, varying (D of place), direct (to level 200), all; TERMS of the history, of
// which the nearest number is taken that some eps leads to; PRECISION as in decks. A line for the step: milliseconds,
// the mean of a block, the best of several; and how much of that time its floor takes at the rate of the triad on a
// host, of copies on a GPU. Then a line per kernel, by the bytes that it states, from a second run with a profile,
// whose events take time too.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "gpu/copy_rate.hpp"
#include "gpu/devices.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/problems/fractional/history/history_kernel.hpp"
#include "lib/problems/fractional/stepper.hpp"
#include "tests/bench/triad.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace {

using namespace halocline;
using namespace halocline::fractional;

constexpr int block = 16, blocks = 4;  // timed, after those that fill tables

struct Case {
  std::string name;
  bool varying = false, direct = false;
  std::string precision = "fp64";
  Index warm() const { return direct ? 184 : 3 * block; }  // steps before those that are timed
  Index steps() const { return direct ? 200 + (blocks + 1) * block : precision == "fp16_history" ? 2000 : 20000; }
};

DeckText deck_of(const Case& what, int cells, double eps) {
  DeckText deck;
  const std::string n = std::to_string(cells);
  deck.grid = "{size: [1, 1, 1], cells: [" + n + ", " + n + ", " + n + "]}";
  deck.equation["D"] = what.varying ? "1 + x*y*z/2" : "1";
  deck.equation["initial"] = "sin(pi*x)*sin(pi*y)*sin(pi*z)";  // so smooth that sweeps are good enough
  deck.time = "{end: 1, steps: " + std::to_string(what.steps()) + "}";
  char text[120];
  std::snprintf(text, sizeof text, "  precision: %s\n  history: {engine: %s, block: %d, eps: %.3e}\n",
                what.precision.c_str(), what.direct ? "direct" : "exponentials", block, eps);
  deck.more = text;
  return deck;
}

int terms_of(const Formulation& f) {
  const Weights weights = f.weights({{{f.orders[0], 1.0}}});
  return HistoryKernel(weights, block, f.levels->s(f.levels->steps()), f.history.eps).terms();
}

// The deck with the number of terms nearest to `terms`.
DeckText nearest_deck(const Case& what, int cells, int terms) {
  double best = 1e-9;
  int distance = 1 << 30;
  for (double eps = 1e-3; eps > 1e-13 && distance > 0 && !what.direct; eps /= 1.25) {
    const int of = std::abs(terms_of(formulate(read_deck(deck_of(what, 8, eps).text()))) - terms);
    if (of < distance) distance = of, best = eps;
  }
  return deck_of(what, cells, best);
}

// Bytes per node and step that no order of the same kernels saves; see docs/performance/fractional.md.
double floor_bytes(const Case& what, int terms, Index from) {
  const bool halves = what.precision == "fp16_history";
  const double field = what.precision == "fp32" ? 4 : 8, line = what.precision == "fp64" ? 8 : 4;
  const double kept = halves ? 2 : line;           // a number of the history
  const double right = field + line * (2 + 1.75);  // with the increments of the own sub-block, a mean over the block
  const double sweeps = 2 * line + 2 * line + 3 * line + 2 * field;
  // Of a block of halves: increments to halves, halves of sub-blocks to sums in floats.
  const double near = halves ? 4 + 2 + 1.5 * 2 + 2 + 4 : 3 * line;
  const double far = what.direct ? kept * (static_cast<double>(from) / block + 2) : 2 * kept * (terms + block) / block;
  return right + sweeps + near + far + (what.varying ? 4 * 8 : 0);  // D, for the right side and the sweeps
}

using Entries = std::vector<KernelProfile::Entry>;

// A run up to the steps that are timed.
class Run {
 public:
  Run(const std::string& device, const Case& what, const DeckText& deck, bool profiled)
      : team_({make_executor(device, 1, profiled ? &timers_ : nullptr)}, 0, 1) {
    const FractionalOptions options = read_deck(deck.text());
    ThrownFaults faults;
    const Partition planes = plan(options, Shape{}, faults).partition;
    formulation_ = formulate(options);
    stepper_ = make_stepper({self_, team_, timers_, log_, Shape{}, 1, planes}, formulation_);
    stepper_->set_initial();
    advance(what.warm());
  }
  // Seconds of these steps.
  double advance(Index steps) {
    stepper_->wait();
    const auto start = std::chrono::steady_clock::now();
    for (Index i = 0; i < steps; ++i) stepper_->step();
    stepper_->wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  Entries entries() const { return team_.executor(0)->profile()->entries(); }
  int terms() const { return stepper_->history().terms; }

 private:
  Communicator self_{MPI_COMM_SELF};
  Timers timers_;
  Team team_;
  Log log_{false, LogLevel::off};
  Formulation formulation_;
  std::unique_ptr<Stepper> stepper_;
};

class Bench {
 public:
  Bench(const std::string& device, double rate) : device_(device), rate_(rate) {}

  void run(const Case& what, int cells, int terms) const {
    const DeckText deck = nearest_deck(what, cells, terms);
    {
      Run run(device_, what, deck, false);
      double best = 1e300;
      for (int pass = 0; pass < blocks; ++pass) best = std::min(best, run.advance(block) / block);
      const double nodes = std::pow(cells + 1.0, 3);
      const double bytes = floor_bytes(what, run.terms(), what.warm()) * nodes;
      std::printf("%-9s %4d^3 %-28s %9.4f ms %8.2f ns per node, floor %5.1f %%, %d terms\n", what.name.c_str(), cells,
                  "step", 1e3 * best, 1e9 * best / nodes, 100 * bytes / best / rate_, run.terms());
    }
    Run profiled(device_, what, deck, true);
    const Entries before = profiled.entries();
    for (int pass = 0; pass < blocks; ++pass) profiled.advance(block);
    say_kernels(what, cells, before, profiled.entries());
  }

 private:
  void say_kernels(const Case& what, int cells, const Entries& before, const Entries& after) const {
    for (KernelProfile::Entry now : after) {
      for (const KernelProfile::Entry& old : before)
        if (old.scope == now.scope && old.name == now.name) {
          now.calls -= old.calls;
          now.seconds -= old.seconds;
          now.bytes -= old.bytes;
        }
      if (now.calls == 0) continue;
      std::printf("%-9s %4d^3 %-28s %9.4f ms a step in %6.4f calls, %8.2f GB/s %6.1f %%\n", what.name.c_str(), cells,
                  now.name.c_str(), 1e3 * now.seconds / (blocks * block),
                  static_cast<double>(now.calls) / (blocks * block), 1e-9 * now.bytes / now.seconds,
                  100 * now.bytes / now.seconds / rate_);
    }
    std::fflush(stdout);
  }

  std::string device_;
  double rate_;
};

void run(const std::string& device, int cells, const std::string& name, int terms, const std::string& precision) {
  const ExecutorPtr executor = make_executor(device, 1);
  const bool host = executor->backend() == Backend::omp;
  const double rate = host ? triad_rate(executor->threads()) : copy_rate(executor, 0.5);
  std::printf("%s: %s %.1f GB/s\n", device.c_str(), host ? "triad" : "copies", 1e-9 * rate);
  const Bench bench(device, rate);
  for (Case what : {Case{"constant"}, Case{"varying", true}, Case{"direct", false, true}}) {
    what.precision = precision;
    if (name == "all" || name == what.name) bench.run(what, cells, terms);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const auto argument = [&](int n, const char* otherwise) { return std::string(argc > n ? argv[n] : otherwise); };
  run(argument(1, "omp:1"), std::stoi(argument(2, "128")), argument(3, "all"), std::stoi(argument(4, "40")),
      argument(5, "fp64"));
  MPI_Finalize();
}
