#include "lib/linalg/sparse/rows.hpp"

#include <utility>

#include "lib/base/error.hpp"

namespace halocline::sparse {

RowSpace::RowSpace(const Communicator& comm, const Team& team, Partition partition, int holders)
    : comm_(&comm), team_(&team), partition_(std::move(partition)), holders_(holders) {
  require(partition_.parts() == team.total_parts(), "RowSpace: partition and team differ in parts");
  require(holders >= 0 && holders <= team.total_parts(), "RowSpace: no such parts");
  require(!replicated() || partition_.block(holders - 1).hi[0] == size(), "RowSpace: who has a share holds all rows");
}

Range<1> RowSpace::own(int part) const {
  const int number = team_->first_part() + part;
  return number < holders_ ? Range<1>{{0}, {size()}} : partition_.block(number);
}

}  // namespace halocline::sparse
