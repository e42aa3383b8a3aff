#include "lib/problems/fractional/step/sweeps.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/linalg/strips/chunk_rows.hpp"
#include "lib/linalg/strips/solve_fields.hpp"
#include "lib/problems/fractional/step/sweep_kernels.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {

namespace {

constexpr const char* names[3] = {"sweep x", "sweep y", "sweep z"};
constexpr const char* names_of_strips[3] = {"sweep x, strips", "sweep y, strips", "sweep z, strips"};

strips::SweepLabels labels(int axis, double bytes, int reads) {
  const Label label{names[axis], bytes * (reads + 1)};
  return {label, label, names[axis], label};
}

// In place, or to an update.
template <class T, class Line>
void take_columns(const Executor& executor, const Label& label, const Line& line, const strips::LineField& field,
                  const strips::FieldValues<T>& values) {
  sweep_columns(executor, label, line, field, values.data);
}
template <class Line, class Numbers>
void take_columns(const Executor& executor, const Label& label, const Line& line, const strips::LineField& field,
                  const UpdateOf<Numbers>& update) {
  sweep_columns(executor, label, line, field, update);
}

template <class T, class Result>
RoundedResult<T, Result> rounded_to(const Result& result) {
  return {result};
}

// Axis: of Sweeps.
template <class Axis>
auto common_ends(Axis& axis) {
  auto* const data = axis.ends.view().data;
  return strips::EndTable<std::remove_pointer_t<decltype(data)>>{data, axis.lines, 1};
}
template <class Axis>
strips::EndTable<double> own_ends(Axis& axis) {
  return {axis.own_ends.view().data, axis.lines, 3};
}

}  // namespace

template <class T>
Sweeps<T>::Sweeps(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& of)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&of),
      common_(of.common()),
      parts_(static_cast<std::size_t>(slabs->parts())) {
  if (slabs->boxes().cut_along_y()) share(1);
  if (slabs->boxes().cut_along_z()) share(2);
  for (int p = 0; p < slabs->parts(); ++p)
    for (int a = 0; a < 3; ++a) make(axis(p, a), a, p);
}

// Lines along z go through all parts of a column of boxes, lines along y through those of a layer; chunks of them are
// rows of lines along x, in all parts as many.
template <class T>
void Sweeps<T>::share(int which) {
  const BoxPartition& boxes = slabs_->boxes();
  const bool along_z = which == 2;
  const Partition &rows = along_z ? boxes.z() : boxes.y(), &across = along_z ? boxes.y() : boxes.z();
  const PartLine line = along_z ? PartLine{boxes.layers(), boxes.columns()} : PartLine{boxes.columns(), 1};
  const strips::ChunkRows chunk_rows(strips::strip_layout(formulation_->grid.extent[3 - which]), across,
                                     common_ && boxes.cut_along_y() && boxes.cut_along_z());
  const Partition strips = strips::strips_of(strips::strip_layout(formulation_->grid.extent[which]), rows);
  const Index pitch = slabs_->layout(0).pitch,
              count = std::min(strips::chunks_of(strips::least_block(across), pitch), chunk_rows.most());
  std::vector<Partition> chunks;
  for (int p = 0; p < slabs_->parts(); ++p) {
    const int part = slabs_->team().first_part() + p;
    chunks.push_back(chunk_rows.cut(along_z ? boxes.column_of(part) : boxes.layer_of(part), pitch, count));
  }
  const std::vector<Index> most = chunk_rows.most_lines(pitch, count);
  Shared& shared = shared_[static_cast<std::size_t>(which)].emplace();
  if (common_) {
    shared.common.emplace(slabs_->comm(), slabs_->team(), line, strips, chunks, most);
  } else {
    shared.own.emplace(slabs_->comm(), slabs_->team(), line, strips, chunks, most);
  }
}

