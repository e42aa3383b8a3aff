#include "mpi/halo/halo_piece.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

struct Bounds {
  Index lowest, highest;
};

Bounds bounds_of(const IndexSet& set) {
  if (!set.list.empty()) {
    const auto [lowest, highest] = std::minmax_element(set.list.begin(), set.list.end());
    return {*lowest, *highest};
  }
  Bounds bounds{set.offset, set.offset};
  for (int d = 0; d < 3; ++d) {
    const Index reach = (set.extent[d] - 1) * set.stride[d];
    (reach < 0 ? bounds.lowest : bounds.highest) += reach;
  }
  return bounds;
}

}  // namespace

bool is_run(const IndexSet& set) {
  if (!set.list.empty()) {
    const auto gap = [](Index a, Index b) { return b != a + 1; };
    return std::adjacent_find(set.list.begin(), set.list.end(), gap) == set.list.end();
  }
  return (set.extent[2] == 1 || set.stride[2] == 1) && (set.extent[1] == 1 || set.stride[1] == set.extent[2]) &&
         (set.extent[0] == 1 || set.stride[0] == set.extent[1] * set.extent[2]);
}

HaloPiece::HaloPiece(const ExecutorPtr& executor, const IndexSet& set, Index start)
    : start(start),
      count(set.size()),
      offset_(set.list.empty() ? set.offset : set.list.front()),
      contiguous_(is_run(set)) {
  require(count <= std::numeric_limits<LocalIndex>::max(), "Halo: an index set is too long");
  require(!set.list.empty() || std::min({set.extent[0], set.extent[1], set.extent[2]}) >= 0,
          "Halo: a box has no negative extent");
  if (count > 0) {
    const Bounds bounds = bounds_of(set);
    lowest_ = bounds.lowest;
    highest_ = bounds.highest;
  }
  if (contiguous_) return;
  if (!set.list.empty()) {
    list_.emplace(make_array(executor, set.list));
    return;
  }
  box_ = {set.offset,
          static_cast<LocalIndex>(set.extent[1]),
          static_cast<LocalIndex>(set.extent[2]),
          set.stride[0],
          set.stride[1],
          set.stride[2]};
}

JoinedPositions::JoinedPositions(const ExecutorPtr& executor, const std::vector<Index>& list)
    : list_(make_array(executor, list)) {
  if (list.empty()) return;
  const auto [lowest, highest] = std::minmax_element(list.begin(), list.end());
  lowest_ = *lowest;
  highest_ = *highest;
}

std::optional<JoinedPositions> JoinedPositions::of(const ExecutorPtr& executor,
                                                   const std::vector<const IndexSet*>& sets) {
  std::vector<Index> list;
  for (const IndexSet* set : sets) {
    if (set->size() == 0) continue;
    if (!set->list.empty()) {
      list.insert(list.end(), set->list.begin(), set->list.end());
    } else if (is_run(*set)) {
      list.resize(list.size() + static_cast<std::size_t>(set->size()));
      std::iota(list.end() - set->size(), list.end(), set->offset);
    } else {
      return std::nullopt;
    }
  }
  return JoinedPositions(executor, list);
}

}  // namespace halocline
