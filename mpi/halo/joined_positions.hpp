// JoinedPositions: what several index sets of a part name, one set behind the other, in memory of its device, so that
// one launch serves them all.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "mpi/halo/halo_kernels.hpp"
#include "mpi/halo/halo_piece.hpp"

namespace halocline {

class JoinedPositions {
 public:
  // Nothing where a set is a box that is no run.
  static std::optional<JoinedPositions> of(const ExecutorPtr& executor, const std::vector<const IndexSet*>& sets);

  // For data of so many numbers.
  ListPositions within(Index size) const {
    require(lowest_ >= 0 && highest_ < size, "Halo: link reaches outside its part's data");
    return {list_.view()};
  }
  Index count() const { return list_.size(); }

 private:
  JoinedPositions(const ExecutorPtr& executor, const std::vector<Index>& list);

  Array<Index, 1> list_;
  Index lowest_ = 0, highest_ = -1;
};

}  // namespace halocline
