#include "lib/problems/fractional/step/sweeps.hpp"

#include "gpu/launch.hpp"
#include "lib/linalg/strips/solve_fields.hpp"
#include "lib/problems/fractional/step/sweep_kernels.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {

namespace {

constexpr const char* names[3] = {"sweep x", "sweep y", "sweep z"};

strips::SweepLabels labels(int axis, double bytes, int reads) {
  const Label label{names[axis], bytes * (reads + 1)};
  return {label, label, names[axis], label};
}

// The strips of planes along z that each part owns: parts begin where strips do.
Partition strips_of(const strips::StripLayout& layout, const Partition& planes) {
  std::vector<Index> starts;
  Index strip = 0;
  for (int p = 0; p < planes.parts(); ++p) {
    while (layout.begin(strip) < planes.block(p).lo[0]) ++strip;
    require(layout.begin(strip) == planes.block(p).lo[0], "Sweeps: a part begins inside a strip");
    starts.push_back(strip);
  }
  starts.push_back(layout.count);
  return Partition::from_starts(starts);
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

bool periodic(const AxisShape& shape) { return shape.low == End::periodic; }

}  // namespace

template <class T>
Sweeps<T>::Sweeps(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& of)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&of),
      common_(of.common()),
      parts_(static_cast<std::size_t>(slabs->parts())) {
  for (int p = 0; p < slabs->parts(); ++p)
    for (int a = 0; a < 3; ++a) make(parts_[static_cast<std::size_t>(p)][static_cast<std::size_t>(a)], a, p);
  if (slabs->team().total_parts() == 1) return;
  const Partition strips = strips_of(strips::strip_layout(formulation.grid.extent[2]), slabs->partition());
  const SlabLayout& slab = slabs->layout(0);
  const Partition chunks = strips::column_chunks(slab.extent[1], slab.pitch);
  if (common_) {
    common_exchange_.emplace(slabs->comm(), slabs->team(), strips, chunks);
  } else {
    own_exchange_.emplace(slabs->comm(), slabs->team(), strips, chunks);
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
                            : slab.plane;
  const bool shared = which == 2 && slabs_->team().total_parts() > 1;  // with ends in the exchange
  const auto plan = common_ ? plan_sweep<T> : which == 0 ? plan_own_rows : plan_own_columns;
  axis.in_blocks = !shared && plan(*executor, layout);
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
        if (of.shape.is_dirichlet(i)) {
          rows.push_back({0, 1, 0});
        } else {
          rows.push_back({nu * row.lo, 1 - nu * row.di, nu * row.up});
        }
      }
      parts_[static_cast<std::size_t>(p)][static_cast<std::size_t>(a)].tables->assign(rows, periodic(of.shape));
    }
  });
}

template <class T>
strips::LineField Sweeps<T>::field(int part, int axis) const {
  const SlabLayout& slab = slabs_->layout(part);
  if (axis == 1) return {slab.extent[2], slab.pitch, slab.plane, slab.pitch};
  return {1, slab.plane, 0, slab.plane};
}

template <class T>
strips::OwnLine Sweeps<T>::own_line(const Axis& axis, int which) const {
  return {strips::strip_layout(formulation_->grid.extent[which]),
          {axis.steps.view().data, static_cast<int>(axis.steps.size())},
          formulation_->grid.periodic[which]};
}

template <class T>
void Sweeps<T>::solve(int part, int which, const NodeValue& nu, T* w) {
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  Axis& axis = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(which)];
  const strips::FieldValues<T> values{w};
  const auto sweep = labels(which, sizeof(T) * static_cast<double>(slab.count(slab.rows())), 1);
  const strips::ContiguousLines lines{slab.lines(), slab.pitch};
  require(slab.plane == slab.extent[1] * slab.pitch, "Sweeps: planes have no gaps between rows");
  if (common_) {
    const strips::CommonLine<T> line = axis.tables->line();
    if (axis.in_blocks) {
      if (which == 0) return sweep_rows(executor, sweep.fused, line, lines, w);
      return sweep_columns(executor, sweep.fused, line, field(part, which), w);
    }
    const strips::EndTable<T> ends = common_ends(axis);
    if (which == 0) {
      strips::solve_contiguous_lines(executor, sweep, line, lines, ends, values, values);
    } else {
      strips::solve_lines(executor, sweep, line, field(part, which), ends, w, values, values);
    }
    return;
  }
  const OwnSweep of{own_line(axis, which), coefficients_->varying(part, which), nu};
  if (axis.in_blocks) {
    if (which == 0) return sweep_rows(executor, sweep.fused, of, lines, w);
    return sweep_columns(executor, sweep.fused, of, field(part, which), w);
  }
  const strips::EndTable<double> ends = own_ends(axis);
  const auto rounded = rounded_to<T>(values);
  const auto own = [&](const auto& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    if (which == 0) {
      strips::solve_contiguous_lines(executor, sweep, of.line, lines, ends, SweepRows<Rows, true, T>{rows, nu, w},
                                     rounded);
    } else {
      strips::solve_lines(executor, sweep, of.line, field(part, which), ends, SweepRows<Rows, false, T>{rows, nu, w},
                          rounded);
    }
  };
  coefficients_->with_rows([&](const auto& rows_of) { own(rows_of(part, which)); });
}

