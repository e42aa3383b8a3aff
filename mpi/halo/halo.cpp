#include "mpi/halo/halo.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "mpi/check.hpp"
#include "mpi/datatype.hpp"
#include "mpi/halo/halo_in_halves.hpp"
#include "mpi/halo/halo_messages.hpp"
#include "mpi/halo/halo_part.hpp"
#include "mpi/halo/halo_routes.hpp"
#include "mpi/halo/link_checks.hpp"

namespace halocline {

namespace {

template <class T>
struct HaloState : WaitingHalo {
  HaloState(const Communicator& comm, const Team& team, const Links& links);
  ~HaloState() override {
    if (checks != nullptr) checks->remove(*this);
  }
  HaloState(const HaloState&) = delete;
  HaloState& operator=(const HaloState&) = delete;

  std::vector<Route> all_routes() const override;
  const std::string& fault() const override { return own_fault; }
  void go_on(const PartRanks& ranks) override;
  void give_up() override { checks = nullptr; }

  void pack(std::span<const View<const T, 1>> from);
  void send();
  void finish(std::span<const View<T, 1>> ghosts);

  void build(const Links& links, const Doors* doors);
  void match_peers(const Links& links);
  void open_ways(const PartRanks& ranks);
  void make_messages(const PartRanks& ranks);
  void count(Index values);

