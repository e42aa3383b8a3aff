#include "mpi/halo/halo_routes.hpp"

#include <algorithm>
#include <cstdint>

#include "lib/base/error.hpp"
#include "mpi/check.hpp"

namespace halocline {
namespace {

// One step of a hash: the finalizer of MurmurHash3.
std::uint64_t mixed(std::uint64_t hash, Index word) {
  hash ^= static_cast<std::uint64_t>(word) + 1;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return hash ^ hash >> 33;
}

// Of the sizes of what goes from one part to another; 0 for nothing.
std::uint64_t fingerprint(int from, int to, const std::vector<const Link*>& links, IndexSet Link::*side) {
  std::uint64_t hash = mixed(mixed(0, from), to);
  bool any = false;
  for (const Link* link : links) {
    if ((link->*side).size() == 0) continue;
    hash = mixed(hash, (link->*side).size());
    any = true;
  }
  return any ? hash : 0;
}

}  // namespace

std::vector<Route> routes_of(int local, const std::vector<Link>& links, const Team& team) {
  std::vector<Route> routes;
  for (const Link& link : links) {
    require(link.part >= 0 && link.part < team.total_parts(), "Halo: link to a part that does not exist");
    const int here = link.part - team.first_part();
    if (here >= 0 && here < team.parts()) continue;
    auto route = std::find_if(routes.begin(), routes.end(), [&](const Route& r) { return r.part == link.part; });
    if (route == routes.end()) route = routes.insert(routes.end(), Route{local, link.part, {}});
    route->links.push_back(&link);
  }
  return routes;
}

void check_sizes(const Communicator& comm, const Team& team, const PartRanks& ranks, const std::vector<Route>& routes,
                 const std::string& fault) {
  const auto size = static_cast<std::size_t>(comm.size());
  std::vector<std::uint64_t> sends(size, 0), expected(size, 0), announced(size, 0);
  for (const Route& route : routes) {
    const int mine = team.first_part() + route.local, rank = ranks.rank_of(route.part);
    sends[rank] += fingerprint(mine, route.part, route.links, &Link::send);
    expected[rank] += fingerprint(route.part, mine, route.links, &Link::recv);
  }
  check_mpi(MPI_Alltoall(sends.data(), 1, MPI_UINT64_T, announced.data(), 1, MPI_UINT64_T, comm.handle()),
            "MPI_Alltoall");
  const bool right = comm.agree(fault.empty() && announced == expected);
  if (!fault.empty()) throw InternalError(fault);
  require(right, "Halo: the links of two ranks do not match, or those of one are wrong");
}

}  // namespace halocline
