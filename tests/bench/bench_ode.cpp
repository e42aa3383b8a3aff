// Nanoseconds per trial step of one system on one core: scalar Boost.odeint beside the built-in models in lanes, code
// generated from formulas, and the interpreter.
//
//   bench_ode [ROUNDS [MODEL]]      best of ROUNDS (default 7) interleaved runs, processor time of the thread
// Goals for the ratio to odeint: Lorenz 8, bubble 5, valve 4; interpreter 2.5 on Lorenz; generated code within 5 % of
// the built-in model. odeint has no events: its valve is a loop of the user's own around the controlled stepper, which
// repeats the step until it ends at the impact or the maximum.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/host/compiled.hpp"
#include "lib/problems/ode_ensemble/host/interpreter.hpp"
#include "tests/bench/grid.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace {

using namespace halocline;
using namespace halocline::ode_ensemble;
namespace odeint = boost::numeric::odeint;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double checksum = 0;  // keeps results alive

// --- odeint ----------------------------------------------------------------------------------------------------------

struct OdeintLorenz {
  double p;
  void operator()(const std::array<double, 3>& x, std::array<double, 3>& f, double) const {
    f[0] = 10.0 * (x[1] - x[0]);
    f[1] = p * x[0] - x[1] - x[0] * x[2];
    f[2] = x[0] * x[1] - 2.666 * x[2];
  }
};

struct OdeintBubble {
  std::array<double, 11> c{};  // C0 to C9; C10 is 2 pi
  explicit OdeintBubble(double f1) {
    const double rho = 997.0639504998557, cL = 1497.251785455527, pv = 3166.775638952003, sigma = 0.071977583160056,
                 mu = 8.902125058209557e-4, Pinf = 1e5, gamma = 1.4, RE = 10.0e-6, PA1 = 1.5e5;
    const double pi = 3.141592653589793, k = 1 / (RE * f1), pg = Pinf - pv + 2 * sigma / RE;
    c = {pg * k * k / rho,
         (1 - 3 * gamma) * pg * k / (rho * cL),
         (Pinf - pv) * k * k / rho,
         2 * sigma * k * k / (rho * RE),
         4 * mu / (rho * RE * RE * f1),
         PA1 * k * k / rho,
         0,
         2 * pi * f1 * RE * PA1 * k * k / (rho * cL),
         0,
         RE * f1 / cL,
         2 * pi};
  }
  void operator()(const std::array<double, 2>& y, std::array<double, 2>& f, double t) const {
    const double inverse = 1 / y[0], rise = 1 + c[9] * y[1];
    const double n = (c[0] + c[1] * y[1]) * std::pow(y[0], -4.2) - (c[3] + c[4] * y[1]) * inverse -
                     (c[2] + c[5] * std::sin(c[10] * t)) * rise - 1.5 * (1 - c[9] * y[1] / 3) * y[1] * y[1] -
                     y[0] * c[7] * std::cos(c[10] * t);
    f[0] = y[1];
    f[1] = n / (y[0] - c[9] * y[0] * y[1] + c[4] * c[9]);
  }
};

struct OdeintValve {
  double q;
  void operator()(const std::array<double, 3>& y, std::array<double, 3>& f, double) const {
    f[0] = y[1];
    f[1] = -1.25 * y[1] - (y[0] + 10) + y[2];
    f[2] = 20 * (q - y[0] * std::sqrt(y[2]));
  }
};

// Each returns its number of trial steps.
long long odeint_lorenz(const std::vector<double>& p) {
  for (const double one : p) {
    std::array<double, 3> x{10, 10, 10};
    odeint::runge_kutta4<std::array<double, 3>> stepper;
    for (int i = 0; i < 1000; ++i) stepper.do_step(OdeintLorenz{one}, x, i * 0.01, 0.01);
    checksum += x[0];
  }
  return static_cast<long long>(p.size()) * 1000;
}

long long odeint_bubble(const std::vector<double>& f1) {
  long long trials = 0;
  for (const double one : f1) {
    const OdeintBubble bubble(one);
    std::array<double, 2> y{1, 0};
    double h = 1e-2, peak = 1;
    for (int phase = 0; phase < 2; ++phase) {
      auto stepper = odeint::make_controlled<odeint::runge_kutta_cash_karp54<std::array<double, 2>>>(1e-10, 1e-10);
      double t = 0;
      while (t < 1) {
        double step = std::min(h, 1 - t);
        const bool clipped = step < h;
        const double tried = step;
        ++trials;
        if (stepper.try_step(bubble, y, t, step) == odeint::success) {
          peak = std::max(peak, y[0]);
          if (clipped && t + 1e-14 * tried >= 1) break;
        }
        if (!clipped || step < tried) h = step;
      }
    }
    checksum += peak;
  }
  return trials;
}

