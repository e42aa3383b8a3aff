// RowSpace: the rows of a level of a hierarchy, or of a matrix, and whose they are. Also the space of columns.
#pragma once

#include <memory>
#include <span>

#include "mpi/communicator.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline::sparse {

class RowSpace {
 public:
  // `comm` and `team` outlive it. `holders`: so many first parts of all ranks hold all rows each, the others none;
  // `partition`, whose other blocks are empty then, says which part of them is a share where work is shared out and
  // gathered afterwards. 0: rows are not replicated.
  RowSpace(const Communicator& comm, const Team& team, Partition partition, int holders = 0);

  const Communicator& comm() const { return *comm_; }
  const Team& team() const { return *team_; }
  const Partition& partition() const { return partition_; }
  bool replicated() const { return holders_ > 0; }
  int holders() const { return holders_; }
  // Whether some parts hold all rows and some none.
  bool held_by_few() const { return replicated() && holders_ < team_->total_parts(); }

  Index size() const { return partition_.count(); }  // rows of all parts
  // Global numbers of the rows that a part holds: its block of the partition; all rows, or none, where replicated.
  // `part` counts within the rank.
  Range<1> own(int part) const;
  Index own_size(int part) const { return own(part).size(); }
  // The part, of all ranks, in whose block the row lies.
  int owner(Index row) const { return partition_.owner(row); }

  // Where few hold the rows: what the first of them, on rank 0, has found of all rows, for the other ranks too.
  // Collective.
  template <class T>
  void tell(std::span<T> values) const {
    if (held_by_few()) comm_->broadcast(values);
  }

 private:
  const Communicator* comm_;
  const Team* team_;
  Partition partition_;
  int holders_;
};

using RowSpacePtr = std::shared_ptr<const RowSpace>;

}  // namespace halocline::sparse
