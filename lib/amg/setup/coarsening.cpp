#include "lib/amg/setup/coarsening.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/aggregation/aggregate_choice.hpp"
#include "lib/amg/setup/aggregation/node_choice.hpp"
#include "lib/amg/setup/aggregation/symmetric_strength.hpp"
#include "lib/amg/setup/classical/classical_choice.hpp"
#include "lib/amg/setup/coarse_kernels.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"

namespace halocline::amg {
namespace {

constexpr int entries_of_cut_rows = 2;
constexpr double least_reduction = 0.9;  // of the rows from level to level

// The next level as its parts hold it: `whole`, where it is small, on each of `holders` parts, if there are several.
// `plan`: null: not kept.
void place(Stage& next, sparse::DistCrs matrix, bool whole, int holders, GalerkinPlan* plan) {
  const sparse::RowSpace& rows = matrix.rows();
  if (rows.replicated() || rows.team().total_parts() == 1 || !whole) {
    next.owned = std::make_unique<sparse::DistCrs>(std::move(matrix));
  } else {
    next.shares = matrix.rows_pointer();
    next.share_order = sparse::choose_format(matrix, {.may_share = true}).order;
    next.owned = std::make_unique<sparse::DistCrs>(replicated(matrix, replicated_rows(rows, holders)));
    if (plan != nullptr) plan->distributed.emplace(std::move(matrix));
  }
  next.a = next.owned.get();
}

// Of the matrix of the next level, which is there, and what is told of its rows.
void clear_rounding(const Stage& stage, Stage& next) {
  next.magnitudes = next_magnitudes(*stage.restriction, stage.magnitudes, next.shares ? &next.a->rows() : nullptr);
  clear_vanishing_rows(*next.owned, next.magnitudes, next.kinds.null_set);
}

}  // namespace

std::unique_ptr<Stage> first_stage(const sparse::DistCrs& a, RowKinds kinds) {
  auto stage = std::make_unique<Stage>();
  stage->a = &a;
  for (int p = 0; p < a.team().parts(); ++p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const Range<1> own = a.rows().own(p);
    stage->numbers.emplace_back(executor, std::array<Index, 1>{own.size()});
    launch(*executor, "numbers", Range<1>{{0}, {own.size()}}, NumberBody{own.lo[0], stage->numbers.back().view().data});
  }
  stage->kinds = std::move(kinds);
  return stage;
}

void multiply_again(Stage& stage, Stage& next) {
  GalerkinPlan& plan = *stage.galerkin;
  multiply_again(plan.to_ap, *stage.a, *stage.interpolation, plan.ap);
  multiply_again(plan.to_coarse, *stage.restriction, plan.ap, plan.distributed ? *plan.distributed : *next.owned);
  if (plan.distributed) {
    next.owned = std::make_unique<sparse::DistCrs>(replicated(*plan.distributed, next.a->rows_pointer()));
    next.a = next.owned.get();
  }
  if (stage.owned == nullptr) stage.magnitudes = magnitudes_of(*stage.a, row_sizes(*stage.a));
  clear_rounding(stage, next);
}

bool Coarsening::too_complex(const HierarchyFacts& facts, Index entries) const {
  auto all = static_cast<double>(entries);
  for (const LevelFacts& level : facts.levels) all += static_cast<double>(level.entries);
  return all > options_.max_complexity * static_cast<double>(facts.levels.front().entries);
}

Coarsening::Coarse Coarsening::products(const Stage& stage, const sparse::RowSpacePtr& rows, int entries) const {
  const sparse::DistCrs& a = *stage.a;
  auto [p, guards] = [&] {
    const auto scope = a.team().scope("set-up/interpolation");
    return stage.choice->interpolation(stage, rows, entries);
  }();
  const auto scope = a.team().scope("set-up/products");
  sparse::DistCrs r = transpose(p);
  sparse::ProductPlan to_ap, to_coarse;
  sparse::DistCrs ap = multiply(a, p, sparse::Order::as_they_arise, options_.keep ? &to_ap : nullptr);
  sparse::DistCrs coarse = multiply(r, ap, sparse::Order::sorted, options_.keep ? &to_coarse : nullptr);
  std::optional<GalerkinPlan> plan;
  if (options_.keep) plan.emplace(std::move(ap), std::move(to_ap), std::move(to_coarse), std::nullopt);
  return {std::move(p), std::move(r), std::move(coarse), std::move(plan), guards};
}

void Coarsening::find_strength(Stage& stage) {
  const sparse::DistCrs& a = *stage.a;
  const auto scope = a.team().scope("set-up/strength");
  RowKinds& kinds = stage.kinds;
  if (options_.kind == CoarseningKind::classical) {
    component_ = local_components(stage);
    stage.strength.emplace(a, options_.theta, component_ ? &*component_ : nullptr);
    return;
  }
  if (!kinds.near_null.empty() || !kinds.component.empty())
    stage.nodes =
        first_nodes(a, std::move(kinds.node), std::move(kinds.near_null), std::exchange(kinds.component, {}), weights_);
  kinds.near_null.clear();
  if (stage.nodes) {
    stage.strength.emplace(a, Strength::Flags(), row_sizes(a), true);  // it is found between nodes
  } else {
    stage.strength.emplace(symmetric_strength(a, options_.theta));
  }
}

std::unique_ptr<CoarseChoice> Coarsening::choose(const Stage& stage) {
  const auto scope = stage.a->team().scope("set-up/choice of rows");
  if (options_.kind == CoarseningKind::classical)
    return std::make_unique<ClassicalChoice>(stage, options_.interpolation, std::exchange(component_, std::nullopt));
  if (stage.nodes) return std::make_unique<NodeChoice>(stage);
  return std::make_unique<AggregateChoice>(stage);
}

std::unique_ptr<Stage> Coarsening::next(Stage& stage, HierarchyFacts& facts) {
  const sparse::DistCrs& a = *stage.a;
  const auto end = [&](Ending why) {
    facts.ending = why;
    return std::unique_ptr<Stage>();
  };
  find_strength(stage);
  if (a.rows().size() <= options_.coarse_max) return end(Ending::small);
  if (!stage.strength->any()) return end(Ending::nothing_strong);
  if (static_cast<int>(facts.levels.size()) == options_.max_levels) return end(Ending::levels);
  stage.choice = choose(stage);
  stage.facts.rounds = stage.choice->rounds();
  const Index count = stage.choice->rows();
  if (count == 0) return end(Ending::nothing_strong);
  if (static_cast<double>(count) > least_reduction * static_cast<double>(a.rows().size())) return end(Ending::stalled);

  const int parts = a.team().total_parts();
  const int holders = a.rows().replicated() ? a.rows().holders() : std::min(options_.most_holders, parts);
  const bool whole = a.rows().replicated() || count <= options_.most_replicated;
  sparse::RowSpacePtr rows = distributed_rows(a.rows(), count, weights_, whole ? holders : parts);
  if (a.rows().replicated()) rows = replicated_rows(*rows, holders);
  auto coarse = std::make_unique<Coarse>(products(stage, rows, options_.interpolation.entries));
  if (too_complex(facts, coarse->matrix.entries())) {
    if (!stage.choice->may_be_cut()) return end(Ending::complexity);
    coarse.reset();
    coarse = std::make_unique<Coarse>(products(stage, rows, entries_of_cut_rows));
    facts.cut = true;
    if (too_complex(facts, coarse->matrix.entries())) return end(Ending::complexity);
  }
  auto next = std::make_unique<Stage>();
  stage.galerkin = std::move(coarse->plan);
  place(*next, std::move(coarse->matrix), whole, holders, stage.galerkin ? &*stage.galerkin : nullptr);
  stage.choice->pass_on(stage, *next);
  stage.facts.guards = coarse->guards;
  stage.facts.weights = coarse->interpolation.entries();
  stage.interpolation.emplace(std::move(coarse->interpolation));
  stage.restriction.emplace(std::move(coarse->restriction));
  if (stage.owned == nullptr) stage.magnitudes = magnitudes_of(a, stage.strength->sizes());
  clear_rounding(stage, *next);
  return next;
}

}  // namespace halocline::amg
