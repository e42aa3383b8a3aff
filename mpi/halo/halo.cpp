#include "mpi/halo/halo.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "mpi/check.hpp"
#include "mpi/datatype.hpp"
#include "mpi/halo/halo_buffer.hpp"
#include "mpi/halo/halo_piece.hpp"
#include "mpi/halo/halo_routes.hpp"

namespace halocline {
namespace {

template <class T>
std::size_t bytes_of(Index values) {
  return static_cast<std::size_t>(values) * sizeof(T);
}

// A copy into this part's receive buffer from a part of the same rank.
struct PeerCopy {
  std::size_t recv;         // piece of this part
  int source;               // part of this rank
  std::size_t source_send;  // piece of the source
};

// Buffers of one part: first the stretches that travel between ranks, by neighbor, then those inside the rank.
template <class T>
struct PartState {
  std::vector<HaloPiece> sends, recvs;  // the first `remote` of each travel between ranks
  std::size_t remote = 0;
  std::vector<PeerCopy> peers;
  HaloBuffer<T> send, recv;      // on the device
  bool direct = false;           // MPI reads and fills `send` and `recv`; else the staging
  HaloBuffer<T> sent, received;  // staging of the remote stretches
  std::optional<Event> arrived;  // what the last finish() found in MPI's buffer has been read

  T* outgoing() const { return (direct ? send : sent).data(); }
  T* incoming() const { return (direct ? recv : received).data(); }
};

void wait_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (const MPI_Status& status : statuses) {
      if (status.MPI_ERROR != MPI_ERR_PENDING) check_mpi(status.MPI_ERROR, "MPI_Waitall (halo)");
    }
  }
  check_mpi(code, "MPI_Waitall (halo)");
}

void start_all(std::vector<MPI_Request>& requests, std::size_t first, std::size_t last) {
  if (first == last) return;
  check_mpi(MPI_Startall(static_cast<int>(last - first), requests.data() + first), "MPI_Startall (halo)");
}

}  // namespace

template <class T>
struct Halo<T>::State {
  State(const Communicator& comm, const Team& team, const Links& links);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void build(const Links& links, std::vector<Route>& routes);
  void build_part(int local, const std::vector<Link>& links, const std::vector<Route>& routes);
  void match_peers(const Links& links);
  void make_requests(const Communicator& comm, const PartRanks& ranks, const std::vector<Route>& routes);
  void pack(int local, View<const T, 1> owned);
  void unpack(int local, View<T, 1> ghosts);

  const Team& team;
  std::vector<PartState<T>> parts;
  std::vector<MPI_Request> requests;  // persistent: all receives, then all sends
  std::vector<MPI_Status> statuses;
  std::size_t receives = 0;
  Traffic per_exchange, sent;
  bool under_way = false;
};

template <class T>
Halo<T>::State::State(const Communicator& comm, const Team& team, const Links& links)
    : team(team), parts(static_cast<std::size_t>(team.parts())) {
  const PartRanks ranks(comm, team);
  std::vector<Route> routes;
  std::string fault;
  try {
    build(links, routes);
  } catch (const InternalError& error) {
    fault = error.what();
  }
  check_sizes(comm, team, ranks, routes, fault);
  make_requests(comm, ranks, routes);
}

// What needs no other rank; `routes`: of all parts.
template <class T>
void Halo<T>::State::build(const Links& links, std::vector<Route>& routes) {
  require(static_cast<int>(links.size()) == team.parts(), "Halo: one list of links per part");
  for (int local = 0; local < team.parts(); ++local) {
    const std::vector<Route> own = routes_of(local, links[local], team);
    build_part(local, links[local], own);
    routes.insert(routes.end(), own.begin(), own.end());
  }
  match_peers(links);
}

template <class T>
Halo<T>::State::~State() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (under_way && r < receives) MPI_Cancel(&requests[r]);
    MPI_Request_free(&requests[r]);
  }
}

