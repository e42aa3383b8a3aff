// Solves all lines of a field, for sources that launch kernels: functors of the caller give right-hand sides and take
// the solution, see field_kernels.hpp. Whole lines by solve_lines(); lines cut into parts by reduce_strips() and
// resolve_strips() with a StripExchange between them. All forms give the same bits.
#pragma once

#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/linalg/strips/contiguous_kernels.hpp"
#include "lib/linalg/strips/field_kernels.hpp"

namespace halocline::strips {

namespace detail {

// Calls launch(integral_constant) with a number of rows that no strip exceeds: on a GPU the least of those for which
// there are kernels, whose registers hold a strip.
template <class Launch>
void with_most_rows(const Executor& executor, const StripLayout& layout, const Launch& launch) {
  const Index most =
      executor.backend() == Backend::cuda ? (layout.rows + layout.count - 1) / layout.count : longest_strip;
  if (most <= 5) return launch(std::integral_constant<int, 5>());
  if (most <= 9) return launch(std::integral_constant<int, 9>());
  if (most <= 17) return launch(std::integral_constant<int, 17>());
  launch(std::integral_constant<int, longest_strip>());
}

inline Range<2> strips_by_columns(const OwnStrips& own, const LineField& field) {
  return {{0, 0}, {field.blocks * own.count, field.columns}};
}

}  // namespace detail

/// g of the part's strips to `ends` (one kind).
template <class T, class Right>
void reduce_strips(const Executor& executor, const Label& label, const CommonLine<T>& line, const OwnStrips& own,
                   const LineField& field, const EndTable<T>& ends, const Right& right) {
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch_rows(executor, label, detail::strips_by_columns(own, field),
                ReduceBody<T, Right, most>{{line.layout, own, field}, line.table, ends, right});
  });
}
/// g, v and w of the part's strips to `ends` (three kinds).
template <class T, class Rows>
void reduce_strips(const Executor& executor, const Label& label, const OwnLine& line, const OwnStrips& own,
                   const LineField& field, const EndTable<T>& ends, const Rows& rows) {
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch_rows(executor, label, detail::strips_by_columns(own, field),
                ReduceOwnBody<T, Rows, most>{{line.layout, own, field}, ends, rows});
  });
}

/// The solution in the part's strips, from the same right-hand sides and `ends` that hold u beside every strip.
template <class T, class Right, class Result>
void resolve_strips(const Executor& executor, const Label& label, const CommonLine<T>& line, const OwnStrips& own,
                    const LineField& field, const EndTable<T>& ends, const Right& right, const Result& result) {
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch_rows(executor, label, detail::strips_by_columns(own, field),
                ResolveBody<T, Right, Result, most>{{line.layout, own, field}, line.table, ends, right, result});
  });
}
template <class T, class Rows, class Result>
void resolve_strips(const Executor& executor, const Label& label, const OwnLine& line, const OwnStrips& own,
                    const LineField& field, const EndTable<T>& ends, const Rows& rows, const Result& result) {
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch_rows(executor, label, detail::strips_by_columns(own, field),
                ResolveOwnBody<T, Rows, Result, most>{{line.layout, own, field}, ends, rows, result});
  });
}

/// From g (v, w) of all strips of whole lines to u at their ends. Line: CommonLine<T> or OwnLine.
template <class T, class Line>
void solve_trees(const Executor& executor, const Label& label, const Line& line, const EndTable<T>& ends) {
  launch_rows(executor, label, rows_of_lines(ends.lines), TreeBody<T, Line>{{ends.lines}, line, ends});
}

/// Whether whole lines are solved at once, from cache, without memory for their ends: on hosts.
inline bool solved_at_once(const Executor& executor, const StripLayout& layout) {
  return executor.backend() != Backend::cuda && layout.count <= most_strips_at_once;
}

/// Names of the launches of a sweep, with the bytes each moves.
struct SweepLabels {
  Label fused, reduce, tree, resolve;
};

