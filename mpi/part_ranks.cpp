#include "mpi/part_ranks.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "mpi/exchange.hpp"

namespace halocline {

bool PartRanks::is_regular(const Communicator& comm, const Team& team) {
  return team.first_part() == comm.rank() * team.parts() && team.total_parts() == comm.size() * team.parts();
}

PartRanks::PartRanks(const Communicator& comm, const Team& team)
    : PartRanks(comm, team, comm.agree(is_regular(comm, team))) {}

PartRanks::PartRanks(const Communicator& comm, const Team& team, bool regular) : widest_(team.parts()) {
  if (!regular) {
    first_ = gather_lists(comm, std::vector<int>{team.first_part()}).values;
    first_.push_back(team.total_parts());
    for (std::size_t r = 0; r + 1 < first_.size(); ++r) widest_ = std::max(widest_, first_[r + 1] - first_[r]);
  }
  require(widest_ <= 181, "PartRanks: more parts on a rank than there are tags for");
}

int PartRanks::rank_of(int part) const {
  if (first_.empty()) return part / widest_;
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), part) - first_.begin()) - 1;
}

}  // namespace halocline
