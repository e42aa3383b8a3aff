// Routes of a halo: which parts of other ranks each part exchanges with, and how much.
#pragma once

#include <string>
#include <vector>

#include "mpi/halo/links.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline {

// All values that travel between one part of this rank and one of another.
struct Route {
  int local, part;                 // part of this rank; global part of another
  std::vector<const Link*> links;  // in order
  Index halo = 0;                  // of several that are compared together
  Index sends() const { return total(&Link::send); }
  Index recvs() const { return total(&Link::recv); }

 private:
  Index total(IndexSet Link::*side) const {
    Index sum = 0;
    for (const Link* link : links) sum += (link->*side).size();
    return sum;
  }
};

// The routes of part `local` of this rank, one per part of another rank that it is linked with.
std::vector<Route> routes_of(int local, const std::vector<Link>& links, const Team& team);

// Compares the sizes of the links of all parts, of one halo or of several together; a mismatch would hang later, or put
// values where they do not belong. `fault`: what this rank found in its own links, empty for nothing; thrown where it
// was found, after all ranks have learnt of it, so that none waits for one that gave up. One reduction of three words,
// which also tells what PartRanks needs; only what is wrong is looked for with the ranks that this one is linked with.
// Collective.
PartRanks check_links(const Communicator& comm, const Team& team, const std::vector<Route>& routes,
                      const std::string& fault);

}  // namespace halocline