template <class T>
template <class Line, class Exchange, class Rows, class Results>
void Sweeps<T>::solve_shared(Exchange& exchange, const std::vector<Line>& lines, const Rows& rows,
                             const Results& results) {
  using Chunk = typename Exchange::Chunk;
  const auto field = [&](int p, const Chunk& chunk) {
    const Index plane = slabs_->layout(p).plane;
    return strips::LineField{1, chunk.columns.size(), 0, plane, 1, chunk.columns.lo[0]};
  };
  const auto values = [&](int p, const Chunk& chunk) {
    const SlabLayout& slab = slabs_->layout(p);
    return static_cast<double>(slab.count(slab.rows()) * chunk.columns.size() / slab.plane);
  };
  const auto reduce = [&](int p, const Chunk& chunk) {
    rows(p, [&](const auto& of) {
      strips::reduce_strips(*slabs_->team().executor(p), {"sweep z, strips", sizeof(T) * values(p, chunk)},
                            lines[static_cast<std::size_t>(p)], chunk.own, field(p, chunk), chunk.ends, of);
    });
  };
  const auto resolve = [&](int p, const Chunk& chunk) {
    rows(p, [&](const auto& of) {
      strips::resolve_strips(*slabs_->team().executor(p), {"sweep z", 6 * sizeof(T) * values(p, chunk)},
                             lines[static_cast<std::size_t>(p)], chunk.own, field(p, chunk), chunk.ends, of,
                             results(p));
    });
  };
  exchange.solve(lines, reduce, resolve);
}

template <class T>
template <class Right, class Results>
void Sweeps<T>::solve_last(const std::vector<NodeValue>& nu, const Right& right, const Results& results) {
  const Team& team = slabs_->team();
  const auto axis = [&](int p) -> Axis& { return parts_[static_cast<std::size_t>(p)][2]; };
  const auto own = [&](int p, const auto& call) {
    const T* const w = right(p);
    const NodeValue factor = nu[static_cast<std::size_t>(p)];
    coefficients_->with_rows([&](const auto& rows_of) {
      const auto rows = rows_of(p, 2);
      call(SweepRows<std::decay_t<decltype(rows)>, false, T>{rows, factor, w});
    });
  };
  const auto common = [&](int p, const auto& call) { call(strips::FieldValues<T>{right(p)}); };
  if (team.total_parts() > 1 && common_) {
    common_lines_.clear();
    for (int p = 0; p < team.parts(); ++p) common_lines_.push_back(axis(p).tables->line());
    return solve_shared(*common_exchange_, common_lines_, common, results);
  }
  if (team.total_parts() > 1) {
    own_lines_.clear();
    for (int p = 0; p < team.parts(); ++p) own_lines_.push_back(own_line(axis(p), 2));
    return solve_shared(*own_exchange_, own_lines_, own, [&](int p) { return rounded_to<T>(results(p)); });
  }
  const Executor& executor = *team.executor(0);
  const SlabLayout& slab = slabs_->layout(0);
  const auto sweep = labels(2, sizeof(T) * static_cast<double>(slab.count(slab.rows())), 4);
  if (common_) {
    const strips::CommonLine<T> line = axis(0).tables->line();
    if (axis(0).in_blocks) return take_columns(executor, sweep.fused, line, field(0, 2), results(0));
    const strips::FieldValues<T> values{right(0)};
    return strips::solve_lines(executor, sweep, line, field(0, 2), common_ends(axis(0)), right(0), values, results(0));
  }
  const OwnSweep of{own_line(axis(0), 2), coefficients_->varying(0, 2), nu[0]};
  if (axis(0).in_blocks) return take_columns(executor, sweep.fused, of, field(0, 2), results(0));
  own(0, [&](const auto& rows) {
    strips::solve_lines(executor, sweep, of.line, field(0, 2), own_ends(axis(0)), rows, rounded_to<T>(results(0)));
  });
}

template <class T>
template <class Numbers>
void Sweeps<T>::solve_across(const std::vector<NodeValue>& nu, const std::vector<UpdateOf<Numbers>>& updates) {
  const auto update = [&](int p) { return updates[static_cast<std::size_t>(p)]; };
  solve_last(
      nu, [&](int p) { return update(p).slot; }, update);
}

template <class T>
void Sweeps<T>::solve_across(const std::vector<NodeValue>& nu, const std::vector<T*>& w) {
  const auto values = [&](int p) { return w[static_cast<std::size_t>(p)]; };
  solve_last(nu, values, [&](int p) { return strips::FieldValues<T>{values(p)}; });
}

template <class T>
Traffic Sweeps<T>::traffic() const {
  return common_exchange_ ? common_exchange_->sent() : own_exchange_ ? own_exchange_->sent() : Traffic{};
}

template class Sweeps<double>;
template class Sweeps<float>;
template void Sweeps<double>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Fp64>>&);
template void Sweeps<float>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Mixed>>&);
template void Sweeps<float>::solve_across(const std::vector<NodeValue>&, const std::vector<UpdateOf<Fp32>>&);

}  // namespace halocline::fractional
