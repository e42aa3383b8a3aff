#include "lib/amg/level_values.hpp"

#include <limits>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/level_kernels.hpp"

namespace halocline::amg {
namespace {

using Pointers = std::vector<const double*>;

template <class Get>
Pointers of_parts(const Team& team, const Get& get) {
  Pointers result;
  for (int p = 0; p < team.parts(); ++p) result.push_back(get(p));
  return result;
}

// Own factors, then those of rows of others.
std::vector<Array<double, 1>> with_others(const sparse::HeldRows& held, const sparse::DistCrs& square,
                                          const Pointers& own) {
  const Team& team = square.team();
  const LocalValues<double> of_columns = for_columns(square, own);
  std::vector<Array<double, 1>> all(own.size());
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    std::vector<LocalIndex> columns;
    for (const Index row : held.others(p)) columns.push_back(local_number(square, p, row));
    const Array<LocalIndex, 1> list = make_array(executor, columns);
    const Index rows = square.columns().own_size(p);
    all[p] = {executor, {rows + list.size()}};
    launch(*executor, "factors", Range<1>{{0}, {rows + list.size()}},
           JoinFactorsBody{rows, own[p], of_columns.data(p), list.view().data, all[p].view().data});
    executor->synchronize();  // the list is in use until then
  });
  return all;
}

Pointers pointers(const std::vector<Array<double, 1>>& arrays) {
  Pointers result;
  for (const Array<double, 1>& array : arrays) result.push_back(array.view().data);
  return result;
}

std::vector<sparse::Scaling> joined(const Pointers& left, const LocalValues<double>& of_columns) {
  std::vector<sparse::Scaling> factors;
  for (std::size_t p = 0; p < left.size(); ++p) factors.push_back({left[p], of_columns.data(static_cast<int>(p))});
  return factors;
}

}  // namespace

ScaledValues::ScaledValues(const sparse::DistCrs& m, const Pointers& left, const Pointers& right)
    : given_(&m), of_columns_(for_columns(m, right)), factors_(joined(left, of_columns_)) {}

ScaledValues::ScaledValues(sparse::DistCrs&& m, const Pointers& left, const Pointers& right)
    : own_(std::move(m)), of_columns_(for_columns(*own_, right)), factors_(joined(left, of_columns_)) {}

ScaledValues::ScaledValues(const sparse::HeldRows& held, const sparse::DistCrs& square, const Pointers& left,
                           const Pointers& right)
    : given_(&held.matrix()),
      left_(with_others(held, square, left)),
      of_columns_(for_columns(*given_, right)),
      factors_(joined(pointers(left_), of_columns_)) {}

const sparse::DistCrs& matrix_of(const Stage& stage) { return stage.held ? stage.held->matrix() : *stage.a; }

void set_scaling(Stage& stage, const RowSizes& sizes, bool inverted, const WeightOptions& weights) {
  const WeightOptions whole{1, std::numeric_limits<double>::infinity()};
  std::vector<const PointKind*> kinds;
  for (int p = 0; p < stage.a->team().parts(); ++p)
    kinds.push_back(stage.choice && !inverted ? stage.choice->own_kinds(p) : nullptr);
  stage.scaling.emplace(*stage.a, sizes, kinds, inverted ? whole : weights);
  stage.facts.smallest_weight = stage.scaling->smallest_weight();
  stage.facts.mean_weight = stage.scaling->mean_weight();
}

ScaledValues matrix_values(const Stage& stage) {
  const Team& team = stage.a->team();
  const Pointers left = of_parts(team, [&](int p) { return stage.scaling->left(p); }),
                 right = of_parts(team, [&](int p) { return stage.scaling->right(p); });
  if (stage.held) return {*stage.held, stage.held->matrix(), left, right};
  return {*stage.a, left, right};
}

std::vector<Index> first_restricted(const Team& team, const Stage& next) {
  std::vector<Index> first;
  for (int p = 0; p < team.parts(); ++p)
    first.push_back(next.shares && next.shares->own_size(p) > 0 ? next.shares->own(p).lo[0] : 0);
  return first;
}

ScaledValues restriction_values(const Stage& stage, const Stage& next) {
  const Team& team = stage.a->team();
  const std::vector<Index> first = first_restricted(team, next);
  const Pointers left =
      of_parts(team, [&](int p) { return next.scaling->left(p) + first[static_cast<std::size_t>(p)]; });
  const Pointers right = of_parts(team, [&](int p) { return stage.scaling->inverse_left(p); });
  if (stage.held) return {with_ghosts_of(*stage.restriction, stage.held->matrix()), left, right};
  return {*stage.restriction, left, right};
}

ScaledValues prolongation_values(const Stage& stage, const Stage& next) {
  const Team& team = stage.a->team();
  const Pointers left = of_parts(team, [&](int p) { return stage.scaling->inverse_right(p); }),
                 right = of_parts(team, [&](int p) { return next.scaling->right(p); });
  if (stage.held_interpolation) return {*stage.held_interpolation, matrix_of(stage), left, right};
  if (!next.shares) return {*stage.interpolation, left, right};
  return {with_columns(*stage.interpolation, next.a->rows_pointer()), left, right};
}

void fill_ends(const Stage& finest, Ends& ends) {
  const Team& team = finest.a->team();
  team.each([&](int p) {
    const auto store = [&](const double* natural, double* stored) {
      launch(*team.executor(p), "factors", Range<1>{{0}, {finest.a->rows().own_size(p)}},
             StoreBody{natural, finest.format->order->place(p), stored});
    };
    store(finest.scaling->left(p), ends.in.part(p).data);
    store(finest.scaling->right(p), ends.out.part(p).data);
    team.executor(p)->synchronize();  // the natural ones are in use until then
  });
}

}  // namespace halocline::amg
