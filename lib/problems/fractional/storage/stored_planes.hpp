// Checkpoints of fields as they are stored, number by number.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/base/packed_archive.hpp"
#include "lib/fields/slab_field.hpp"

namespace halocline::fractional {

/// The same of some planes, the first of which begins at `field`.
template <class Stored>
void archive_planes(StateArchive& archive, const std::string& name, const UniformGrid& grid, const SlabLayout& slab,
                    const SlabRows& rows, Stored* field, const Executor& executor, const Executor& host) {
  const Index total = grid.extent[1] * grid.extent[2], width = grid.extent[0];
  const Index planes = rows.hi - rows.lo, lines = planes * slab.extent[1], before = rows.lo * slab.extent[1];
  std::vector<Stored> raw(static_cast<std::size_t>(planes * slab.plane)), own;
  if (!raw.empty()) executor.copy_out(raw.data(), field, raw.size() * sizeof(Stored));
  own.reserve(static_cast<std::size_t>(lines * width));
  for (Index line = 0; line < lines; ++line)
    own.insert(own.end(), raw.data() + slab.line(line), raw.data() + slab.line(line) + slab.extent[0]);
  // The lines of a slab lie one behind the other in the grid, those of a box plane by plane.
  const Index at_once = slab.extent[1] == grid.extent[1] ? lines : slab.extent[1];
  for (Index line = 0; line < lines; line += at_once) {
    const Index first = slab.global_line(before + line, grid.extent[1]);
    const std::span<Stored> some(own.data() + line * width, static_cast<std::size_t>(at_once * width));
    if constexpr (std::is_same_v<Stored, double>) {
      archive.block(name.c_str(), total, width, {{first}, {first + at_once}},
                    View<double, 1>(some.data(), at_once * width), host);
    } else {
      archive_packed<Stored>(archive, name.c_str(), total, width, {{first}, {first + at_once}}, some);
    }
  }
  if (!archive.restoring() || raw.empty()) return;
  for (Index line = 0; line < lines; ++line)
    std::copy_n(own.data() + line * slab.extent[0], slab.extent[0], raw.data() + slab.line(line));
  executor.copy_in(field, raw.data(), raw.size() * sizeof(Stored));
}

/// Saves or restores the nodes of a part of `field`, its node (0, 0, 0), which is laid out as the slabs are: a row per
/// line along x, so that any partition restores. Stored: double, float or Half. For all parts, collective.
template <class Stored, class T>
void archive_stored(StateArchive& archive, const std::string& name, const Slabs<T>& slabs, int part, Stored* field) {
  const UniformGrid& grid = slabs.grid();
  const SlabLayout& slab = slabs.layout(part);
  const ExecutorPtr host = make_omp_executor(1);
  each_rows(slab, [&](const SlabRows& rows) {
    archive_planes(archive, name, grid, slab, rows, field + rows.lo * slab.plane, *slabs.team().executor(part), *host);
  });
}

}  // namespace halocline::fractional