template <class T>
void Halo<T>::State::build_part(int local, const std::vector<Link>& links, const std::vector<Route>& routes) {
  PartState<T>& part = parts[local];
  const ExecutorPtr& executor = team.executor(local);
  Index send = 0, recv = 0;
  const auto append = [&](const Link& link) {
    part.sends.emplace_back(executor, link.send, send);
    part.recvs.emplace_back(executor, link.recv, recv);
    send += link.send.size();
    recv += link.recv.size();
  };
  for (const Route& route : routes) {
    for (const Link* link : route.links) append(*link);
  }
  part.remote = part.sends.size();
  part.direct = goes_directly(team.transfer(), *executor);
  if (!part.direct) {
    part.sent = HaloBuffer<T>(executor, HaloMemory::pinned, send);
    part.received = HaloBuffer<T>(executor, HaloMemory::pinned, recv);
  }
  for (const Link& link : links) {
    const int here = link.part - team.first_part();
    if (here >= 0 && here < team.parts()) append(link);
  }
  part.send = HaloBuffer<T>(executor, part.direct ? HaloMemory::plain : HaloMemory::device, send);
  part.recv = HaloBuffer<T>(executor, part.direct ? HaloMemory::plain : HaloMemory::device, recv);
}

template <class T>
void Halo<T>::State::match_peers(const Links& links) {
  // Piece of part `from` that belongs to its `turn`-th link to part `to`; both on this rank.
  const auto piece = [&](int from, int to, int turn) {
    std::size_t index = parts[from].remote;
    for (const Link& link : links[from]) {
      const int peer = link.part - team.first_part();
      if (peer < 0 || peer >= team.parts()) continue;
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
      const PeerCopy copy{piece(local, peer, turn), peer, piece(peer, local, turn)};
      require(parts[local].recvs[copy.recv].count == parts[peer].sends[copy.source_send].count,
              "Halo: the links of two parts differ in size");
      parts[local].peers.push_back(copy);
    }
  }
}

template <class T>
void Halo<T>::State::make_requests(const Communicator& comm, const PartRanks& ranks, const std::vector<Route>& routes) {
  std::vector<MPI_Request> sends;
  std::vector<Index> send_start(parts.size(), 0), recv_start(parts.size(), 0);
  for (const Route& route : routes) {
    const int mine = team.first_part() + route.local, rank = ranks.rank_of(route.part);
    const Index send = route.sends(), recv = route.recvs();
    require(std::max(send, recv) <= std::numeric_limits<int>::max(), "Halo: message too long");
    if (recv > 0) {
      check_mpi(
          MPI_Recv_init(parts[route.local].incoming() + recv_start[route.local], static_cast<int>(recv), mpi_type<T>(),
                        rank, ranks.tag(route.part, mine), comm.handle(), &requests.emplace_back()),
          "MPI_Recv_init");
    }
    if (send > 0) {
      check_mpi(MPI_Send_init(parts[route.local].outgoing() + send_start[route.local], static_cast<int>(send),
                              mpi_type<T>(), rank, ranks.tag(mine, route.part), comm.handle(), &sends.emplace_back()),
                "MPI_Send_init");
      ++per_exchange.messages;
      per_exchange.bytes += static_cast<Index>(bytes_of<T>(send));
    }
    send_start[route.local] += send;
    recv_start[route.local] += recv;
  }
  receives = requests.size();
  requests.insert(requests.end(), sends.begin(), sends.end());
  statuses.resize(requests.size());
}

