#include "lib/amg/setup/aggregation/node_choice.hpp"

#include <utility>

#include "lib/amg/setup/aggregation/smoothed.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"

namespace halocline::amg {

NodeChoice::NodeChoice(const Stage& stage) {
  const Nodes& nodes = *stage.nodes;
  const sparse::DistCrs of_rows = incidence(*stage.a, nodes), norms = node_matrix(*stage.a, of_rows);
  const Strength strength = node_strength(norms);
  if (!strength.any()) return;
  const Aggregates aggregates(norms, strength, nodes.numbers);
  rounds_ = aggregates.rounds();
  nodes_ = aggregates.roots().space(norms.rows());
  numbers_ = of_coarse_rows(norms, aggregates.roots(), nodes.numbers, *nodes_);
  tentative_.emplace(tentative(of_rows, aggregates, nodes.vectors));
  rows_ = tentative_->transposed.rows().size();
}

Interpolation NodeChoice::interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int /*entries*/) {
  return {smoothed(*stage.a, nullptr, with_columns(transpose(tentative_->transposed), coarse)), {}};
}

void NodeChoice::pass_on(const Stage& /*stage*/, Stage& next) const {
  const sparse::RowSpace &found = tentative_->transposed.rows(), &rows = next.a->rows();
  Nodes& nodes = next.nodes.emplace();
  nodes.space = rows.replicated() && !nodes_->replicated() ? replicated_rows(*nodes_, rows.holders()) : nodes_;
  nodes.numbers = moved(*nodes_, numbers_, *nodes.space);
  nodes.of_rows = moved(found, tentative_->aggregate, rows);
  for (const PartVector& vector : tentative_->vectors) nodes.vectors.push_back(moved(found, vector, rows));
}

}  // namespace halocline::amg
