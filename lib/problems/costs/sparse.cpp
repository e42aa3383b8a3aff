// What an iteration moves and sends, by docs/performance/sparse.md: conjugate gradients, with multigrid or a diagonal.
#include "lib/problems/costs/families.hpp"

#include <algorithm>
#include <cmath>

#include "lib/amg/rows_of_others.hpp"
#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/plan.hpp"

namespace halocline {
namespace sparse {
namespace {

constexpr double sums_of_product = 24, vectors_of_cg = 88, into_the_cycle = 20;  // bytes a row

double levels_of(double rows) { return std::max(2.0, 5 + std::log(rows / 1e6) / std::log(5.2)); }

// What a part exchanges at a time: the rows of one neighbor, of so many.
struct Surface {
  double rows;
  int neighbors;
};

// Halves of a box, as often as they are cut for so many parts; all faces share a link to other parts.
Surface surface_of_halves(const BoxLayout& layout, int parts) {
  BoxPiece piece{{0, 0, 0}, {layout.n[0], layout.n[1], layout.n[2]}, 0};
  Index cuts[3] = {1, 1, 1};
  for (Index pieces = 1; pieces < parts && piece.size() > 1; pieces *= 2) {
    const int axis = piece.longest();
    piece.keep(axis, piece.n[axis] / 2, true);
    cuts[axis] *= 2;
  }
  double rows = 0;
  for (int axis = 0; axis < 3; ++axis)
    rows += static_cast<double>(std::min<Index>(2, cuts[axis] - 1) * (piece.size() / piece.n[axis]));
  return {rows, 1};
}

Surface surface_of(const Formulation& f, double own, int parts) {
  if (f.order == RowOrder::bisection && f.box != nullptr) return surface_of_halves(f.box->model().layout, parts);
  return {ghosts_of(f, static_cast<Index>(own)) / 2, 2};  // on either side
}

// What exchanges put into the queue of a GPU beside what they hide: values are collected, and put in place. (Rows with
// ghosts take a launch of their own, which begins beside that of the others.) Hosts, which run through their rows in
// either case, have nothing of it.
void add_launches_of_exchanges(const CostSetting& setting, Cost& cost) {
  constexpr double launches = 2;
  double exchanges = 0;
  for (const HaloCost& halo : cost.halos) exchanges += halo.calls;
  if (setting.gpu && setting.parts > 1) cost.kernels.push_back({"sparse cycle", launches * exchanges, 0, 0});
}

// Smoothing and residual of a level read its entries twice; each level that is shared out exchanges ghosts for these,
// to the next level and back, or with rows of others for residual and return alone (lib/amg/rows_of_others.hpp): these
// rows are read twice, from wider exchanges and with fewer launches. A level that few parts hold whole is gathered
// there.
void add_multigrid(const BlockOptions& block, const Formulation& f, double own, const Surface& surface,
                   const CostSetting& setting, Cost& cost) {
  constexpr double passes = 2.08, kernels_of_level = 8, exchanges_of_level = 4, launches_saved = 2, wider = 2;
  constexpr double first_reduction = 3.2, reduction = 6.5;  // of rows, from level to level
  constexpr double of_second = 0.7;  // of the entries of all coarse levels those of the first of them, and so on
  const double all_entries = expected_complexities(block).entries;
  const double entries = static_cast<double>(f.entries) / static_cast<double>(f.rows);
  const double bytes = block.amg.precision == amg::Precision::fp32 ? 4 : 8;
  const double residual = (bytes + 4) * entries + 1 + 3 * bytes;
  const double levels = levels_of(static_cast<double>(f.rows)), smoothing = static_cast<double>(block.amg.sweeps);
  cost.kernels.push_back(
      {"sparse cycle", kernels_of_level * levels, passes * smoothing * residual * all_entries * own, 0});
  // Surfaces of levels shrink with the power 2/3 of their rows. Inner rows are computed meanwhile.
  double rows = static_cast<double>(f.rows), size = 1, share = 1, coarse = (all_entries - 1) * of_second;
  const auto whole = static_cast<double>(amg::CoarseningOptions{}.most_replicated);
  for (double by = first_reduction; rows > whole; rows /= by, size /= 3, by = reduction) {
    const double transfer = (4 * (bytes + 4) + 3 * bytes) * own * rows / static_cast<double>(f.rows);
    const double product = residual * own * share, ghosts = surface.rows * surface.neighbors * size;
    const double others = (product + transfer) * ghosts * static_cast<double>(f.rows) / (own * rows);
    const bool two =
        setting.gpu && setting.parts > 1 && size < 1 && block.amg.smoother == amg::SmootherKind::jacobi &&
        amg::VisitTimes{amg::gpu_exchange, product / amg::gpu_rate, transfer / amg::gpu_rate, others / amg::gpu_rate}
            .two_exchanges_pay(true);
    if (two) cost.kernels.push_back({"sparse cycle", -launches_saved, others, 0});
    for (const double beside : {product, transfer})
      cost.halos.push_back({exchanges_of_level / (two ? 4 : 2),
                            bytes * surface.rows * size * (two ? wider : 1),
                            surface.neighbors,
                            false,
                            false,
                            {"sparse cycle", 0, beside, 0}});
    share = coarse;
    coarse *= 1 - of_second;
  }
  cost.halos.push_back({2, bytes * rows, 1, false});
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
  const Surface surface = surface_of(f, own, setting.parts);
  Cost cost;
  cost.unit = "iteration";
  cost.kernels = {{"sparse product", 2, (12 * entries + 1 + sums_of_product) * own, 0},
                  {"sparse vectors", 2, (vectors_of_cg + into_the_cycle) * own, 0}};
  cost.halos = {{1, 8 * surface.rows, surface.neighbors, false, false, {"sparse product", 0, 12 * entries * own, 0}}};
  cost.sums = block.solver.sums == SumMessages::fused ? 1.1 : 2;  // the last one or two iterations as without
  if (multigrid) {
    add_multigrid(block, f, own, surface, setting, cost);
    cost.units = std::ceil(-2 * std::log10(block.solver.tolerance));
    cost.assumed = "so many iterations as multigrid takes where entries vary little; with others up to twice as many";
  }
  add_launches_of_exchanges(setting, cost);
  if (setting.parts == 1) cost.halos.clear();
  return cost;
}

}  // namespace sparse

std::optional<Cost> sparse_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return sparse::cost(options, plan, setting);
}

}  // namespace halocline
