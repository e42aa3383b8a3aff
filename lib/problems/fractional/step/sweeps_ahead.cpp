// Sweeps of boxes that reduce the strips of the axis to come.
#include <type_traits>

#include "lib/linalg/strips/ahead_kernels.hpp"
#include "lib/linalg/strips/solve_fields.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"
#include "lib/problems/fractional/step/sweeps.hpp"

namespace halocline::fractional {

namespace {

// Of a part's nodes in so many of its columns, `moved` times, and of `strips` in so many lines.
template <class T>
double bytes_of(const SlabLayout& slab, const Range<1>& columns, Index rows, double moved, double strips) {
  return sizeof(T) * (moved * static_cast<double>(rows) + 2 * strips) *
         static_cast<double>(columns.size() / slab.pitch * slab.extent[0]);
}

// The strips that begin with these rows of a part.
strips::OwnStrips strips_in(const strips::StripLayout& layout, Index first, Index rows) {
  strips::OwnStrips own;
  while (layout.begin(own.first) < first) ++own.first;
  while (own.first + own.count < layout.count && layout.begin(own.first + own.count) < first + rows) ++own.count;
  return own;
}

}  // namespace

// Whether the sweep before reduces strips along y or z. Part of set-up.
template <class T>
bool Sweeps<T>::plans_ahead(int part, int which) const {
  if (!common_ || which == 0 || !cut(1)) return false;
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  const auto layout = [&](int axis) { return strips::strip_layout(formulation_->grid.extent[axis]); };
  const auto own = [&](int axis) { return strips_in(layout(axis), slab.first_along(axis), slab.extent[axis]); };
  if (executor.backend() != Backend::cuda) return which == 2 || strips::solved_at_once(executor, layout(0));
  return which == 1 ? plan_rows_ahead<T>(executor, layout(0), slab.pitch)
                    : plan_columns_ahead<T>(executor, slab.pitch, own(1), own(2));
}

template <class T>
void Sweeps<T>::solve_rows_ahead(int part, const Chunk& chunk, T* w) {
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  const strips::CommonLine<T> across = axis(part, 1).tables->line();
  const strips::RowsAhead<T> sweep{axis(part, 0).tables->line(),  across.layout, chunk.own, across.table,
                                   field(part, 1, chunk.columns), chunk.ends,    w};
  const Label label{"sweep x, strips of y",
                    bytes_of<T>(slab, chunk.columns, slab.extent[1], 2, static_cast<double>(chunk.own.count))};
  if (executor.backend() == Backend::cuda) return sweep_rows_ahead(executor, label, sweep);
  const strips::RowsAheadBody<T> body{sweep};
  launch_on_host(executor, label, body.tiles(), body);
}

template <class T>
void Sweeps<T>::solve_columns_ahead(int part, const Chunk& chunk, T* w) {
  const Executor& executor = *slabs_->team().executor(part);
  const SlabLayout& slab = slabs_->layout(part);
  auto& ahead = *shared(2).common;
  const strips::CommonLine<T> next = axis(part, 2).tables->line();
  const Index first = slab.first + chunk.columns.lo[0] / slab.pitch, planes = chunk.columns.size() / slab.pitch;
  strips::ColumnsAhead<T> sweep{axis(part, 1).tables->line(),
                                chunk.own,
                                field(part, 1, chunk.columns),
                                chunk.ends,
                                next.layout,
                                strips_in(next.layout, first, planes),
                                0,
                                next.table,
                                {},
                                ahead.chunks(),
                                w};
  require(sweep.count <= static_cast<int>(std::size(sweep.chunks)), "a sweep along y: too many chunks along z");
  sweep.place = static_cast<int>(sweep.planes.first - ahead.chunk(part, 0).own.first);
  for (int n = 0; n < sweep.count; ++n) {
    const Chunk lines = ahead.chunk(part, n);
    sweep.chunks[n] = {lines.ends, lines.columns.lo[0]};
  }
  const double strips = static_cast<double>(chunk.own.count) +
                        static_cast<double>(sweep.planes.count * slab.extent[1]) / static_cast<double>(planes);
  const Label label{"sweep y, strips of z", bytes_of<T>(slab, chunk.columns, slab.extent[1], 2, strips)};
  if (executor.backend() == Backend::cuda) return sweep_columns_ahead(executor, label, sweep);
  const strips::ColumnsAheadBody<T> body{sweep};
  launch_on_host(executor, label, body.tiles(), body);
}

// Strips into which sides have entered after they had been reduced.
template <class T>
void Sweeps<T>::reduce_at_sides(int part, int which, const Chunk& chunk, T* w, const SideValues& sides) {
  const Executor& executor = *slabs_->team().executor(part);
  const strips::CommonLine<T> line = axis(part, which).tables->line();
  for (int high = 0; high < 2; ++high) {
    if (!sides.enters(part, 2 * which + high)) continue;
    const Index place = high == 1 ? chunk.own.count - 1 : 0, strip = chunk.own.first + place;
    strips::LineField strip_rows = field(part, which, chunk.columns);
    strip_rows.start += (line.layout.begin(strip) - line.layout.begin(chunk.own.first)) * strip_rows.row_stride;
    const Label label{which == 1 ? "sweep y, strips" : "sweep z, strips",
                      bytes_of<T>(slabs_->layout(part), chunk.columns, line.layout.size(strip), 1, 1)};
    const strips::EndTable<T> ends = chunk.ends.from(place);
    if (reduce_columns(executor, label, line, {strip, 1}, strip_rows, ends, w)) continue;
    strips::reduce_strips(executor, label, line, {strip, 1}, strip_rows, ends, strips::FieldValues<T>{w});
  }
}

template bool Sweeps<double>::plans_ahead(int, int) const;
template bool Sweeps<float>::plans_ahead(int, int) const;
template void Sweeps<double>::solve_rows_ahead(int, const Chunk&, double*);
template void Sweeps<float>::solve_rows_ahead(int, const Chunk&, float*);
template void Sweeps<double>::solve_columns_ahead(int, const Chunk&, double*);
template void Sweeps<float>::solve_columns_ahead(int, const Chunk&, float*);
template void Sweeps<double>::reduce_at_sides(int, int, const Chunk&, double*, const SideValues&);
template void Sweeps<float>::reduce_at_sides(int, int, const Chunk&, float*, const SideValues&);

}  // namespace halocline::fractional
