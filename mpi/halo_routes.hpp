// Routes of a halo: which parts of other ranks each part exchanges with, and how much.
#pragma once

#include <algorithm>
#include <vector>

#include "mpi/halo.hpp"

namespace halocline {

// All values that travel between one part of this rank and one of another.
struct Route {
  int local, part;                 // part of this rank; global part of another
  std::vector<const Link*> links;  // in order
  Index sends() const { return total(&Link::send); }
  Index recvs() const { return total(&Link::recv); }

 private:
  Index total(IndexSet Link::*side) const {
    Index sum = 0;
    for (const Link* link : links) sum += (link->*side).size();
    return sum;
  }
};

// Which rank drives which global parts.
class Layout {
 public:
  Layout(const Communicator& comm, const Team& team) {
    for (double first : comm.gather(static_cast<double>(team.first_part()))) first_.push_back(static_cast<int>(first));
    first_.push_back(team.total_parts());
    for (std::size_t r = 0; r + 1 < first_.size(); ++r) widest_ = std::max(widest_, first_[r + 1] - first_[r]);
  }
  int rank_of(int part) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), part) - first_.begin()) - 1;
  }
  // Different for all pairs of parts of a pair of ranks.
  int tag(int from, int to) const { return within(from) * widest_ + within(to); }

 private:
  int within(int part) const { return part - first_[rank_of(part)]; }
  std::vector<int> first_;
  int widest_ = 1;
};

// The routes of part `local` of this rank, one per part of another rank that it is linked with.
std::vector<Route> routes_of(int local, const std::vector<Link>& links, const Team& team);

// Compares what each rank is going to send with what the others expect; a mismatch would hang later. Collective.
void check_totals(const Communicator& comm, const Layout& layout, const std::vector<Route>& routes);

}  // namespace halocline
