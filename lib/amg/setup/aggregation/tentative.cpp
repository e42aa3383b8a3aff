#include "lib/amg/setup/aggregation/tentative.hpp"

#include <array>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/aggregation/tentative_kernels.hpp"
#include "lib/amg/setup/weights.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"
#include "mpi/exchange.hpp"

namespace halocline::amg {
namespace {

static_assert(most_near_null_vectors == most_vectors);
constexpr double least_remainder = 1e-5;

// Aggregates by the rows of their nodes.
sparse::DistCrs rows_of_aggregates(const sparse::DistCrs& incidence, const Aggregates& aggregates) {
  const Team& team = incidence.team();
  LocalValues<Index> of_nodes(incidence);
  std::vector<Array<Index, 1>> of_rows(static_cast<std::size_t>(team.parts()));
  team.each([&](int p) {
    launch(*team.executor(p), "aggregates of nodes", up_to(incidence.columns().own_size(p)),
           CopyNumberBody{aggregates.of_own_rows(p), of_nodes.own(p)});
  });
  GhostExchange<Index>(incidence).forward(of_nodes);
  std::vector<const Index*> pointers(of_rows.size());
  team.each([&](int p) {
    const Index rows = incidence.rows().own_size(p);
    of_rows[p] = {team.executor(p), {rows}};
    launch(*team.executor(p), "aggregates of rows", up_to(rows),
           OfNodeBody{incidence.view(p).col.data, of_nodes.data(p), of_rows[p].view().data});
    pointers[p] = of_rows[p].view().data;
  });
  const sparse::DistCrs found =
      members(incidence.rows_pointer(), aggregates.roots().space(incidence.columns()), pointers);
  for (int p = 0; p < team.parts(); ++p) team.executor(p)->synchronize();  // numbers are in use until then
  return transpose(found);
}

// The basis of all aggregates of a part, while it is made.
struct PartBasis {
  MembersView members;
  Array<double, 1> values;
  Array<Index, 1> start;  // rows of every aggregate, and the end
  Index rows = 0;
};

PartBasis orthogonalized(const sparse::DistCrs& members, const std::vector<LocalValues<double>>& vectors, int p) {
  const ExecutorPtr& executor = members.team().executor(p);
  const sparse::CrsView<double> rows = members.view(p);
  const auto count = static_cast<int>(vectors.size());
  PartBasis basis{{rows.ptr.data, rows.col.data, rows.entries(), count, {}},
                  {executor, {count * rows.entries()}},
                  {executor, {rows.rows() + 1}}};
  for (int v = 0; v < count; ++v) basis.members.given[v] = vectors[static_cast<std::size_t>(v)].data(p);
  const double bytes = 8.0 * count * count * static_cast<double>(rows.entries());
  launch(*executor, {"orthogonalize", bytes}, up_to(rows.rows()),
         OrthogonalizeBody{basis.members, least_remainder, basis.values.view().data, basis.start.view()});
  basis.rows = scan_counts(executor, basis.start.view());
  return basis;
}

// The rows of all parts, where they were found.
sparse::RowSpacePtr found_rows(const sparse::RowSpace& like, const std::vector<PartBasis>& bases) {
  std::vector<Index> counts, starts{0};
  for (const PartBasis& basis : bases) counts.push_back(basis.rows);
  if (like.replicated()) {
    counts.resize(1);
    like.tell(std::span<Index>(counts));
  } else {
    counts = gather_lists(like.comm(), counts).values;
  }
  for (const Index count : counts) starts.push_back(starts.back() + count);
  return rows_as_found(like, starts);
}

}  // namespace

sparse::DistCrs members(const sparse::RowSpacePtr& rows, const sparse::RowSpacePtr& aggregates,
                        const std::vector<const Index*>& aggregate) {
  std::vector<sparse::GlobalRows> parts(aggregate.size());
  rows->team().each([&](int p) {
    const ExecutorPtr& executor = rows->team().executor(p);
    const Range<1> own = up_to(rows->own_size(p));
    parts[p].ptr = {executor, {own.size() + 1}};
    launch(*executor, "count members", own, CountMembersBody{aggregate[p], parts[p].ptr.view()});
    const Index entries = scan_counts(executor, parts[p].ptr.view());
    parts[p].col = {executor, {entries}};
    parts[p].val = {executor, {entries}};
    launch(*executor, "members", own,
           MembersBody{aggregate[p], std::as_const(parts[p].ptr).view().data, parts[p].col.view().data,
                       parts[p].val.view().data});
  });
  return {rows, aggregates, std::move(parts)};
}

Tentative tentative(const sparse::DistCrs& incidence, const Aggregates& aggregates,
                    const std::vector<PartVector>& vectors) {
  const Team& team = incidence.team();
  const sparse::DistCrs members = rows_of_aggregates(incidence, aggregates);
  std::vector<LocalValues<double>> local;
  for (const PartVector& vector : vectors) {
    std::vector<const double*> own;
    for (const Array<double, 1>& part : vector) own.push_back(part.view().data);
    local.push_back(for_columns(members, own));
  }
  std::vector<PartBasis> bases(static_cast<std::size_t>(team.parts()));
  team.each([&](int p) { bases[p] = orthogonalized(members, local, p); });
  const sparse::RowSpacePtr found = found_rows(members.rows(), bases);
  std::vector<sparse::LocalRows> rows(bases.size());
  std::vector<Array<Index, 1>> aggregate(bases.size());
  std::vector<PartVector> coarse(vectors.size());
  for (PartVector& vector : coarse)
    for (int p = 0; p < team.parts(); ++p) vector.emplace_back(team.executor(p), std::array<Index, 1>{bases[p].rows});
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const PartBasis& basis = bases[p];
    const Index* start = basis.start.view().data;
    const Range<1> own = up_to(members.rows().own_size(p));
    sparse::Crs<double>& to = rows[p].rows;
    to.ptr = {executor, {basis.rows + 1}};
    aggregate[p] = {executor, {basis.rows}};
    launch(
        *executor, "rows of aggregates", own,
        RowsOfAggregateBody{basis.members.ptr, start, members.rows().own(p).lo[0], to.ptr.view(), aggregate[p].view()});
    const Index entries = scan_counts(executor, to.ptr.view());
    to.col = {executor, {entries}};
    to.val = {executor, {entries}};
    PutBasisBody put{basis.members,      basis.values.view().data, start, std::as_const(to.ptr).view().data,
                     to.col.view().data, to.val.view().data,       {}};
    for (std::size_t v = 0; v < coarse.size(); ++v) put.coarse[v] = coarse[v][p].view().data;
    launch(*executor, {"bases", 24.0 * static_cast<double>(entries)}, own, put);
    rows[p].ghosts = members.ghosts(p);
    executor->synchronize();  // the bases are in use until then
  });
  return {{found, members.columns_pointer(), std::move(rows)}, std::move(aggregate), std::move(coarse)};
}

}  // namespace halocline::amg
