// BoxPartition: the parts of a run as a table of columns and layers, for grids that are cut along two axes: in 3D y
// into columns, z into layers, in 2D x into columns, y into layers (called y and z here as well). Part number =
// column + columns * layer. One column is the partition into slabs.
#pragma once

#include <algorithm>
#include <utility>

#include "mpi/partition.hpp"

namespace halocline {

class BoxPartition {
 public:
  BoxPartition() = default;  // of nothing: no parts
  BoxPartition(Partition y, Partition z) : y_(std::move(y)), z_(std::move(z)) {}
  // Layers alone: `rows` of the slow axis, all of `across` rows of the other one in each.
  static BoxPartition slabs(Index across, Partition rows) {
    return {Partition::from_starts({0, across}), std::move(rows)};
  }

  int columns() const { return y_.parts(); }
  int layers() const { return z_.parts(); }
  int parts() const { return columns() * layers(); }
  bool cut_along_y() const { return columns() > 1; }
  bool cut_along_z() const { return layers() > 1; }
  const Partition& y() const { return y_; }
  const Partition& z() const { return z_; }

  int column_of(int part) const { return part % columns(); }
  int layer_of(int part) const { return part / columns(); }
  Range<1> rows(int part) const { return y_.block(column_of(part)); }   // along y
  Range<1> planes(int part) const { return z_.block(layer_of(part)); }  // along z

  // The part `dy` columns and `dz` layers away, around the ends of axes where that is asked for; -1: none.
  int neighbor(int part, int dy, int dz, bool around_y, bool around_z) const {
    const int column = step(column_of(part) + dy, columns(), around_y);
    const int layer = step(layer_of(part) + dz, layers(), around_z);
    return column < 0 || layer < 0 ? -1 : column + columns() * layer;
  }

 private:
  static int step(int to, int count, bool around) {
    if (to >= 0 && to < count) return to;
    return around ? (to + count) % count : -1;
  }
  Partition y_, z_;
};

// The cheapest table of so many parts. Counts has `columns` and `layers`, zero by default: no table has so many parts.
// `seconds(counts)`: what a step takes by the model of the caller; of equal ones the table with fewest columns.
template <class Counts, class Seconds>
Counts cheapest_table(Index parts, Index most_columns, Index most_layers, const Seconds& seconds) {
  Counts best;
  double least = 0;
  for (Index columns = 1; columns <= std::min(parts, most_columns); ++columns) {
    if (parts % columns != 0 || parts / columns > most_layers) continue;
    const Counts counts{columns, parts / columns};
    const double needed = seconds(counts);
    if (best.columns == 0 || needed < least) best = counts, least = needed;
  }
  return best;
}

}  // namespace halocline