template <class T>
void Sweeps<T>::make(Axis& axis, int which, int part) const {
  const ExecutorPtr& executor = slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  const Index rows = formulation_->grid.extent[which];
  const strips::StripLayout layout = strips::strip_layout(rows);
  axis.lines = which == 0   ? (slab.lines() + lanes - 1) / lanes * lanes
               : which == 1 ? slab.extent[2] * slab.pitch
                            : slab.extent[1] * slab.pitch;
  const bool shared = cut(which);  // with ends in the exchange
  const auto plan = common_ ? plan_sweep<T> : which == 0 ? plan_own_rows : plan_own_columns;
  axis.in_blocks = !shared && plan(*executor, layout);
  axis.ahead = shared && plans_ahead(part, which);
  const bool needs_ends = !shared && !axis.in_blocks && !strips::solved_at_once(*executor, layout);
  if (common_) {
    const bool by_row = executor->backend() == Backend::cuda && which == 0;
    axis.tables.emplace(executor, rows, by_row ? strips::TableOrder::by_row : strips::TableOrder::by_strip);
    if (needs_ends) axis.ends = Array<T, 1>(executor, {strips::EndTable<T>::size(layout.count, 1, axis.lines)});
  } else {
    axis.steps = make_array(executor, strips::join_steps(layout.count));
    if (needs_ends)
      axis.own_ends = Array<double, 1>(executor, {strips::EndTable<double>::size(layout.count, 3, axis.lines)});
  }
}

template <class T>
void Sweeps<T>::set(double nu) {
  if (!common_ || nu == nu_) return;
  nu_ = nu;
  slabs_->team().each([&](int p) {
    for (int a = 0; a < 3; ++a) {
      const ConstantAxis of = coefficients_->constant(p, a);
      std::vector<strips::RowCoefficients> rows;
      for (Index i = 0; i < of.shape.rows; ++i) {
        const AxisRow<double>& row = of.at(i);
        using Row = strips::RowCoefficients;
        rows.push_back(of.shape.is_dirichlet(i) ? Row{0, 1, 0} : Row{nu * row.lo, 1 - nu * row.di, nu * row.up});
      }
      axis(p, a).tables->assign(rows, of.shape.low == End::periodic);
    }
  });
}

template <class T>
strips::LineField Sweeps<T>::field(int part, int axis) const {
  const SlabLayout& slab = slabs_->layout(part);
  return field(part, axis, {{0}, {slab.pitch * slab.extent[3 - axis]}});
}

// Of some columns of lines along y or z.
template <class T>
strips::LineField Sweeps<T>::field(int part, int axis, const Range<1>& columns) const {
  const SlabLayout& slab = slabs_->layout(part);
  if (axis == 2) return {1, columns.size(), 0, slab.plane, 1, columns.lo[0]};
  return {columns.size() / slab.pitch, slab.pitch, slab.plane, slab.pitch, 1, columns.lo[0] / slab.pitch * slab.plane};
}

template <class T>
strips::OwnLine Sweeps<T>::own_line(const Axis& axis, int which) const {
  return {strips::strip_layout(formulation_->grid.extent[which]),
          {axis.steps.view().data, static_cast<int>(axis.steps.size())},
          formulation_->grid.periodic[which]};
}

template <class T>
void Sweeps<T>::solve(int part, int which, const NodeValue& nu, T* w) {
  if (which > 0) return solve_whole(part, which, nu, w, strips::FieldValues<T>{w});
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  Axis& along_x = axis(part, 0);
  const strips::FieldValues<T> values{w};
  const auto sweep = labels(0, sizeof(T) * static_cast<double>(slab.count(slab.rows())), 1);
  strips::ContiguousLines lines{slab.lines(), slab.pitch};
  if (slab.rim > 0) lines = {slab.lines(), slab.pitch, slab.extent[1], slab.plane};
  if (common_) {
    const strips::CommonLine<T> line = along_x.tables->line();
    if (along_x.in_blocks) return sweep_rows(executor, sweep.fused, line, lines, w);
    return strips::solve_contiguous_lines(executor, sweep, line, lines, common_ends(along_x), values, values);
  }
  const OwnSweep of{own_line(along_x, 0), coefficients_->varying(part, 0), nu};
  if (along_x.in_blocks) return sweep_rows(executor, sweep.fused, of, lines, w);
  coefficients_->with_rows([&](const auto& rows_of) {
    const auto rows = rows_of(part, 0);
    strips::solve_contiguous_lines(executor, sweep, of.line, lines, own_ends(along_x),
                                   SweepRows<std::decay_t<decltype(rows)>, true, T>{rows, nu, w},
                                   rounded_to<T>(values));
  });
}

