// Tables are computed with more digits than they have: elimination looks back on a whole strip.
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/linalg/strips/strips.hpp"

namespace halocline::strips {

namespace {

using Real = long double;

Real inverse_of(Real pivot, Index row) {
  const Real inverse = 1 / pivot;
  if (!std::isfinite(inverse) || inverse == 0)
    throw NumericalError(formatted("elimination along a line breaks down in row {}", row));
  return inverse;
}

// Factors of the rows of strip s: put(factor, row in strip, value).
template <class Put>
Response<Real> eliminate(const std::vector<RowCoefficients>& rows, const StripLayout& layout, Index s, const Put& put) {
  Real v = 1, e = 0, q = 1, v_first = 0;
  const Index begin = layout.begin(s);
  for (int i = 0; i < layout.size(s); ++i) {
    const RowCoefficients& row = rows[begin + i];
    const Real factor = inverse_of(row.diagonal - row.before * e, begin + i);
    v *= row.before * factor;
    e = row.behind * factor;
    v_first += q * v;
    put(inverse, i, factor);
    put(lower, i, row.before * factor);
    put(left, i, v);
    put(upper, i, e);
    put(weight, i, q);
    q *= e;
  }
  return {{0, 0}, {v_first, v}, {q, e}};
}

template <class T>
Join<T> rounded(const Join<Real>& j) {
  const auto r = [](Real value) { return static_cast<T>(value); };
  return {r(j.a_last), r(j.b_first), r(j.det), r(j.a_first), r(j.b_last), r(j.vx), r(j.wx), r(j.vy), r(j.wy)};
}

// As make_join() and join_responses(): the factors of a pair, and `a` becomes the joined node.
Join<Real> join_with(Response<Real>& a, const Response<Real>& b, Index row) {
  const Real det = inverse_of(1 - a.w.last * b.v.first, row);
  const Join<Real> join{a.w.last,
                        b.v.first,
                        det,
                        a.w.first,
                        b.v.last,
                        a.v.last * det,
                        a.w.last * b.w.first * det,
                        b.v.first * a.v.last * det,
                        b.w.first * det};
  a.v = {a.v.first + a.w.first * join.vy, b.v.last * join.vx};
  a.w = {a.w.first * join.wy, b.w.last + b.v.last * join.wx};
  return join;
}

template <class T>
Closure<T> closure_of(const Response<Real>& line) {
  const Real first = 1 - line.w.first, last = 1 - line.v.last;
  const Real det = inverse_of(first * last - line.v.first * line.w.last, 0);
  return {static_cast<T>(last * det), static_cast<T>(line.v.first * det), static_cast<T>(line.w.last * det),
          static_cast<T>(first * det)};
}

// Strips as wide as tables by row are.
Index places_of(const StripLayout& layout) { return (layout.count + table_lanes - 1) / table_lanes * table_lanes; }

}  // namespace

template <class T>
StripTables<T>::StripTables(ExecutorPtr executor, Index rows, TableOrder order)
    : layout_(strip_layout(rows)),
      order_(order),
      longest_((rows + layout_.count - 1) / layout_.count),
      factors_(executor,
               {(order == TableOrder::by_row ? places_of(layout_) : layout_.count) * longest_ * strip_factors}),
      joins_(executor, {layout_.count}),
      steps_(make_array(executor, join_steps(layout_.count))) {}

template <class T>
CommonLine<T> StripTables<T>::line() const {
  StripTable<T> table{factors_.view().data, 1, strip_factors, strip_factors * longest_};
  if (order_ == TableOrder::by_row) table = {table.data, places_of(layout_), strip_factors * places_of(layout_), 1};
  return {layout_,  table,    joins_.view().data, {steps_.view().data, static_cast<int>(steps_.size())},
          closure_, periodic_};
}

template <class T>
void StripTables<T>::assign(const std::vector<RowCoefficients>& rows, bool periodic) {
  require(static_cast<Index>(rows.size()) == layout_.rows, "strips: another number of rows");
  Staged& staged = staged_[static_cast<std::size_t>(next_)];
  next_ = 1 - next_;
  const Executor& executor = *factors_.executor();
  if (!staged.factors.empty()) executor.wait(staged.copied);
  staged.factors.assign(static_cast<std::size_t>(factors_.size()), T{0});
  staged.joins.assign(static_cast<std::size_t>(joins_.size()), Join<T>{});
  const StripTable<T> table = line().table;
  std::vector<Response<Real>> nodes;
  for (Index s = 0; s < layout_.count; ++s)
    nodes.push_back(eliminate(rows, layout_, s, [&](StripFactor factor, int row, Real value) {
      staged.factors[factor * table.factor_stride + row * table.row_stride + s * table.strip_stride] =
          static_cast<T>(value);
    }));
  for (const JoinStep& step : join_steps(layout_.count))  // a node lies with its first strip
    staged.joins[step.join] =
        rounded<T>(join_with(nodes[step.a_first], nodes[step.a_last + 1], layout_.begin(step.a_last + 1)));
  periodic_ = periodic;
  closure_ = periodic ? closure_of<T>(nodes.front()) : Closure<T>{};
  const auto copy = [&](auto* to, const auto& from) {
    executor.copy_in_async(to, from.data(), from.size() * sizeof(from[0]), Queue::compute);
  };
  copy(factors_.view().data, staged.factors);
  copy(joins_.view().data, staged.joins);
  staged.copied = executor.record(Queue::compute);
}

template class StripTables<double>;
template class StripTables<float>;

}  // namespace halocline::strips
