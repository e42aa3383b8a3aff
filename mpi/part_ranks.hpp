// PartRanks: which rank drives which global parts.
#pragma once

#include <algorithm>
#include <vector>

#include "lib/base/error.hpp"
#include "mpi/exchange.hpp"
#include "mpi/team.hpp"

namespace halocline {

class PartRanks {
 public:
  // Collective.
  PartRanks(const Communicator& comm, const Team& team)
      : first_(gather_lists(comm, std::vector<int>{team.first_part()}).values) {
    first_.push_back(team.total_parts());
    for (std::size_t r = 0; r + 1 < first_.size(); ++r) widest_ = std::max(widest_, first_[r + 1] - first_[r]);
    require(widest_ <= 181, "PartRanks: more parts on a rank than there are tags for");
  }
  int rank_of(int part) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), part) - first_.begin()) - 1;
  }
  // Different for all pairs of parts of a pair of ranks; below 32766.
  int tag(int from, int to) const { return within(from) * widest_ + within(to); }

 private:
  int within(int part) const { return part - first_[rank_of(part)]; }
  std::vector<int> first_;
  int widest_ = 1;
};

}  // namespace halocline
