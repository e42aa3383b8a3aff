#include "mpi/halo/joined_positions.hpp"

#include <algorithm>
#include <numeric>

namespace halocline {

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
