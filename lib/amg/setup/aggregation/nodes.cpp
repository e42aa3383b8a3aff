#include "lib/amg/setup/aggregation/nodes.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/aggregation/nodes_kernels.hpp"
#include "lib/amg/setup/coarse_rows.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/strength_kernels.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"

namespace halocline::amg {
namespace {

constexpr double theta = 0.08;

std::vector<Array<Index, 1>> own_numbers(const sparse::RowSpace& rows) {
  std::vector<Array<Index, 1>> numbers;
  for (int p = 0; p < rows.team().parts(); ++p) {
    numbers.emplace_back(rows.team().executor(p), std::array<Index, 1>{rows.own_size(p)});
    launch(*rows.team().executor(p), "numbers", up_to(rows.own_size(p)),
           CountUpBody{rows.own(p).lo[0], numbers.back().view()});
  }
  return numbers;
}

// One more than the largest of all ranks.
Index end_of(const Communicator& comm, const std::vector<Array<Index, 1>>& of_parts) {
  Index end = 0;
  for (const Array<Index, 1>& own : of_parts)
    for (const Index number : own.to_host()) end = std::max(end, number + 1);
  comm.max(std::span<Index>(&end, 1));
  return end;
}

std::vector<PartVector> constants(const sparse::RowSpace& rows, const std::vector<Array<Index, 1>>& component) {
  std::vector<PartVector> vectors(static_cast<std::size_t>(end_of(rows.comm(), component)));
  for (std::size_t c = 0; c < vectors.size(); ++c)
    for (int p = 0; p < rows.team().parts(); ++p) {
      vectors[c].emplace_back(rows.team().executor(p), std::array<Index, 1>{rows.own_size(p)});
      launch(*rows.team().executor(p), "constants", up_to(rows.own_size(p)),
             IndicatorBody{component[p].view().data, static_cast<Index>(c), vectors[c][p].view().data});
    }
  return vectors;
}

sparse::DistCrs squared(const sparse::DistCrs& a) {
  std::vector<sparse::LocalRows> parts(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const sparse::CrsView<double> from = a.view(p);
    parts[p].rows = {{executor, {from.ptr.size()}}, {executor, {from.entries()}}, {executor, {from.entries()}}};
    const auto copy = [&](auto* to, const auto* first, Index count) {
      executor->copy_async(to, first, static_cast<std::size_t>(count) * sizeof(*to), Queue::compute);
    };
    copy(parts[p].rows.ptr.view().data, from.ptr.data, from.ptr.size());
    copy(parts[p].rows.col.view().data, from.col.data, from.entries());
    launch(*executor, {"squares", 16.0 * static_cast<double>(from.entries())}, up_to(from.entries()),
           SquareBody{from.val.data, parts[p].rows.val.view().data});
    parts[p].ghosts = a.ghosts(p);
  });
  return {a.rows_pointer(), a.columns_pointer(), std::move(parts)};
}

}  // namespace

Nodes first_nodes(const sparse::DistCrs& a, std::vector<Array<Index, 1>> of_rows, std::vector<PartVector> vectors,
                  const std::vector<Array<Index, 1>>& component, std::span<const double> weights) {
  Nodes nodes;
  nodes.of_rows = of_rows.empty() ? own_numbers(a.rows()) : std::move(of_rows);
  nodes.vectors = vectors.empty() ? constants(a.rows(), component) : std::move(vectors);
  require(static_cast<int>(nodes.vectors.size()) <= most_near_null_vectors, "first_nodes: too many vectors");
  const int most = a.rows().replicated() ? a.rows().holders() : a.team().total_parts();
  nodes.space = distributed_rows(a.rows(), end_of(a.rows().comm(), nodes.of_rows), weights, most);
  if (a.rows().replicated()) nodes.space = replicated_rows(*nodes.space, most);
  nodes.numbers = own_numbers(*nodes.space);
  return nodes;
}

sparse::DistCrs incidence(const sparse::DistCrs& a, const Nodes& nodes) {
  std::vector<sparse::GlobalRows> parts(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const Index rows = a.rows().own_size(p);
    parts[p] = {{executor, {rows + 1}}, {executor, {rows}}, {executor, {rows}}};
    parts[p].col.assign(nodes.of_rows[p]);
    launch(*executor, "incidence", up_to(rows + 1), OneEntryBody{parts[p].ptr.view(), parts[p].val.view()});
  });
  return {a.rows_pointer(), nodes.space, std::move(parts)};
}

sparse::DistCrs node_matrix(const sparse::DistCrs& a, const sparse::DistCrs& incidence) {
  const sparse::DistCrs sums = multiply(squared(a), incidence, sparse::Order::as_they_arise);
  sparse::DistCrs norms = multiply(transpose(incidence), sums, sparse::Order::sorted);
  a.team().each([&](int p) {
    const View<double, 1> values = norms.values(p);
    launch(*a.team().executor(p), "norms", up_to(values.size()), RootBody{values.data});
  });
  return norms;
}

Strength node_strength(const sparse::DistCrs& norms) {
  const Team& team = norms.team();
  LocalValues<double> diagonal(norms);
  team.each([&](int p) {
    launch(*team.executor(p), "diagonal", up_to(norms.rows().own_size(p)),
           DiagonalBody{level_rows(norms, p), diagonal.own(p)});
  });
  GhostExchange<double>(norms).forward(diagonal);
  Strength::Flags strong(static_cast<std::size_t>(team.parts()));
  std::vector<int> any(strong.size());
  team.each([&](int p) {
    strong[p] = {team.executor(p), {norms.view(p).entries()}};
    any[p] = reduce(*team.executor(p), "strength", up_to(norms.rows().own_size(p)), 0, Either{},
                    NodeStrengthBody{level_rows(norms, p), diagonal.data(p), theta, strong[p].view().data});
  });
  return {norms, std::move(strong), {}, std::find(any.begin(), any.end(), 1) != any.end()};
}

}  // namespace halocline::amg