// Four phases from maximum to maximum with impacts.
long long odeint_valve(const std::vector<double>& q) {
  using State = std::array<double, 3>;
  long long trials = 0;
  for (const double one : q) {
    const OdeintValve valve{one};
    auto stepper = odeint::make_controlled<odeint::runge_kutta_cash_karp54<State>>(1e-10, 1e-10);
    odeint::runge_kutta_cash_karp54<State> plain;
    State y{0.2, 0, 4};
    double t = 0, h = 1e-2, highest = 0;
    for (int maxima = 0; maxima < 4 && t < 200;) {
      const State before = y;
      const double t_before = t;
      double step = h;
      ++trials;
      if (stepper.try_step(valve, y, t, step) == odeint::fail) {
        h = step;
        continue;
      }
      const double took = t - t_before;
      h = step;
      highest = std::max(highest, y[0]);
      const bool impact = before[0] > 0 && y[0]<0, top = before[1]> 0 && y[1] <= 0;
      if (!impact && !top) continue;
      const std::size_t watched = impact ? 0 : 1;
      // Secant on the step size, kept within the bracket.
      double low = 0, high = took, f_low = before[watched], f_high = y[watched];
      for (int i = 0; i < 12 && std::abs(y[watched]) > 1e-12; ++i) {
        double part = low + (high - low) * f_low / (f_low - f_high);
        if (!(part > low && part < high)) part = 0.5 * (low + high);
        y = before;
        plain.do_step(valve, y, t_before, part);
        ++trials;
        (y[watched] > 0 ? low : high) = part;
        (y[watched] > 0 ? f_low : f_high) = y[watched];
        t = t_before + part;
      }
      if (impact) y[0] = 0, y[1] = -0.8 * y[1];
      if (!impact) ++maxima, y[1] = std::min(y[1], -1e-300);
      stepper = odeint::make_controlled<odeint::runge_kutta_cash_karp54<State>>(1e-10, 1e-10);
    }
    checksum += highest;
  }
  return trials;
}

// --- Ours ------------------------------------------------------------------------------------------------------------

struct Problem {
  std::string name;
  OdeSystem system;
  Method method = Method::rkck45;
  std::vector<double> swept, initial;  // one value per system; one per state
  std::function<long long(const std::vector<double>&)> odeint;
  std::function<void(OdeArrays&)> settings;
};

long long run(const OdeBackend& backend, const Problem& problem) {
  const auto systems = static_cast<long long>(problem.swept.size());
  std::vector<double> initial;
  for (const double one : problem.initial) initial.insert(initial.end(), problem.swept.size(), one);
  OdeArrays arrays(systems, backend.state_rows(), problem.swept, initial, problem.system.states);
  problem.settings(arrays);
  backend.advance(arrays.view());
  long long trials = 0;
  for (long long i = 0; i < systems; ++i) {
    trials += arrays.counter(Counter::accepted, i) + arrays.counter(Counter::rejected, i) +
              arrays.counter(Counter::retaken, i);
  }
  checksum += arrays.value(0, 0);
  return trials;
}

struct Engine {
  std::string name;
  std::function<long long()> run;
  double best = 1e300;  // s per trial step
};

// Prints how long compiling takes, and loading from the cache: goals 2 s and 50 ms.
std::shared_ptr<OdeBackend> compile_twice(const std::string& name, const LoweredModel& model, Method method) {
  const Communicator comm(MPI_COMM_SELF);
  Log log(false, LogLevel::off);
  std::string folder = std::filesystem::temp_directory_path() / "bench_ode_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return nullptr;
  HostModel made = make_host_model(comm, log, {"", folder + "/cache"}, model, method);
  const HostModel again = make_host_model(comm, log, {"", folder + "/cache"}, model, method);
  std::filesystem::remove_all(folder);
  if (made.compiler.empty()) return nullptr;
  std::printf("%-14s compiled in %.2f s, %s in %.1f ms\n", name.c_str(), made.seconds,
              again.cached ? "from the cache" : "NOT from the cache", 1e3 * again.seconds);
  return std::move(made.backend);
}

void measure(const Problem& problem, int rounds) {
  const int level = host_level();
  const LoweredModel lowered = lower(problem.system);
  const std::shared_ptr<OdeBackend> builtin = make_builtin_backend(problem.name, problem.method, level);
  const std::shared_ptr<OdeBackend> interpreter = make_interpreter(lowered, problem.method, level);
  const std::shared_ptr<OdeBackend> compiled = compile_twice(problem.name, lowered, problem.method);
  std::vector<Engine> engines{{"odeint", [&] { return problem.odeint(problem.swept); }},
                              {"built-in", [&] { return run(*builtin, problem); }},
                              {"interpreter", [&] { return run(*interpreter, problem); }}};
  if (compiled) engines.push_back({"generated", [&] { return run(*compiled, problem); }});
  for (int round = 0; round < rounds; ++round) {
    for (Engine& engine : engines) {
      const double start = thread_seconds();
      const long long trials = engine.run();
      engine.best = std::min(engine.best, (thread_seconds() - start) / static_cast<double>(trials));
    }
  }
  for (const Engine& engine : engines) {
    std::printf("%-14s %-12s %8.2f ns   %5.2f x odeint   %5.2f x built-in\n", problem.name.c_str(), engine.name.c_str(),
                1e9 * engine.best, engines[0].best / engine.best, engines[1].best / engine.best);
  }
}

std::vector<Problem> problems() {
  OdeTexts lorenz = lorenz_texts(), bubble = bubble_texts(), valve = valve_texts();
  std::vector<Problem> list;
  list.push_back(
      {"lorenz", lorenz.make(), Method::rk4, grid(0, 21, 512, false), {10, 10, 10}, odeint_lorenz, [](OdeArrays& a) {
         a.length[0] = 10;
       }});
  list.push_back({"keller_miksis",
                  bubble_system(bubble),
                  Method::rkck45,
                  grid(1e5, 1e6, 128, true),
                  {1, 0},
                  odeint_bubble,
                  [](OdeArrays& a) {
                    a.ensemble.restart_time = 1;
                    a.ensemble.record = 2;
                  }});
  list.push_back({"relief_valve",
                  valve_system(valve),
                  Method::rkck45,
                  grid(1, 6, 256, false),
                  {0.2, 0, 4},
                  odeint_valve,
                  [](OdeArrays& a) {
                    a.ensemble.phase_by_event = 1;
                    a.ensemble.record = 4;
                    a.length[0] = 50;
                  }});
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  for (const Problem& problem : problems()) {
    if (argc < 3 || problem.name == argv[2]) measure(problem, rounds);
  }
  MPI_Finalize();
  return std::isfinite(checksum) ? 0 : 1;
}