// Along y or z of a part that has whole lines. right: where right-hand sides lie; result takes the solution.
template <class T>
template <class Right, class Result>
void Sweeps<T>::solve_whole(int part, int which, const NodeValue& nu, const Right& right, const Result& result) {
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  Axis& along = axis(part, which);
  constexpr int reads = std::is_same_v<Result, strips::FieldValues<T>> ? 1 : 4;
  const auto sweep = labels(which, sizeof(T) * static_cast<double>(slab.count(slab.rows())), reads);
  if (common_) {
    const strips::CommonLine<T> line = along.tables->line();
    if (along.in_blocks) return take_columns(executor, sweep.fused, line, field(part, which), result);
    return strips::solve_lines(executor, sweep, line, field(part, which), common_ends(along), right,
                               strips::FieldValues<T>{right}, result);
  }
  const OwnSweep of{own_line(along, which), coefficients_->varying(part, which), nu};
  if (along.in_blocks) return take_columns(executor, sweep.fused, of, field(part, which), result);
  coefficients_->with_rows([&](const auto& rows_of) {
    const auto rows = rows_of(part, which);
    strips::solve_lines(executor, sweep, of.line, field(part, which), own_ends(along),
                        SweepRows<std::decay_t<decltype(rows)>, false, T>{rows, nu, right}, rounded_to<T>(result));
  });
}

template <class T>
template <class Line, class Exchange, class Rows, class Results, class Reduced, class Resolved>
void Sweeps<T>::solve_shared(int which, Exchange& exchange, const std::vector<Line>& lines, const Rows& rows,
                             const Results& results, const Reduced& reduced, const Resolved& resolved) {
  using EndsChunk = typename Exchange::Chunk;
  // `moved` times the right-hand sides, and the ends of strips.
  const auto bytes = [&](int p, const EndsChunk& chunk, double moved) {
    const SlabLayout& slab = slabs_->layout(p);
    const double ends = static_cast<double>(2 * Line::kinds * chunk.own.count) * sizeof(*chunk.ends.data);
    return (moved * sizeof(T) * static_cast<double>(slab.extent[which]) + ends) *
           static_cast<double>(chunk.columns.size() * slab.extent[0] / slab.pitch);
  };
  const auto reduce = [&](int p, const EndsChunk& chunk) {
    if (reduced(p, chunk)) return;
    const Executor& executor = *slabs_->team().executor(p);
    const Label label{names_of_strips[which], bytes(p, chunk, 1)};
    const Line& line = lines[static_cast<std::size_t>(p)];
    rows(p, [&, field = field(p, which, chunk.columns)](const auto& of) {
      if constexpr (std::is_same_v<Line, strips::CommonLine<T>>)
        if (reduce_columns(executor, label, line, chunk.own, field, chunk.ends, of.data)) return;
      strips::reduce_strips(executor, label, line, chunk.own, field, chunk.ends, of);
    });
  };
  const auto resolve = [&](int p, const EndsChunk& chunk) {
    if (resolved(p, chunk)) return;
    const Executor& executor = *slabs_->team().executor(p);
    const Label label{names[which], bytes(p, chunk, which == 2 ? 5 : 2)};  // with c and the increment before, or not
    const Line& line = lines[static_cast<std::size_t>(p)];
    const strips::LineField field = this->field(p, which, chunk.columns);
    if constexpr (std::is_same_v<Line, strips::CommonLine<T>>)
      if (resolve_columns(executor, label, line, chunk.own, field, chunk.ends, results(p))) return;
    rows(p, [&](const auto& of) {
      strips::resolve_strips(executor, label, line, chunk.own, field, chunk.ends, of, results(p));
    });
  };
  exchange.solve(lines, reduce, resolve);
}

template <class T>
std::vector<strips::CommonLine<T>>& Sweeps<T>::set_common_lines(int which) {
  auto& lines = shared(which).common_lines;
  lines.clear();
  for (int p = 0; p < slabs_->parts(); ++p) lines.push_back(axis(p, which).tables->line());
  return lines;
}

