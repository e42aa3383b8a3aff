#include "mpi/halo/halo_routes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>

#include "lib/base/error.hpp"
#include "mpi/check.hpp"
#include "mpi/exchange.hpp"

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
std::uint64_t fingerprint(int from, int to, const Route& route, IndexSet Link::*side) {
  std::uint64_t hash = mixed(mixed(mixed(0, from), to), route.halo);
  bool any = false;
  for (const Link* link : route.links) {
    if ((link->*side).size() == 0) continue;
    hash = mixed(hash, (link->*side).size());
    any = true;
  }
  return any ? hash : 0;
}

// What a part tells another of what it sends to it, in all halos.
struct Announced {
  Index pair;
  std::uint64_t sizes;
};

constexpr Index none = std::numeric_limits<Index>::max();

// The lowest pair of parts, from * parts + to, whose links this rank does not find alike; `none` for no pair.
Index mismatch(const Communicator& comm, const Team& team, const PartRanks& ranks, const std::vector<Route>& routes) {
  std::map<Index, std::uint64_t> sent, expected;  // by pair
  std::map<int, std::vector<Announced>> by_rank;
  const Index parts = team.total_parts();
  for (const Route& route : routes) {
    const int mine = team.first_part() + route.local;
    sent[mine * parts + route.part] += fingerprint(mine, route.part, route, &Link::send);
    expected[route.part * parts + mine] += fingerprint(route.part, mine, route, &Link::recv);
  }
  for (const auto& [pair, sizes] : sent)
    by_rank[ranks.rank_of(static_cast<int>(pair % parts))].push_back({pair, sizes});
  std::vector<Parcel<Announced>> outgoing;
  for (auto& [rank, announced] : by_rank) outgoing.push_back({rank, std::move(announced)});
  Index lowest = none;
  const auto compare = [&](Index pair, std::uint64_t sent, std::uint64_t wanted) {
    if (sent != wanted) lowest = std::min(lowest, pair);
  };
  for (const Parcel<Announced>& parcel : exchange_lists(comm, outgoing))
    for (const Announced& word : parcel.values) {
      const auto wanted = expected.find(word.pair);
      compare(word.pair, word.sizes, wanted == expected.end() ? 0 : wanted->second);
      if (wanted != expected.end()) expected.erase(wanted);
    }
  for (const auto& [pair, sizes] : expected) compare(pair, 0, sizes);
  return lowest;
}

}  // namespace

std::vector<Route> routes_of(int local, const std::vector<Link>& links, const Team& team) {
  std::vector<Route> routes;
  std::map<int, std::size_t> place;  // by part
  for (const Link& link : links) {
    require(link.part >= 0 && link.part < team.total_parts(), "Halo: link to a part that does not exist");
    const int here = link.part - team.first_part();
    if (here >= 0 && here < team.parts()) continue;
    const auto [at, fresh] = place.try_emplace(link.part, routes.size());
    if (fresh) routes.push_back({local, link.part, {}});
    routes[at->second].links.push_back(&link);
  }
  return routes;
}

PartRanks check_links(const Communicator& comm, const Team& team, const std::vector<Route>& routes,
                      const std::string& fault) {
  // What goes from a part to another is counted by both, by one of them negatively: links that match cancel.
  std::uint64_t balance = 0;
  for (const Route& route : routes) {
    const int mine = team.first_part() + route.local;
    balance += fingerprint(mine, route.part, route, &Link::send);
    balance -= fingerprint(route.part, mine, route, &Link::recv);
  }
  std::array<std::uint64_t, 3> sums{balance, fault.empty() ? 0U : 1U, PartRanks::is_regular(comm, team) ? 0U : 1U};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_UINT64_T, MPI_SUM, comm.handle()), "MPI_Allreduce");
  if (!fault.empty()) throw InternalError(fault);
  require(sums[1] == 0, "Halo: the links of another rank are wrong");
  PartRanks ranks(comm, team, sums[2] == 0);
  if (sums[0] == 0) return ranks;
  std::array<Index, 1> lowest{-mismatch(comm, team, ranks, routes)};
  comm.max(lowest);
  const Index pair = -lowest[0], parts = team.total_parts();
  throw InternalError("Halo: what part " + std::to_string(pair / parts) + " sends to part " +
                      std::to_string(pair % parts) + " is not what that one expects");
}

}  // namespace halocline
