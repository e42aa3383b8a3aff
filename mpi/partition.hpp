// Partition: contiguous blocks of lines, planes, rows or systems over the (rank, device) parts of a run, by weight or
// as given.
#pragma once

#include <span>
#include <vector>

#include "lib/base/types.hpp"
#include "lib/base/view.hpp"

namespace halocline {

class Partition {
 public:
  Partition() = default;  // of nothing: no parts
  // Splits `count` items into one block per weight; every boundary is a multiple of `chunk` (the last block takes the
  // remainder), every block has at least `least` items. Throws DeckError when there are too many parts for that.
  // With `least` = 0 blocks may be empty.
  Partition(Index count, Index chunk, std::span<const double> weights, Index least = 1);
  // Blocks that begin where they are told: parts + 1 numbers, from 0 to the number of items, none below the one before
  // (two equal ones enclose an empty block). Others are a defect.
  static Partition from_starts(std::vector<Index> starts);

  int parts() const { return static_cast<int>(start_.size()) - 1; }
  Index count() const { return start_.back(); }
  Range<1> block(int part) const { return {{start_[part]}, {start_[part + 1]}}; }
  int owner(Index item) const;  // part that holds `item`
  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  std::vector<Index> start_{0};  // parts() + 1
};

}  // namespace halocline