template <class T>
template <class Right, class Results>
void Sweeps<T>::solve_all(int which, const std::vector<NodeValue>& nu, const Right& right, const Results& results,
                          const SideValues* ahead) {
  const Team& team = slabs_->team();
  const auto factor = [&](int p) -> const NodeValue& { return nu[static_cast<std::size_t>(p)]; };
  if (!cut(which)) return team.each([&](int p) { solve_whole(p, which, factor(p), right(p), results(p)); });
  Shared& shared = this->shared(which);
  const auto no = [](int, const auto&) { return false; };
  if (common_) {
    const auto common = [&](int p, const auto& call) { call(strips::FieldValues<T>{right(p)}); };
    const auto reduced = [&](int p, const Chunk& chunk) {
      if (ahead == nullptr || !axis(p, which).ahead) return false;
      reduce_at_sides(p, which, chunk, right(p), *ahead);
      return true;
    };
    return solve_shared(which, *shared.common, set_common_lines(which), common, results, reduced, no);
  }
  const auto own = [&](int p, const auto& call) {
    coefficients_->with_rows([&](const auto& rows_of) {
      const auto rows = rows_of(p, which);
      call(SweepRows<std::decay_t<decltype(rows)>, false, T>{rows, factor(p), right(p)});
    });
  };
  shared.own_lines.clear();
  for (int p = 0; p < team.parts(); ++p) shared.own_lines.push_back(own_line(axis(p, which), which));
  solve_shared(
      which, *shared.own, shared.own_lines, own, [&](int p) { return rounded_to<T>(results(p)); }, no, no);
}

template <class T>
const SideValues* Sweeps<T>::solve_first_two(const std::vector<NodeValue>& nu, const std::vector<T*>& w,
                                             const SideValues& sides) {
  const Team& team = slabs_->team();
  const auto values = [&](int p) { return w[static_cast<std::size_t>(p)]; };
  const auto enter = [&](int p, int axis) { sides.enter(p, axis, nu[static_cast<std::size_t>(p)], values(p)); };
  team.each([&](int p) {
    enter(p, 0);
    if (axis(p, 1).ahead) return;  // chunk by chunk, below
    solve(p, 0, nu[static_cast<std::size_t>(p)], values(p));
    enter(p, 1);
  });
  const auto results = [&](int p) { return strips::FieldValues<T>{values(p)}; };
  if (common_) {
    const auto reduced = [&](int p, const Chunk& chunk) {
      if (!axis(p, 1).ahead) return false;
      solve_rows_ahead(p, chunk, values(p));
      const Index pitch = slabs_->layout(p).pitch;
      const Range<1> planes{{chunk.columns.lo[0] / pitch}, {chunk.columns.hi[0] / pitch}};
      sides.enter(p, 1, nu[static_cast<std::size_t>(p)], values(p), planes);
      reduce_at_sides(p, 1, chunk, values(p), sides);
      return true;
    };
    const auto resolved = [&](int p, const Chunk& chunk) {
      if (!axis(p, 2).ahead) return false;
      solve_columns_ahead(p, chunk, values(p));
      return true;
    };
    const auto common = [&](int p, const auto& call) { call(results(p)); };
    solve_shared(1, *shared(1).common, set_common_lines(1), common, results, reduced, resolved);
  } else {
    solve_all(1, nu, values, results, nullptr);
  }
  team.each([&](int p) { enter(p, 2); });
  return common_ ? &sides : nullptr;
}

template <class T>
template <class Numbers>
void Sweeps<T>::solve_across(const std::vector<NodeValue>& nu, const std::vector<UpdateOf<Numbers>>& updates,
                             const SideValues* ahead) {
  const auto update = [&](int p) { return updates[static_cast<std::size_t>(p)]; };
  solve_all(
      2, nu, [&](int p) { return update(p).slot; }, update, ahead);
}

template <class T>
void Sweeps<T>::solve_across(int axis, const std::vector<NodeValue>& nu, const std::vector<T*>& w,
                             const SideValues* ahead) {
  const auto values = [&](int p) { return w[static_cast<std::size_t>(p)]; };
  if (axis == 0) return slabs_->team().each([&](int p) { solve(p, 0, nu[static_cast<std::size_t>(p)], values(p)); });
  solve_all(
      axis, nu, values, [&](int p) { return strips::FieldValues<T>{values(p)}; }, ahead);
}

template <class T>
Traffic Sweeps<T>::traffic() const {
  Traffic sent;
  for (const auto& shared : shared_) {
    if (shared && shared->common) sent += shared->common->sent();
    if (shared && shared->own) sent += shared->own->sent();
  }
  return sent;
}

template class Sweeps<double>;
template class Sweeps<float>;
template void Sweeps<double>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Fp64>>&,
                                           const SideValues*);
template void Sweeps<float>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Mixed>>&,
                                          const SideValues*);
template void Sweeps<float>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Fp32>>&,
                                          const SideValues*);

}  // namespace halocline::fractional