/// Whole lines with common coefficients: at once from cache on the host, else in three launches. `kept`: memory of the
/// field's layout, which may be where `right` reads; `ends`: for all lines, one kind.
template <class T, class Right, class Result>
void solve_lines(const Executor& executor, const SweepLabels& labels, const CommonLine<T>& line, const LineField& field,
                 const EndTable<T>& ends, T* kept, const Right& right, const Result& result) {
  using Fused = FusedBody<T, Right, Result>;
  if (solved_at_once(executor, line.layout)) {
    const Fused body{{field}, line, kept, right, result};
    return launch_on_host(executor, labels.fused, body.tiles(), body);
  }
  const OwnStrips all{0, line.layout.count};
  reduce_strips(executor, labels.reduce, line, all, field, ends, right);
  solve_trees(executor, labels.tree, line, ends);
  resolve_strips(executor, labels.resolve, line, all, field, ends, right, result);
}
/// The same for coefficients of their own; `ends`: three kinds.
template <class T, class Rows, class Result>
void solve_lines(const Executor& executor, const SweepLabels& labels, const OwnLine& line, const LineField& field,
                 const EndTable<T>& ends, const Rows& rows, const Result& result) {
  using Fused = FusedOwnBody<T, Rows, Result>;
  if (solved_at_once(executor, line.layout)) {
    const Fused body{{field}, line, rows, result};
    return launch_on_host(executor, labels.fused, body.tiles(), body);
  }
  const OwnStrips all{0, line.layout.count};
  reduce_strips(executor, labels.reduce, line, all, field, ends, rows);
  solve_trees(executor, labels.tree, line, ends);
  resolve_strips(executor, labels.resolve, line, all, field, ends, rows, result);
}

/// Lines along x, whose rows are contiguous: of a tile of eight lines at once on the host, else by a thread per line
/// and strip in three launches. In tiles functors see eight rows of a line at a time, and zeros come behind the last.
template <class T, class Right, class Result>
void solve_contiguous_lines(const Executor& executor, const SweepLabels& labels, const CommonLine<T>& line,
                            const ContiguousLines& lines, const EndTable<T>& ends, const Right& right,
                            const Result& result) {
  using Tile = TileBody<T, Right, Result>;
  if (solved_at_once(executor, line.layout))
    return launch_on_host(executor, labels.fused, lines.tiles(), Tile{line, lines, right, result});
  const OwnStrips all{0, line.layout.count};
  const LineField field = lines.field();
  const Range<2> range = detail::strips_by_columns(all, field);
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch(executor, labels.reduce, range,
           ReduceBody<T, Right, most>{{line.layout, all, field}, line.table, ends, right});
  });
  solve_trees(executor, labels.tree, line, ends);
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch(executor, labels.resolve, range,
           ResolveBody<T, Right, Result, most>{{line.layout, all, field}, line.table, ends, right, result});
  });
}
/// The same for coefficients of their own; `ends`: three kinds.
template <class T, class Rows, class Result>
void solve_contiguous_lines(const Executor& executor, const SweepLabels& labels, const OwnLine& line,
                            const ContiguousLines& lines, const EndTable<T>& ends, const Rows& rows,
                            const Result& result) {
  using Tile = OwnTileBody<T, Rows, Result>;
  if (solved_at_once(executor, line.layout))
    return launch_on_host(executor, labels.fused, lines.tiles(), Tile{line, lines, rows, result});
  const OwnStrips all{0, line.layout.count};
  const LineField field = lines.field();
  const Range<2> range = detail::strips_by_columns(all, field);
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch(executor, labels.reduce, range, ReduceOwnBody<T, Rows, most>{{line.layout, all, field}, ends, rows});
  });
  solve_trees(executor, labels.tree, line, ends);
  detail::with_most_rows(executor, line.layout, [&](auto most) {
    launch(executor, labels.resolve, range,
           ResolveOwnBody<T, Rows, Result, most>{{line.layout, all, field}, ends, rows, result});
  });
}

}  // namespace halocline::strips
