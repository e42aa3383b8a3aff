// What an iteration of each method moves and sends, by docs/performance/collocation.md and docs/performance/gpu.md.
#include "lib/problems/costs/families.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/base/format.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/closed/wave_exchange.hpp"
#include "lib/problems/collocation/closed/wave_tables.hpp"
#include "lib/problems/collocation/make_solver.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline {
namespace collocation {
namespace {

constexpr double of_node = 4 * sizeof(double);  // the four numbers of a node

constexpr const char* not_in_parts = "several parts send what they must; this method has not been measured in parts";

// What a method is asked for: nodes along x and y, lines of the largest part.
struct Mesh {
  double nx, ny, lines;
  double nodes() const { return lines * ny; }
};

// Vectors of the black lines, half of all unknowns: twelve of them are there, and on a host sums ride along with what
// is read anyway.
Cost schur_cost(const Mesh& mesh, const SolverOptions& options, const CostSetting& setting) {
  const double vector = of_node / 2 * mesh.nodes();
  Cost cost;
  if (setting.gpu)
    cost.kernels = {{"schur", 7, 25 * vector, 12 * vector}};
  else
    cost.kernels = {{"schur", 9, 19 * vector, 12 * vector}};
  cost.halos = {{2, of_node / 2 * mesh.ny, 2, setting.gpu}};  // a line, while inner ones are solved
  cost.sums = options.sums == SumMessages::fused ? 2 : 3;
  cost.unit = "iteration";
  return cost;
}

// The same with lines of general coefficients, in numbers of `size` bytes: 38 vectors of all unknowns. A GPU has a
// thread for each line, which goes along it row by row, red lines and black ones of two products.
Cost block_schur_cost(const Mesh& mesh, const SolverOptions& options, const CostSetting& setting,
                      double size = sizeof(double)) {
  const double vector = of_node * mesh.nodes() * size / sizeof(double);
  Cost cost = schur_cost(mesh, options, setting);
  const char* kernel = size < sizeof(double) ? "general lines in floats" : "general lines";
  cost.kernels = {{kernel, 9, 38 * vector, 24 * vector}};
  if (setting.gpu) {
    cost.kernels.push_back({"rows of general lines", 4 * mesh.ny, 0, 0});
    cost.assumed = "times of GPUs rest on one, of 512 x 512 elements on one of them";
  }
  cost.halos = {{2, of_node * mesh.ny, 2, setting.gpu}};
  return cost;
}

// So many inner iterations; around them a residual in double, reduction, recovery and update. Lines go to the part
// before for the reduction, to both for residual and recovery.
Cost refined_cost(const Mesh& mesh, const SolverOptions& options, const CostSetting& setting) {
  const bool single = options.precision == Precision::fp32;
  const auto inner = static_cast<double>(options.inner_max_iterations);
  Cost cost = block_schur_cost(mesh, options, setting, single ? sizeof(float) : sizeof(double));
  for (KernelCost& kernel : cost.kernels) {
    kernel.calls *= inner;
    kernel.bytes *= inner;
  }
  cost.kernels.push_back({"vectors", 14, 24 * of_node * mesh.nodes(), 15 * of_node * mesh.nodes()});
  cost.halos.front().calls *= inner;
  cost.halos.push_back({2, of_node * mesh.ny, 2, setting.gpu});
  cost.halos.push_back({1, of_node * mesh.ny, 1});
  cost.sums = cost.sums * inner + 1;
  const std::string iterations = formatted("{} inner iterations each, the most that inner_maxit allows", inner);
  cost.assumed = cost.assumed.empty() ? iterations : iterations + "; " + cost.assumed;
  return cost;
}

// Two cycles, and outside of them products and vectors of BiCGSTAB in double precision.
Cost multigrid_cost(const Mesh& mesh, const Formulation& problem, const MultigridPlan& plan,
                    const SolverOptions& options, const CostSetting& setting) {
  constexpr double sweeps_on_gpu = 368, sweeps_on_host = 480;  // bytes a node, on one level
  constexpr double without_coefficients = 2.0 / 3;             // of that is read where these are constant
  const double bytes = (setting.gpu ? sweeps_on_gpu : sweeps_on_host) * (problem.constants ? without_coefficients : 1) *
                       (options.precision == Precision::fp64 ? 2 : 1);
  const double values = of_node / (options.precision == Precision::fp64 ? 1 : 2);
  constexpr double cycles = 2, kernels = 6, exchanges = 5;  // of an iteration; of a level and cycle
  Cost cost;
  cost.unit = "iteration";
  double before = 1;
  for (int level = 0; level < plan.levels(); ++level) {
    const double nx = plan.x[level].elements() + 1.0, ny = plan.y[level].elements() + 1.0;
    const bool shared = level < plan.distributed;
    double group = 1;  // parts that one of those that hold the level stands for
    for (const Place& place : plan.places)
      if (place.level <= level) group = static_cast<double>(place.group);
    const double nodes = (shared ? mesh.lines / std::exp2(level) * group : nx) * ny;
    cost.kernels.push_back({"node cycle", cycles * kernels, cycles * bytes * nodes, bytes / 3 * nodes});
    // Smoothers send a line, residuals two to one side; times by staged messages on four GPUs ask for two.
    if (shared) cost.halos.push_back({cycles * exchanges, 2 * values * ny, 2, setting.gpu});
    if (group > before) {  // moves: one of the group gets lines of the others, and gives them back
      const double from = std::min(group / before, std::ceil(setting.parts / before));
      cost.halos.push_back({cycles * 2, values * nodes * (1 - 1 / from), 1, false, false, {}, from - 1});
    }
    before = group;
    const double holders = std::ceil(setting.parts / group);
    if (level == plan.distributed && holders > 1) {  // the right-hand side of this level goes to all who hold it
      cost.gathers = cycles;
      cost.gather_bytes = values * nx * ny * (holders - 1) / holders;
    }
  }
  cost.kernels.push_back({"vectors", 20, 46 * of_node * mesh.nodes(), 15 * of_node * mesh.nodes()});
  cost.halos.push_back({2, of_node * mesh.ny, 2, setting.gpu});
  cost.sums = options.sums == SumMessages::fused ? 2.4 : 4;  // of five iterations, one as without
  cost.units = 5;
  cost.assumed = "5 iterations, as for coefficients that vary little; with steep ones there are up to 8";
  return cost;
}

constexpr double longest_in_block = 7000;  // elements of a line that a block of threads of a GPU transforms in one pass

// Transforms of lines along y, there and back. On GPUs lines that no block of threads holds take two passes. Bytes a
// node: `measure`, times the binary logarithm of the length, and `in_two_passes`.
KernelCost transforms_along_y(const Mesh& mesh, const CostSetting& setting, double measure = 50,
                              double in_two_passes = 1100) {
  if (setting.gpu && mesh.ny > longest_in_block) return {"transforms", 4, in_two_passes * mesh.nodes(), 0};
  return {"transforms", 2, measure * std::log2(mesh.ny) * mesh.nodes(), 0};
}

// Two numbers of a node of the tree of waves for each mode, there and back; where they pay, in chunks beside the waves
// (closed/wave_chunks.cpp), of which a third is read before the exchange and two thirds are read and written behind it.
void add_wave_exchange(const Mesh& mesh, const CostSetting& setting, Cost& cost) {
  const double bytes = of_node * mesh.ny, parts = setting.parts;
  const Index chunks = wave_chunks(static_cast<Index>(mesh.lines), static_cast<Index>(mesh.ny));
  if (chunks == 1) {
    cost.turns = 2;
    cost.turn_bytes = bytes;
    return;
  }
  KernelCost waves = cost.kernels.back();
  cost.kernels.pop_back();
  LineCost line;
  line.chunks = static_cast<int>(chunks);
  line.stages = turns_in_two_stages(setting.parts, bytes / static_cast<double>(chunks)) ? 2 : 1;
  line.bytes = bytes;
  line.more_messages = line.stages == 2 ? 2 * (std::sqrt(parts) - 2) : parts - 2;
  waves.calls *= static_cast<double>(chunks) / 2;
  line.reduce = line.resolve = waves;
  line.reduce.bytes = waves.bytes / 3;
  line.resolve.bytes = waves.bytes * 2 / 3;
  cost.lines = {line};
}

// Transforms along y, there and back, and waves across lines (closed/wave_modes.hpp); where waves do not hold,
// transforms along both axes and two turns of all modes.
Cost closed_form_cost(const Mesh& mesh, const CostSetting& setting, bool waves) {
  constexpr double measure = 50;  // bytes a node and binary logarithm of the length of a transform
  // The same where waves go across, fitted to kernels by themselves on an H100; bytes a node of two passes and of
  // waves.
  constexpr double beside_waves = 43, in_two_passes = 1000, of_waves = 120;
  Cost cost;
  cost.unit = "solution";
  cost.units = 1;
  if (!waves) {
    cost.kernels = {{"transforms", 4, measure * (std::log2(mesh.nx) + std::log2(mesh.ny)) * mesh.nodes(), 0}};
  } else {
    cost.kernels = {transforms_along_y(mesh, setting, setting.gpu ? beside_waves : measure, in_two_passes),
                    {"waves", 4, of_waves * mesh.nodes(), 0}};
    if (setting.gpu) cost.kernels.insert(cost.kernels.begin(), {"start of a solution", 1});
  }
  cost.sums = 1;
  if (setting.parts == 1) return cost;
  if (waves) {
    add_wave_exchange(mesh, setting, cost);
  } else {
    cost.turns = 2;
    cost.turn_bytes = of_node * mesh.nodes() * (setting.parts - 1) / setting.parts;
  }
  return cost;
}

// Of products with bases of eigenvectors along an axis with `n` nodes, there and back: operations, as a measure.
KernelCost dense_products(double nodes, double n) { return {"dense products", 2, 32 * nodes * n, 0}; }

// Adds `solves` of a unit by modes along y, and strips of banded systems across lines, whose interfaces are gathered or
// turned (strip_modes.hpp). `closed`: no dense modes.
void add_strips_of_modes(Cost& cost, const Mesh& mesh, const Formulation& problem, const CostSetting& setting,
                         bool closed, double solves) {
  constexpr double across = 96;  // bytes a node: read once, read and written
  constexpr double up = 3 * 2 * sizeof(double), down = 2 * 2 * sizeof(double);  // of a strip and node of y
  KernelCost along = closed ? transforms_along_y(mesh, setting) : dense_products(mesh.nodes(), mesh.ny);
  along.calls *= solves;
  along.bytes *= solves;
  cost.kernels.push_back(along);
  cost.kernels.push_back({"strips of modes", 3 * solves, across * mesh.nodes() * solves, 0});
  if (setting.parts == 1) return;
  const double strips = mesh.lines / static_cast<double>(strip_length(problem.x.elements()));
  if (setting.parts < least_parts_that_share) {
    cost.gathers = solves;
    cost.gather_bytes = up * strips * mesh.ny * (setting.parts - 1);
  } else {
    cost.turns = 2 * solves;
    cost.turn_bytes = (up + down) / 2 * strips * mesh.ny;
  }
}

// What solves the problem with work that does not grow with the width of the mesh.
std::string methods_that_do_not_grow(const Formulation& problem, const SolverOptions& options) {
  std::string names;
  const auto add = [&](const MethodEntry& entry, const char* name) {
    if (!entry.cannot(problem, options)) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(closed_form_method, "closed_form");
  add(multigrid_method, "mg");
  return names;
}

void hint_at_dense_modes(Cost& cost, const Formulation& problem, const SolverOptions& options,
                         const CostSetting& setting) {
  if (setting.parts == 1) return;
  cost.hint = "dense modes along y, whose work per element grows with their number";
  if (const std::string others = methods_that_do_not_grow(problem, options); !others.empty())
    cost.hint += "; solver.method " + others + ": no such growth";
}

Cost separable_cost(const Mesh& mesh, const Formulation& problem, const SolverOptions& options,
                    const CostSetting& setting) {
  const bool closed = separable_in_closed_form(problem);
  Cost cost;
  cost.unit = "solution";
  cost.units = 1;
  add_strips_of_modes(cost, mesh, problem, setting, closed, 1);
  if (!closed) hint_at_dense_modes(cost, problem, options, setting);
  if (setting.parts == 1) return cost;
  cost.sums = 3;  // as simulated runs count them
  cost.assumed = not_in_parts;
  return cost;
}

// Two solves as of separable, outside of them two products, scaled right-hand sides and vectors of BiCGSTAB.
Cost fitted_cost(const Mesh& mesh, const Formulation& problem, const SolverOptions& options,
                 const CostSetting& setting) {
  const bool closed = fitted_in_closed_form(problem);
  Cost cost;
  cost.unit = "iteration";
  add_strips_of_modes(cost, mesh, problem, setting, closed, 2);
  const double vectors = (problem.constants ? 4 : 16) + 6 + 23;
  cost.kernels.push_back({"vectors", 12, vectors * of_node * mesh.nodes(), 15 * of_node * mesh.nodes()});
  cost.halos.push_back({2, of_node * mesh.ny, 2, setting.gpu});
  cost.sums = options.sums == SumMessages::fused ? 2.2 : 4;  // of twelve iterations, one as without
  if (!closed) hint_at_dense_modes(cost, problem, options, setting);
  const bool exact =
      problem.constants && (*problem.constants)[1] == 0 && (*problem.constants)[3] == 0 && (*problem.constants)[4] == 0;
  cost.units = exact ? 1 : 0;
  cost.assumed = exact ? "1 iteration, as these coefficients are fitted exactly"
                       : "10 to 30 iterations, by coefficients and not by the mesh";
  if (setting.parts > 1) cost.assumed += std::string("; ") + not_in_parts;
  return cost;
}

// Dense eigenvectors of both axes; the modes are turned twice.
Cost pencil_cost(const Mesh& mesh, const CostSetting& setting) {
  Cost cost;
  cost.unit = "solution";
  cost.units = 1;
  cost.kernels = {dense_products(mesh.nodes(), mesh.ny), dense_products(mesh.nodes(), mesh.nx)};
  if (setting.parts == 1) return cost;
  cost.turns = 2;
  cost.turn_bytes = of_node * mesh.nodes() * (setting.parts - 1) / setting.parts;
  cost.assumed = not_in_parts;
  return cost;
}

// The deck, formulated once for all numbers of parts.
class MethodCosts final : public PartsCosts {
 public:
  explicit MethodCosts(const CollocationOptions& options)
      : problem_(formulate(options)), choice_(choose_method(problem_, options.block.solver)) {}

  std::optional<Partition> shares(int parts) const override {
    try {
      return plan_lines(choice_, problem_, std::vector<double>(static_cast<std::size_t>(parts), 1.0)).partition;
    } catch (const DeckError&) {
      return std::nullopt;
    }
  }

  std::optional<Cost> cost(const Partition& shares, const CostSetting& setting) const override {
    const Mesh mesh{static_cast<double>(problem_.x.distinct_nodes()), static_cast<double>(problem_.y.distinct_nodes()),
                    largest_share(shares)};
    if (choice_.entry == &schur_method) return schur_cost(mesh, choice_.options, setting);
    if (choice_.entry == &block_schur_method) return block_schur_cost(mesh, choice_.options, setting);
    if (choice_.entry == &refined_method) return refined_cost(mesh, choice_.options, setting);
    if (choice_.entry == &closed_form_method) {
      const auto& k = *problem_.constants;
      return closed_form_cost(mesh, setting, only_waves(k[0], k[2], k[5]));
    }
    if (choice_.entry == &separable_method) return separable_cost(mesh, problem_, choice_.options, setting);
    if (choice_.entry == &fitted_method) return fitted_cost(mesh, problem_, choice_.options, setting);
    if (choice_.entry == &pencil_method) return pencil_cost(mesh, setting);
    if (choice_.entry != &multigrid_method) return std::nullopt;
    const MultigridPlan levels = plan_multigrid(problem_, choice_.options.smoother, setting.parts,
                                                setting.gpu ? replicated_on_gpus : replicated_below);
    if (levels.smoothing != Smoothing::node) return std::nullopt;
    return multigrid_cost(mesh, problem_, levels, choice_.options, setting);
  }

 private:
  Formulation problem_;
  MethodChoice choice_;
};

}  // namespace
}  // namespace collocation

std::unique_ptr<PartsCosts> collocation_parts(const Options& options) {
  return std::make_unique<collocation::MethodCosts>(static_cast<const collocation::CollocationOptions&>(options));
}

std::optional<Cost> collocation_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return collocation_parts(options)->cost(plan.partition, setting);
}

}  // namespace halocline
