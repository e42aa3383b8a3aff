#include "lib/problems/fractional/multigrid/multigrid.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::fractional {

namespace {

constexpr Index margin = 16;  // values beyond the ghosts: bodies read a little beside lines

// Planes of a level belong to who has those that they are on the level before.
Partition planes_of(const MultigridPlan& plan, int level, const Partition& planes) {
  if (!plan.levels[static_cast<std::size_t>(level - 1)].halved[2]) return planes;
  const Index rows = plan.levels[static_cast<std::size_t>(level)].rows[2];
  std::vector<Index> starts;
  for (int p = 0; p < planes.parts(); ++p) starts.push_back(std::min(rows, (planes.block(p).lo[0] + 1) / 2));
  starts.push_back(rows);
  return Partition::from_starts(std::move(starts));
}

VectorSpacePtr space_of(const Slabs<double>& slabs, const std::vector<LevelGrid>& grids) {
  VectorLayout layout;
  layout.lane_is_chunk = false;
  layout.rows = grids.front().slab.pitch / lanes;
  for (const LevelGrid& grid : grids) {
    layout.groups.push_back(grid.slab.lines());
    layout.before.push_back(grid.slab.plane + margin);
    layout.behind.push_back(grid.slab.plane + margin);
  }
  return std::make_shared<VectorSpace>(slabs.comm(), slabs.team(), layout);
}

double largest_of(const std::array<AxisEntries, 3>& entries) {
  double most = 0;
  for (const AxisEntries& axis : entries) most = std::max(most, *std::max_element(axis.edge.begin(), axis.edge.end()));
  return most;
}

}  // namespace

Multigrid::Multigrid(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                     const Coefficients& coefficients, const StepFactors& factors)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&coefficients),
      factors_(&factors),
      plan_(plan_multigrid(formulation)),
      common_(coefficients.common()),
      nu_(static_cast<std::size_t>(slabs->parts())) {
  if (slabs->team().total_parts() == 1) plan_.shared = static_cast<int>(plan_.levels.size());
  for (int p = 0; p < slabs->parts(); ++p)
    first_.push_back(
        {{slabs->layout(p), coefficients.varying(p, 0), coefficients.varying(p, 1), coefficients.varying(p, 2)}});
  std::array<AxisEntries, 3> entries;
  if (common_) entries = first_entries();
  const double largest = common_ ? largest_of(entries) : largest_edge(*slabs, first_);
  if (largest > 0) scale_ = std::exp2(-std::ilogb(largest));
  for (AxisEntries& axis : entries) {
    for (double& edge : axis.edge) edge *= scale_;
    for (double& rest : axis.rest) rest *= scale_;
  }
  make_levels(std::move(entries));
  if (common_) return;
  levels_.front()->set_edges(first_, scale_);
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) levels_[l]->make_edges_of(*levels_[l + 1]);
}

void Multigrid::make_levels(std::array<AxisEntries, 3> entries) {
  std::vector<std::unique_ptr<multigrid::Level<Real>>> made;
  std::vector<Partition> planes;
  for (int l = 0; l < static_cast<int>(plan_.levels.size()); ++l) {
    const LevelPlan& plan = plan_.levels[static_cast<std::size_t>(l)];
    planes.push_back(l == 0 ? slabs_->partition() : planes_of(plan_, l, planes.back()));
    std::vector<LevelGrid> grids;
    for (int p = 0; p < slabs_->parts(); ++p) grids.push_back(grid_of(l, p, planes.back()));
    const auto axis = [&](int a) {
      return AxisLevel(plan, a, formulation_->grid.extent[a],
                       end_of(formulation_->sides[static_cast<std::size_t>(2 * a)]));
    };
    const LevelSetup setup{space_of(*slabs_, grids),
                           grids,
                           {axis(0), axis(1), axis(2)},
                           entries,
                           common_,
                           l < plan_.shared,
                           l == plan_.shared,
                           plan.least,
                           planes.back()};
    auto level = std::make_unique<GridLevel>(setup);
    levels_.push_back(level.get());
    made.push_back(std::move(level));
    if (!common_) continue;
    for (std::size_t a = 0; a < 3; ++a) entries[a] = setup.axes[a].coarser(entries[a]);
  }
  const auto first_whole = static_cast<std::size_t>(std::min<int>(plan_.shared, levels() - 1));
  const multigrid::Replication replication{plan_.shared, planes[first_whole], levels_[first_whole]->plane()};
  auto coarsest = make_single_solver(*levels_.back());
  hierarchy_ = std::make_unique<multigrid::Hierarchy<Real>>(std::move(made), std::move(coarsest), replication);
  shell_.emplace(*hierarchy_, static_cast<double>(formulation_->grid.unknowns()));
}

LevelGrid Multigrid::grid_of(int number, int part, const Partition& planes) const {
  const LevelPlan& plan = plan_.levels[static_cast<std::size_t>(number)];
  const bool shared = number < plan_.shared;
  SlabLayout slab = slabs_->layout(part);
  std::copy(plan.rows, plan.rows + 3, slab.extent);
  slab.first = 0;
  if (shared) {
    const Range<1> own = planes.block(slabs_->team().first_part() + part);
    slab.first = own.lo[0];
    slab.extent[2] = own.size();
  }
  if (number > 0) slab.pitch = level_pitch(plan.rows[0]);
  slab.plane = slab.pitch * plan.rows[1];
  const auto axis = [&](int a, Index stride) {
    const auto side = static_cast<std::size_t>(2 * a);
    const bool ghosts = a == 2 && shared && slabs_->team().total_parts() > 1;
    return LevelAxis{plan.rows[a],
                     a == 2 ? slab.first : 0,
                     stride,
                     end_of(formulation_->sides[side]),
                     end_of(formulation_->sides[side + 1]),
                     formulation_->grid.periodic[a] && !ghosts};
  };
  return {slab, axis(0, 1), axis(1, slab.pitch), axis(2, slab.plane)};
}

// Where coefficients are the same along lines.
std::array<AxisEntries, 3> Multigrid::first_entries() const {
  std::array<AxisEntries, 3> made;
  for (int a = 0; a < 3; ++a) {
    const VaryingAxis of = coefficients_->varying(0, a);
    AxisEntries& entries = made[static_cast<std::size_t>(a)];
    for (Index i = 0; i < of.shape.rows; ++i) {
      const double share = of.shape.share(i), before = of.coupling(0, i, -1), behind = of.coupling(0, i, 1);
      entries.edge.push_back(before);
      entries.share.push_back(share);
      entries.rest.push_back(positive_part(-share * of.row<double>(0, i).di - before - behind));
    }
    entries.edge.push_back(of.coupling(0, of.shape.rows - 1, 1));
  }
  return made;
}

void Multigrid::refresh() {
  if (common_) {
    for (GridLevel* level : levels_) level->set_inverse_nu(static_cast<Real>(scale_ / factors_->nu_number()));
    return;
  }
  for (std::size_t p = 0; p < nu_.size(); ++p) nu_[p] = factors_->nu(static_cast<int>(p));
  levels_.front()->set_masses(first_, scale_, nu_);
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) levels_[l]->make_masses_of(*levels_[l + 1]);
}

}  // namespace halocline::fractional
