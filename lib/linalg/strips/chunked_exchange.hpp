// Lines that are cut between parts, in chunks of columns with an exchange each, so that devices have strips of other
// chunks to reduce and to resolve while the ends of one travel.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lib/linalg/strips/strip_exchange.hpp"

namespace halocline::strips {

/// What a part has of a chunk: strips, columns of its field, and where ends go.
template <class T>
struct LineChunk {
  OwnStrips own;
  Range<1> columns;
  EndTable<T> ends;
};

/// T, Line: as of StripExchange.
template <class T, class Line>
class ChunkedExchange {
 public:
  using Chunk = LineChunk<T>;

  /// `parts`, `strips`: as of StripExchange; `chunks`: of the columns of every part of this rank, each a multiple of
  /// `lanes`, equal in a line of parts and as many in all parts; `most_lines`: of each chunk, as of StripExchange, or
  /// none. The team outlives this. Collective.
  ChunkedExchange(const Communicator& comm, const Team& team, const PartLine& parts, const Partition& strips,
                  std::vector<Partition> chunks, std::span<const Index> most_lines = {})
      : team_(&team), chunks_(std::move(chunks)) {
    for (int n = 0; n < chunks_.front().parts(); ++n) {
      std::vector<Index> lines;
      for (const Partition& of_part : chunks_) lines.push_back(of_part.block(n).size());
      exchanges_.emplace_back(comm, team, parts, strips, lines,
                              most_lines.empty() ? 0 : most_lines[static_cast<std::size_t>(n)]);
    }
  }

  /// Solves all lines. `lines`: of every part of the rank. reduce(part, chunk) and resolve(part, chunk) queue these on
  /// the device of the part. All chunks are reduced, then turned, then resolved: a device reduces the next chunk while
  /// its host sends one, and resolves the first ones while what came back of the others travels. On the main thread.
  template <class Reduce, class Resolve>
  void solve(std::span<const Line> lines, const Reduce& reduce, const Resolve& resolve) {
    const int last = static_cast<int>(exchanges_.size()) - 1;
    for (int n = 0; n <= last; ++n) {
      team_->each([&](int p) { reduce(p, chunk(p, n)); });
      at(n).pack(lines);
      if (n > 0) at(n - 1).send();
    }
    at(last).send();
    for (int n = 0; n <= last; ++n) at(n).turn();
    for (int n = 0; n <= last; ++n) {
      at(n).finish();
      team_->each([&](int p) { resolve(p, chunk(p, n)); });
    }
  }

  int chunks() const { return static_cast<int>(exchanges_.size()); }
  Chunk chunk(int part, int n) {
    return {at(n).own(part), chunks_[static_cast<std::size_t>(part)].block(n), at(n).ends(part)};
  }

  Traffic sent() const {
    Traffic traffic;
    for (const auto& exchange : exchanges_) traffic += exchange.sent();
    return traffic;
  }

 private:
  StripExchange<T, Line>& at(int n) { return exchanges_[static_cast<std::size_t>(n)]; }

  const Team* team_;
  std::vector<Partition> chunks_;  // of parts
  std::vector<StripExchange<T, Line>> exchanges_;
};

}  // namespace halocline::strips
