// PartRanks: which rank drives which global parts.
#pragma once

#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

class PartRanks {
 public:
  // One short reduction where every rank drives as many parts, which is the rule; else a number of every rank is kept.
  // Collective.
  PartRanks(const Communicator& comm, const Team& team);
  // The same where the reduction has been made: `regular`: all ranks are.
  PartRanks(const Communicator& comm, const Team& team, bool regular);
  // Whether this rank has the parts that it has where all drive as many.
  static bool is_regular(const Communicator& comm, const Team& team);

  int rank_of(int part) const;
  // Different for all pairs of parts of a pair of ranks; below 32766.
  int tag(int from, int to) const { return within(from) * widest_ + within(to); }

 private:
  int within(int part) const { return first_.empty() ? part % widest_ : part - first_[rank_of(part)]; }

  int widest_;              // parts of a rank, at most
  std::vector<int> first_;  // first part of every rank, and the end; empty where all ranks have `widest_` parts
};

}  // namespace halocline
