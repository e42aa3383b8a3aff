#include "mpi/halo_routes.hpp"

#include "lib/base/error.hpp"
#include "mpi/check.hpp"

namespace halocline {

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

void check_totals(const Communicator& comm, const Layout& layout, const std::vector<Route>& routes) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<Index> sends(ranks, 0), expected(ranks, 0), announced(ranks, 0);
  for (const Route& route : routes) {
    sends[layout.rank_of(route.part)] += route.sends();
    expected[layout.rank_of(route.part)] += route.recvs();
  }
  check_mpi(MPI_Alltoall(sends.data(), 1, MPI_INT64_T, announced.data(), 1, MPI_INT64_T, comm.handle()),
            "MPI_Alltoall");
  require(comm.agree(announced == expected), "Halo: the links of two ranks do not match");
}

}  // namespace halocline
