// Set-up and verification: what a run does before its first and after its last iteration or step.
//
//   bench_setup [DEVICE [NS [CELLS]]]      omp:2 512 2048 by default; any device
// P2 on NS x NS elements by multigrid, phase by phase and as a whole, then initial values and errors of diffusion on
// CELLS x CELLS cells. A line per phase: milliseconds of the first pass and of the best of some more.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "gpu/devices.hpp"
#include "io/deck/deck_reader.hpp"
#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/collocation/formulas/coefficient_check.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "lib/problems/collocation/solution.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/diffusion/options.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace {

using namespace halocline;

// A machine of one device, and what a problem is given.
struct Machine {
  explicit Machine(const std::string& device)
      : executor(make_executor(device, 1)), team({executor}, 0, 1), log(false, LogLevel::off), context{comm,    team,
                                                                                                       timers,  log,
                                                                                                       Shape{}, 8} {}

  Communicator comm{MPI_COMM_SELF};
  ExecutorPtr executor;
  Team team;
  Timers timers;
  Log log;
  Context context;
};

// Runs `work` some times, with the device at rest before and after.
template <class Work>
void time(const Machine& machine, const char* phase, const Work& work) {
  double first = 0, best = 1e300, total = 0;
  for (int pass = 0; pass < 20 && (pass < 2 || total < 2); ++pass) {
    machine.executor->synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    machine.executor->synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (pass == 0) first = seconds;
    best = std::min(best, seconds);
    total += seconds;
  }
  std::printf("%-34s %10.2f ms, best %10.2f ms\n", phase, 1e3 * first, 1e3 * best);
  std::fflush(stdout);
}

// Options of a family from a deck's text.
std::unique_ptr<Options> read(const std::string& text, const Family& family) {
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  const std::array<const char*, 1> names{family.name};
  int problem = 0;
  reader.choice({"problem", "", "The family.", true}, problem, names);
  auto options = family.options();
  options->describe(reader);
  reader.finish();
  if (!reader.faults().empty()) throw DeckError(format(reader.faults(), deck.file()));
  return options;
}

std::string p2_deck(Index ns) {
  const std::string mesh = "{from: 0, to: 1, elements: " + std::to_string(ns) + "}";
  return "problem: collocation\ncollocation:\n  equation: {a: 2 + sin(pi*x)*cos(pi*y), b: 0.4*cos(x-y), "
         "c: 1.5 + 0.5*cos(x*y), d: 5*cos(y), e: -3*x, eta: -(1 + x^2 + y^2), f: manufactured}\n  mesh: {x: " +
         mesh + ", y: " + mesh +
         "}\n  sides: {rest: {kind: dirichlet}}\n  solver: {method: mg}\nverify: {exact: sin(2*x+1)*cos(3*y) + "
         "exp(x*y/2)}\n";
}

void time_collocation(Machine& machine, Index ns) {
  using namespace collocation;
  machine.context.partition = Partition::from_starts({0, ns + 1});
  const Context& context = machine.context;
  const auto given = read(p2_deck(ns), collocation_family());
  const auto& options = static_cast<const CollocationOptions&>(*given);
  std::printf("P2, %ld x %ld elements on %s\n", static_cast<long>(ns), static_cast<long>(ns),
              machine.executor->name().c_str());
  const Formulation problem = formulate(options);
  const NodalBlock block{0, ns + 1, ns, ns};
  const std::vector<NodalBlock> blocks{block};
  const int threads = context.all_threads();
  time(machine, "formulation", [&] { formulate(options); });
  time(machine, "plan of multigrid", [&] { plan_multigrid(problem, SmootherChoice::automatic, 1); });
  time(machine, "check of coefficients", [&] { check_coefficients(machine.executor, problem, block, false, threads); });
  time(machine, "coefficients fp64",
       [&] { Equations<double>(problem, problem.x, problem.y, block, machine.executor, threads); });
  Vector<double> b(nodal_vector_space(machine.comm, machine.team, blocks));
  time(machine, "right-hand side", [&] { load_right_hand_side(context, problem, blocks, b); });
  std::unique_ptr<Solver> solver;
  SolverOptions choice = options.block.solver;
  choice = choice.resolved(Method::mg);
  time(machine, "solver, whole", [&] {
    solver.reset();
    solver = multigrid_method.make(context, problem, choice);
  });
  time(machine, "start: full multigrid", [&] { solver->begin(); });
  while (!solver->iterate(100)) {
  }
  time(machine, "solution: unknowns and sides", [&] { Solution(context, problem, *solver); });
  const Solution solution(context, problem, *solver);
  time(machine, "solution: residual", [&] { solution.residual(machine.comm); });
  time(machine, "solution: errors", [&] { solution.errors(machine.comm); });

  std::unique_ptr<Problem> whole;
  time(machine, "SET-UP, all", [&] {
    whole.reset();
    whole = collocation_family().make(context, options);
  });
  whole->initialize();
  while (!whole->advance(1e300).finished) {
  }
  time(machine, "VERIFICATION, later", [&] {
    Findings findings;
    whole->verify(findings);
  });
}

void time_diffusion(Machine& machine, Index cells) {
  using namespace diffusion;
  machine.context.partition = Partition::from_starts({0, cells});
  const std::string side = std::to_string(cells);
  const auto given =
      read("problem: diffusion\ndiffusion:\n  grid: {layout: fv, size: [1, 1], cells: [" + side + ", " + side +
               "]}\n  equation: {kind: diffusion, D: 1, initial: 1 + cos(pi*x)*cos(2*pi*y) + x*y}\n  walls: {rest: "
               "{kind: no_flux}}\n  stencil: {mask: 5pt, co: 0.5}\n  time: {end: 1e-6}\nverify: {exact: 1 + "
               "exp(-5*pi^2*t)*cos(pi*x)*cos(2*pi*y)}\n",
           diffusion_family());
  const diffusion::Formulation problem = formulate(static_cast<const DiffusionOptions&>(*given));
  std::printf("diffusion, %s x %s cells on %s\n", side.c_str(), side.c_str(), machine.executor->name().c_str());
  const auto stepper = make_stepper(machine.context, problem, false);
  time(machine, "INITIAL VALUES", [&] { stepper->set(problem.initial); });
  time(machine, "check of values", [&] { stepper->first_bad(); });
  time(machine, "measures", [&] { stepper->measure(); });
  time(machine, "errors", [&] { stepper->errors(FormulaAtTime{&*problem.exact, 0}); });
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  {
    Machine machine(argc > 1 ? argv[1] : "omp:2");
    time_collocation(machine, argc > 2 ? std::atol(argv[2]) : 512);
    time_diffusion(machine, argc > 3 ? std::atol(argv[3]) : 2048);
  }
  MPI_Finalize();
}