  const Communicator& comm;  // of the set-up alone, which it outlives
  const Team& team;
  LinkChecks* checks;  // null where links have been compared
  Links kept;          // until they are
  bool by_ipc, waits = true;
  std::string own_fault;
  std::vector<HaloPart<T>> parts;
  std::vector<std::vector<Route>> routes;  // of each part
  HaloMessages messages;
  std::vector<View<const T, 1>> owned;  // of the exchange that is packed
  Traffic per_exchange, sent;
  bool packed = false, under_way = false, copies_inside = false;
};

template <class T>
HaloState<T>::HaloState(const Communicator& comm, const Team& team, const Links& links)
    : comm(comm),
      team(team),
      checks(LinkChecks::of(team)),
      by_ipc(team.transfer() == Transfer::ipc && comm.size() > 1),
      messages(comm) {
  const Doors* doors = by_ipc ? &team.doors(comm) : nullptr;
  if (checks != nullptr) kept = links;
  try {
    build(checks != nullptr ? kept : links, doors);
  } catch (const InternalError& error) {
    own_fault = error.what();
  }
  if (checks != nullptr)
    checks->add(*this);
  else
    go_on(check_links(comm, team, all_routes(), own_fault));
}

template <class T>
std::vector<Route> HaloState<T>::all_routes() const {
  std::vector<Route> all;
  for (const std::vector<Route>& own : routes) all.insert(all.end(), own.begin(), own.end());
  return all;
}

template <class T>
void HaloState<T>::go_on(const PartRanks& ranks) {
  checks = nullptr;
  waits = false;
  if (by_ipc) open_ways(ranks);
  make_messages(ranks);
  routes.clear();  // they point into the links
  kept.clear();
}

// What needs no other rank.
template <class T>
void HaloState<T>::build(const Links& links, const Doors* doors) {
  require(static_cast<int>(links.size()) == team.parts(), "Halo: one list of links per part");
  for (int local = 0; local < team.parts(); ++local) {
    routes.push_back(routes_of(local, links[local], team));
    parts.emplace_back(team, local, links[local], routes.back(), doors);
  }
  match_peers(links);
}

template <class T>
void HaloState<T>::match_peers(const Links& links) {
  // Piece of part `from` that belongs to its `turn`-th link to part `to`; both on this rank.
  const auto piece = [&](int from, int to, int turn) {
    std::size_t index = from == to ? parts[from].first_own() : parts[from].first_inside();
    for (const Link& link : links[from]) {
      const int peer = link.part - team.first_part();
      if (peer < 0 || peer >= team.parts() || (peer == from) != (to == from)) continue;
      if (peer == to && turn-- == 0) return index;
      ++index;
    }
    throw InternalError("Halo: a link between two parts of a rank has no counterpart");
  };
  for (int local = 0; local < team.parts(); ++local) {
    std::vector<int> turns(parts.size(), 0);
    for (const Link& link : links[local]) {
      const int peer = link.part - team.first_part();
      if (peer < 0 || peer >= team.parts()) continue;
      const int turn = turns[peer]++;
      const std::size_t recv = piece(local, peer, turn), send = piece(peer, local, turn);
      require(parts[local].piece_size(recv) == parts[peer].sent_piece_size(send),
              "Halo: the links of two parts differ in size");
      (peer == local ? parts[local].own : parts[local].peers).push_back({recv, peer, send});
      copies_inside = copies_inside || peer != local;
    }
  }
}

template <class T>
void HaloState<T>::open_ways(const PartRanks& ranks) {
  std::vector<DoorOffer> own;
  for (int local = 0; local < team.parts(); ++local)
    for (const DoorOffer& offer : parts[local].offers(team.first_part() + local)) own.push_back(offer);
  for (const DoorOffer& offer : exchange_offers(comm, ranks, own)) parts[offer.to - team.first_part()].take(offer);
}

// Values of `routes`, which lie one behind the other; and the marks of ways.
template <class T>
void HaloState<T>::make_messages(const PartRanks& ranks) {
  for (int local = 0; local < team.parts(); ++local) {
    HaloPart<T>& part = parts[local];
    const int own = team.first_part() + local;
    Index send_start = 0, recv_start = 0;
    for (std::size_t r = 0; r < part.message_routes(); ++r) {
      const Route& route = routes[local][r];
      const int rank = ranks.rank_of(route.part);
      const Index send = route.sends(), recv = route.recvs();
      require(std::max(send, recv) <= std::numeric_limits<int>::max(), "Halo: message too long");
      if (recv > 0)
        messages.add_receive(part.incoming() + recv_start, static_cast<int>(recv), mpi_type<T>(), rank,
                             ranks.tag(route.part, own));
      if (send > 0)
        messages.add_send(part.outgoing() + send_start, static_cast<int>(send), mpi_type<T>(), rank,
                          ranks.tag(own, route.part));
      count(send);
      send_start += send;
      recv_start += recv;
    }
    for (DoorWay& way : part.ways) {
      const int rank = ranks.rank_of(way.part);
      messages.add_receive(&way.arriving, DoorMarks::numbers, mpi_type<Index>(), rank, ranks.tag(way.part, own));
      messages.add_send(&way.own, DoorMarks::numbers, mpi_type<Index>(), rank, ranks.tag(own, way.part));
      count(way.sends);
    }
  }
}

// Values that an exchange sends to a part of another rank.
template <class T>
void HaloState<T>::count(Index values) {
  if (values == 0) return;
  ++per_exchange.messages;
  per_exchange.bytes += static_cast<Index>(bytes_of<T>(values));
}

template <class T>
void HaloState<T>::pack(std::span<const View<const T, 1>> from) {
  require(from.size() == parts.size() && !packed && !under_way, "Halo: one view per part, and finish() before");
  if (checks != nullptr) checks->settle(comm);
  require(!waits, "Halo: links that nobody has compared");
  const auto scope = team.scope("halo send");
  // What the last exchange brought must have been read before anything may land in its place.
  for (const HaloPart<T>& part : parts) part.wait_for_readers();
  messages.start_receives();
  packed = true;
  owned.assign(from.begin(), from.end());
  team.each([&](int local) { parts[local].pack(owned[local]); });
}

template <class T>
void HaloState<T>::send() {
  require(packed, "Halo: pack() before send()");
  const auto scope = team.scope("halo send");
  packed = false;
  under_way = true;
  team.each([&](int local) { parts[local].settle(); });
  messages.start_sends();
  sent += per_exchange;
  if (!copies_inside) return;
  // The host has waited for every device of this rank, so neighbors may read each other now.
  team.each([&](int local) {
    const HaloPart<T>& part = parts[local];
    for (const auto& copy : part.peers) part.copy_from(copy, parts[copy.source], owned[copy.source]);
  });
}

template <class T>
void HaloState<T>::finish(std::span<const View<T, 1>> ghosts) {
  require(ghosts.size() == parts.size() && under_way, "Halo::finish: one view per part, and start() before");
  {
    const auto scope = team.scope("halo wait");
    messages.wait();
  }
  const auto scope = team.scope("halo unpack");
  under_way = false;
  for (HaloPart<T>& part : parts)
    for (DoorWay& way : part.ways) way.known = way.arriving;
  team.each([&](int local) { parts[local].unpack(ghosts[local]); });
}

}  // namespace

template <class T>
struct Halo<T>::State : HaloState<T> {
  using HaloState<T>::HaloState;
};

template <class T>
Halo<T>::Halo(const Communicator& comm, const Team& team, const Links& links)
    : state_(std::make_unique<State>(comm, team, links)) {}
template <class T>
Halo<T>::~Halo() = default;
template <class T>
Halo<T>::Halo(Halo&&) noexcept = default;
template <class T>
Halo<T>& Halo<T>::operator=(Halo&&) noexcept = default;

template <class T>
void Halo<T>::start(std::span<const View<const T, 1>> owned) {
  state_->pack(owned);
  state_->send();
}

template <class T>
void Halo<T>::finish(std::span<const View<T, 1>> ghosts) {
  state_->finish(ghosts);
}

template <class T>
const Traffic& Halo<T>::sent() const {
  return state_->sent;
}

template class Halo<double>;
template class Halo<float>;
template class Halo<std::int32_t>;
template class Halo<std::int64_t>;

template <class T>
struct HaloInHalves<T>::State : HaloState<T> {
  using HaloState<T>::HaloState;
};

template <class T>
HaloInHalves<T>::HaloInHalves(const Communicator& comm, const Team& team, const Links& links)
    : state_(std::make_unique<State>(comm, team, links)) {}
template <class T>
HaloInHalves<T>::~HaloInHalves() = default;
template <class T>
HaloInHalves<T>::HaloInHalves(HaloInHalves&&) noexcept = default;
template <class T>
HaloInHalves<T>& HaloInHalves<T>::operator=(HaloInHalves&&) noexcept = default;

template <class T>
void HaloInHalves<T>::pack(std::span<const View<const T, 1>> owned) {
  state_->pack(owned);
}

template <class T>
void HaloInHalves<T>::send() {
  state_->send();
}

template <class T>
void HaloInHalves<T>::finish(std::span<const View<T, 1>> ghosts) {
  state_->finish(ghosts);
}

template <class T>
const Traffic& HaloInHalves<T>::sent() const {
  return state_->sent;
}

template class HaloInHalves<double>;
template class HaloInHalves<float>;

}  // namespace halocline
