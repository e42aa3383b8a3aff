// Rows of the parts of a table that others cut into chunks, and strips of rows that parts own.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "mpi/partition.hpp"

namespace halocline::strips {

// The strips of rows that each part along an axis owns: parts begin where strips do.
inline Partition strips_of(const StripLayout& layout, const Partition& rows) {
  std::vector<Index> starts;
  Index strip = 0;
  for (int p = 0; p < rows.parts(); ++p) {
    while (layout.begin(strip) < rows.block(p).lo[0]) ++strip;
    require(layout.begin(strip) == rows.block(p).lo[0], "strips_of: a part begins inside a strip");
    starts.push_back(strip);
  }
  starts.push_back(layout.count);
  return Partition::from_starts(starts);
}

inline Index least_block(const Partition& of) {
  Index least = of.count();
  for (int p = 0; p < of.parts(); ++p) least = std::min(least, of.block(p).size());
  return least;
}

// How the rows of the parts along an axis are cut into chunks: between strips, where those are reduced ahead.
class ChunkRows {
 public:
  ChunkRows(const StripLayout& layout, const Partition& rows, bool between_strips)
      : layout_(layout),
        rows_(rows),
        strips_(between_strips ? strips_of(layout, rows) : rows),
        between_(between_strips) {}
  Index most() const { return least_block(strips_); }
  // Lines of the largest part, of each chunk.
  std::vector<Index> most_lines(Index pitch, Index count) const {
    std::vector<Index> most(static_cast<std::size_t>(count), 0);
    for (int part = 0; part < rows_.parts(); ++part) {
      const Partition chunks = cut(part, pitch, count);
      for (int n = 0; n < chunks.parts(); ++n)
        most[static_cast<std::size_t>(n)] = std::max(most[static_cast<std::size_t>(n)], chunks.block(n).size());
    }
    return most;
  }
  Partition cut(int part, Index pitch, Index count) const {
    const Range<1> own = strips_.block(part);
    if (!between_) return column_chunks(own.size(), pitch, count);
    std::vector<Index> starts;
    for (Index n = 0; n <= count; ++n)
      starts.push_back((layout_.begin(own.lo[0] + n * own.size() / count) - rows_.block(part).lo[0]) * pitch);
    return Partition::from_starts(std::move(starts));
  }

 private:
  StripLayout layout_;
  const Partition& rows_;
  Partition strips_;
  bool between_;
};

}  // namespace halocline::strips