// Collects on the compute queue what is not contiguous, or what MPI will read there; the transfer queue then stages the
// remote stretches.
template <class T>
void Halo<T>::State::pack(int local, View<const T, 1> owned) {
  PartState<T>& part = parts[local];
  if (part.sends.empty()) return;  // and no host waits for a device that nobody reads
  const Executor& executor = *team.executor(local);
  for (std::size_t p = 0; p < part.sends.size(); ++p) {
    const HaloPiece& piece = part.sends[p];
    if (!piece.contiguous() || (part.direct && p < part.remote)) piece.collect(executor, owned, part.send.view());
  }
  if (part.direct) return executor.wait(executor.record(Queue::compute));
  executor.wait(Queue::transfer, executor.record(Queue::compute));
  for (std::size_t p = 0; p < part.remote; ++p) {
    const HaloPiece& piece = part.sends[p];
    const T* from = piece.contiguous() ? piece.of(owned).data : part.send.data() + piece.start;
    executor.copy_out_async(part.sent.data() + piece.start, from, bytes_of<T>(piece.count), Queue::transfer);
  }
  executor.wait(executor.record(Queue::transfer));
}

// Contiguous remote stretches go straight from the staging to their place; the rest through the receive buffer.
template <class T>
void Halo<T>::State::unpack(int local, View<T, 1> ghosts) {
  PartState<T>& part = parts[local];
  if (part.recvs.empty()) return;
  const Executor& executor = *team.executor(local);
  if (part.direct) {
    for (const HaloPiece& piece : part.recvs) piece.distribute(executor, part.recv.view(), ghosts);
    part.arrived = executor.record(Queue::compute);
    return;
  }
  for (std::size_t p = 0; p < part.remote; ++p) {
    const HaloPiece& piece = part.recvs[p];
    T* to = piece.contiguous() ? piece.of(ghosts).data : part.recv.data() + piece.start;
    executor.copy_in_async(to, part.received.data() + piece.start, bytes_of<T>(piece.count), Queue::transfer);
  }
  part.arrived = executor.record(Queue::transfer);
  executor.wait(Queue::compute, *part.arrived);
  for (std::size_t p = 0; p < part.recvs.size(); ++p) {
    const HaloPiece& piece = part.recvs[p];
    if (p >= part.remote || !piece.contiguous()) piece.distribute(executor, part.recv.view(), ghosts);
  }
}

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
  State& s = *state_;
  require(owned.size() == s.parts.size() && !s.under_way, "Halo::start: one view per part, and finish() before");
  const auto scope = s.team.scope("halo send");
  // What the last exchange brought must have been read before new messages may land in its place.
  for (std::size_t p = 0; p < s.parts.size(); ++p) {
    if (s.parts[p].arrived) s.team.executor(static_cast<int>(p))->wait(*s.parts[p].arrived);
  }
  start_all(s.requests, 0, s.receives);
  s.under_way = true;
  s.team.each([&](int local) { s.pack(local, owned[local]); });
  start_all(s.requests, s.receives, s.requests.size());
  s.sent += s.per_exchange;
  // pack() has waited for every device of this rank, so neighbors may read each other now.
  s.team.each([&](int local) {
    PartState<T>& part = s.parts[local];
    for (const PeerCopy& copy : part.peers) {
      PartState<T>& source = s.parts[copy.source];
      const HaloPiece& piece = source.sends[copy.source_send];
      const T* from = piece.contiguous() ? piece.of(owned[copy.source]).data : source.send.data() + piece.start;
      s.team.executor(local)->copy_peer(part.recv.data() + part.recvs[copy.recv].start, *s.team.executor(copy.source),
                                        from, bytes_of<T>(piece.count));
    }
  });
}

template <class T>
void Halo<T>::finish(std::span<const View<T, 1>> ghosts) {
  State& s = *state_;
  require(ghosts.size() == s.parts.size() && s.under_way, "Halo::finish: one view per part, and start() before");
  {
    const auto scope = s.team.scope("halo wait");
    wait_all(s.requests, s.statuses);
  }
  const auto scope = s.team.scope("halo unpack");
  s.under_way = false;
  s.team.each([&](int local) { s.unpack(local, ghosts[local]); });
}

template <class T>
const Traffic& Halo<T>::sent() const {
  return state_->sent;
}

template class Halo<double>;
template class Halo<float>;
template class Halo<std::int32_t>;
template class Halo<std::int64_t>;

}  // namespace halocline
