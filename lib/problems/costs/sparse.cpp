// What an iteration moves and sends, by docs/performance/sparse.md: conjugate gradients, with multigrid or a diagonal.
#include "lib/problems/costs/families.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/plan.hpp"

namespace halocline {
namespace sparse {
namespace {

constexpr double sums_of_product = 24, vectors_of_cg = 88, into_the_cycle = 20;  // bytes a row

double levels_of(double rows) { return std::max(2.0, 5 + std::log(rows / 1e6) / std::log(5.2)); }

// Smoothing and residual of a level read its entries twice.
void add_multigrid(const BlockOptions& block, const Formulation& f, double own, double ghosts, Cost& cost) {
  constexpr double passes = 2.08, kernels_of_level = 8, exchanges_of_level = 2.2;
  const double entries = static_cast<double>(f.entries) / static_cast<double>(f.rows);
  const double bytes = block.amg.precision == amg::Precision::fp32 ? 4 : 8;
  const double residual = (bytes + 4) * entries + 1 + 3 * bytes;
  const double levels = levels_of(static_cast<double>(f.rows)), smoothing = static_cast<double>(block.amg.sweeps);
  cost.kernels.push_back({"sparse cycle", kernels_of_level * levels,
                          passes * smoothing * residual * expected_complexities(block).entries * own, 0});
  // Surfaces of levels shrink with the power 2/3 of their rows.
  for (double level = 0, size = 1; level < levels; ++level, size /= 3)
    cost.halos.push_back({exchanges_of_level, bytes * ghosts * size, 2, false});
}

}  // namespace

std::optional<Cost> cost(const Options& base, const Plan& plan, const CostSetting& setting) {
  const auto& block = static_cast<const SparseOptions&>(base).block;
  const Formulation f = formulate(static_cast<const SparseOptions&>(base));
  const bool convection = block.matrix.has_box && !block.matrix.box.velocity.empty();
  const bool cg = block.solver.method == Method::cg || (block.solver.method == Method::automatic && !convection);
  const bool multigrid = block.preconditioner == Preconditioner::amg;
  const bool diagonal = block.preconditioner == Preconditioner::jacobi ||
                        block.preconditioner == Preconditioner::l1_jacobi ||
                        block.preconditioner == Preconditioner::none;
  if (!cg || !(multigrid || diagonal) || f.solves > 1) return std::nullopt;
  const double own = largest_share(plan.partition);
  const double entries = static_cast<double>(f.entries) / static_cast<double>(f.rows);
  const double ghosts = ghosts_of(f, static_cast<Index>(own)) / 2;  // on either side
  Cost cost;
  cost.unit = "iteration";
  cost.kernels = {{"sparse product", 2, (12 * entries + 1 + sums_of_product) * own, 0},
                  {"sparse vectors", 2, (vectors_of_cg + into_the_cycle) * own, 0}};
  cost.halos = {{1, 8 * ghosts, 2, false}};
  cost.sums = 2;
  if (multigrid) {
    add_multigrid(block, f, own, ghosts, cost);
    cost.units = std::ceil(-2 * std::log10(block.solver.tolerance));
    cost.assumed = "so many iterations as multigrid takes where entries vary little; with others up to twice as many";
  }
  if (setting.parts == 1) cost.halos.clear();
  return cost;
}

}  // namespace sparse

std::optional<Cost> sparse_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return sparse::cost(options, plan, setting);
}

}  // namespace halocline
