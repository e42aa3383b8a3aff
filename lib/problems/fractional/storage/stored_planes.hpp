// Checkpoints of fields as they are stored, number by number.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/base/packed_archive.hpp"
#include "lib/fields/slabs.hpp"

namespace halocline::fractional {

/// Saves or restores the nodes of a part of `field`, its node (0, 0, 0), which is laid out as the slabs are: a row per
/// line along x, so that any partition restores. Stored: double, float or Half. For all parts, collective.
template <class Stored, class T>
void archive_stored(StateArchive& archive, const std::string& name, const Slabs<T>& slabs, int part, Stored* field) {
  const UniformGrid& grid = slabs.grid();
  const Index total = grid.extent[1] * grid.extent[2], width = grid.extent[0];
  const SlabLayout& slab = slabs.layout(part);
  const Executor& executor = *slabs.team().executor(part);
  std::vector<Stored> raw(static_cast<std::size_t>(slab.extent[2] * slab.plane)), own;
  if (!raw.empty()) executor.copy_out(raw.data(), field, raw.size() * sizeof(Stored));
  for (Index line = 0; line < slab.lines(); ++line)
    own.insert(own.end(), raw.data() + slab.line(line), raw.data() + slab.line(line) + slab.extent[0]);
  // The lines of a slab lie one behind the other in the grid, those of a box plane by plane.
  const Index at_once = slab.extent[1] == grid.extent[1] ? slab.lines() : slab.extent[1];
  for (Index line = 0; line < slab.lines(); line += at_once) {
    const Index first = slab.global_line(line, grid.extent[1]);
    const std::span<Stored> lines(own.data() + line * width, static_cast<std::size_t>(at_once * width));
    if constexpr (std::is_same_v<Stored, double>) {
      archive.block(name.c_str(), total, width, {{first}, {first + at_once}},
                    View<double, 1>(lines.data(), at_once * width), *make_omp_executor(1));
    } else {
      archive_packed<Stored>(archive, name.c_str(), total, width, {{first}, {first + at_once}}, lines);
    }
  }
  if (!archive.restoring() || raw.empty()) return;
  for (Index line = 0; line < slab.lines(); ++line)
    std::copy_n(own.data() + line * slab.extent[0], slab.extent[0], raw.data() + slab.line(line));
  executor.copy_in(field, raw.data(), raw.size() * sizeof(Stored));
}

}  // namespace halocline::fractional
