// RowSpace: the rows of a level of a hierarchy, or of a matrix, and whose they are. Also the space of columns.
#pragma once

#include <memory>

#include "mpi/communicator.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline::sparse {

class RowSpace {
 public:
  // `comm` and `team` outlive it. `replicated`: every part holds all rows; `partition` then says which part of them is
  // its share where work is shared out and gathered afterwards.
  RowSpace(const Communicator& comm, const Team& team, Partition partition, bool replicated = false);

  const Communicator& comm() const { return *comm_; }
  const Team& team() const { return *team_; }
  const Partition& partition() const { return partition_; }
  bool replicated() const { return replicated_; }

  Index size() const { return partition_.count(); }  // rows of all parts
  // Global numbers of the rows that a part holds: its block of the partition, all rows where replicated. `part` counts
  // within the rank.
  Range<1> own(int part) const;
  Index own_size(int part) const { return own(part).size(); }
  // The part, of all ranks, in whose block the row lies.
  int owner(Index row) const { return partition_.owner(row); }

 private:
  const Communicator* comm_;
  const Team* team_;
  Partition partition_;
  bool replicated_;
};

using RowSpacePtr = std::shared_ptr<const RowSpace>;

}  // namespace halocline::sparse
