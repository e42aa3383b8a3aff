#include "lib/linalg/sparse/rows.hpp"

#include <utility>

#include "lib/base/error.hpp"

namespace halocline::sparse {

RowSpace::RowSpace(const Communicator& comm, const Team& team, Partition partition, bool replicated)
    : comm_(&comm), team_(&team), partition_(std::move(partition)), replicated_(replicated) {
  require(partition_.parts() == team.total_parts(), "RowSpace: partition and team differ in parts");
}

Range<1> RowSpace::own(int part) const {
  return replicated_ ? Range<1>{{0}, {size()}} : partition_.block(team_->first_part() + part);
}

}  // namespace halocline::sparse
