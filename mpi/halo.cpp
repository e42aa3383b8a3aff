#include "mpi/halo.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "gpu/devices.hpp"
#include "lib/base/error.hpp"
#include "mpi/check.hpp"
#include "mpi/halo_kernels.hpp"
#include "mpi/halo_routes.hpp"

namespace halocline {
namespace {

using ConstView = View<const double, 1>;
using MutableView = View<double, 1>;

std::size_t bytes_of(Index values) { return static_cast<std::size_t>(values) * sizeof(double); }

template <class T>
View<T, 1> stretch(View<T, 1> view, Index start, Index count) {
  return View<T, 1>(view.data + start, count);
}

enum class Memory { pinned, device, plain };  // page-locked on the host; of the device; of the device, for MPI

// A buffer of one device.
class Buffer {
 public:
  Buffer() = default;
  Buffer(ExecutorPtr executor, Memory memory, Index values)
      : executor_(std::move(executor)), memory_(memory), values_(values) {
    void* data = memory == Memory::pinned   ? executor_->allocate_pinned(bytes_of(values))
                 : memory == Memory::device ? executor_->allocate(bytes_of(values))
                                            : allocate_plain(*executor_, bytes_of(values));
    data_ = static_cast<double*>(data);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ == nullptr) return;
    if (memory_ == Memory::pinned) executor_->deallocate_pinned(data_, bytes_of(values_));
    if (memory_ == Memory::device) executor_->deallocate(data_, bytes_of(values_));
    if (memory_ == Memory::plain) deallocate_plain(*executor_, data_, bytes_of(values_));
  }
  double* data() const { return data_; }
  MutableView view() const { return MutableView(data_, values_); }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(memory_, other.memory_);
    std::swap(values_, other.values_);
    std::swap(data_, other.data_);
  }

  ExecutorPtr executor_;
  Memory memory_ = Memory::device;
  Index values_ = 0;
  double* data_ = nullptr;
};

// One side of one link: an index set of a part and its stretch of the part's buffer.
class Piece {
 public:
  Piece(const ExecutorPtr& executor, const IndexSet& set, Index start)
      : start(start), count(set.size()), offset_(set.offset) {
    require(count <= std::numeric_limits<LocalIndex>::max(), "Halo: an index set is too long");
    if (!set.list.empty()) {
      list_.emplace(executor, std::array<Index, 1>{count});
      list_->assign(set.list);
      return;
    }
    box_ = {set.offset,
            static_cast<LocalIndex>(set.extent[1]),
            static_cast<LocalIndex>(set.extent[2]),
            set.stride[0],
            set.stride[1],
            set.stride[2]};
    contiguous_ = (set.extent[2] == 1 || set.stride[2] == 1) &&
                  (set.extent[1] == 1 || set.stride[1] == set.extent[2]) &&
                  (set.extent[0] == 1 || set.stride[0] == set.extent[1] * set.extent[2]);
  }

  bool contiguous() const { return contiguous_; }
  // The set itself, when contiguous.
  template <class T>
  View<T, 1> of(View<T, 1> data) const {
    require(offset_ >= 0 && offset_ + count <= data.size(), "Halo: link reaches outside its part's data");
    return stretch(data, offset_, count);
  }
  void collect(const Executor& executor, ConstView data, MutableView buffer) const {
    const MutableView mine = stretch(buffer, start, count);
    if (contiguous_) {
      executor.copy_async(mine.data, of(data).data, bytes_of(count), Queue::compute);
    } else if (list_) {
      gather(executor, data, ListPositions{std::as_const(*list_).view()}, mine);
    } else {
      gather(executor, data, box_, mine);
    }
  }
  void distribute(const Executor& executor, ConstView buffer, MutableView data) const {
    const ConstView mine = stretch(buffer, start, count);
    if (contiguous_) {
      executor.copy_async(of(data).data, mine.data, bytes_of(count), Queue::compute);
    } else if (list_) {
      scatter(executor, mine, ListPositions{std::as_const(*list_).view()}, data);
    } else {
      scatter(executor, mine, box_, data);
    }
  }

  Index start, count;

 private:
  Index offset_;
  BoxPositions box_{};
  bool contiguous_ = false;
  std::optional<Array<Index, 1>> list_;
};

// A copy into this part's receive buffer from a part of the same rank.
struct PeerCopy {
  std::size_t recv;         // piece of this part
  int source;               // part of this rank
  std::size_t source_send;  // piece of the source
};

// Buffers of one part: first the stretches that travel between ranks, by neighbor, then those inside the rank.
struct PartState {
  std::vector<Piece> sends, recvs;  // the first `remote` of each travel between ranks
  std::size_t remote = 0;
  std::vector<PeerCopy> peers;
  Buffer send, recv;             // on the device
  bool direct = false;           // MPI reads and fills `send` and `recv`; else the staging
  Buffer sent, received;         // staging of the remote stretches
  std::optional<Event> arrived;  // what the last finish() found in MPI's buffer has been read

  double* outgoing() const { return (direct ? send : sent).data(); }
  double* incoming() const { return (direct ? recv : received).data(); }
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

struct Halo::State {
  State(const Communicator& comm, const Team& team, const std::vector<std::vector<Link>>& links);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void build_part(int local, const std::vector<Link>& links, const std::vector<Route>& routes);
  void match_peers(const std::vector<std::vector<Link>>& links);
  void make_requests(const Communicator& comm, const Layout& layout, const std::vector<Route>& routes);
  void pack(int local, ConstView owned);
  void unpack(int local, MutableView ghosts);

  const Team& team;
  std::vector<PartState> parts;
  std::vector<MPI_Request> requests;  // persistent: all receives, then all sends
  std::vector<MPI_Status> statuses;
  std::size_t receives = 0;
  Traffic per_exchange, sent;
  bool under_way = false;
};

Halo::State::State(const Communicator& comm, const Team& team, const std::vector<std::vector<Link>>& links)
    : team(team), parts(static_cast<std::size_t>(team.parts())) {
  require(static_cast<int>(links.size()) == team.parts(), "Halo: one list of links per part");
  const Layout layout(comm, team);
  std::vector<Route> routes;
  for (int local = 0; local < team.parts(); ++local) {
    const std::vector<Route> own = routes_of(local, links[local], team);
    build_part(local, links[local], own);
    routes.insert(routes.end(), own.begin(), own.end());
  }
  match_peers(links);
  check_totals(comm, layout, routes);
  make_requests(comm, layout, routes);
}

Halo::State::~State() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (under_way && r < receives) MPI_Cancel(&requests[r]);
    MPI_Request_free(&requests[r]);
  }
}

void Halo::State::build_part(int local, const std::vector<Link>& links, const std::vector<Route>& routes) {
  PartState& part = parts[local];
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
    part.sent = Buffer(executor, Memory::pinned, send);
    part.received = Buffer(executor, Memory::pinned, recv);
  }
  for (const Link& link : links) {
    const int here = link.part - team.first_part();
    if (here >= 0 && here < team.parts()) append(link);
  }
  part.send = Buffer(executor, part.direct ? Memory::plain : Memory::device, send);
  part.recv = Buffer(executor, part.direct ? Memory::plain : Memory::device, recv);
}

void Halo::State::match_peers(const std::vector<std::vector<Link>>& links) {
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

void Halo::State::make_requests(const Communicator& comm, const Layout& layout, const std::vector<Route>& routes) {
  std::vector<MPI_Request> sends;
  std::vector<Index> send_start(parts.size(), 0), recv_start(parts.size(), 0);
  for (const Route& route : routes) {
    const int mine = team.first_part() + route.local, rank = layout.rank_of(route.part);
    const Index send = route.sends(), recv = route.recvs();
    require(std::max(send, recv) <= std::numeric_limits<int>::max(), "Halo: message too long");
    if (recv > 0) {
      check_mpi(MPI_Recv_init(parts[route.local].incoming() + recv_start[route.local], static_cast<int>(recv),
                              MPI_DOUBLE, rank, layout.tag(route.part, mine), comm.handle(), &requests.emplace_back()),
                "MPI_Recv_init");
    }
    if (send > 0) {
      check_mpi(MPI_Send_init(parts[route.local].outgoing() + send_start[route.local], static_cast<int>(send),
                              MPI_DOUBLE, rank, layout.tag(mine, route.part), comm.handle(), &sends.emplace_back()),
                "MPI_Send_init");
      ++per_exchange.messages;
      per_exchange.bytes += static_cast<Index>(bytes_of(send));
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
void Halo::State::pack(int local, ConstView owned) {
  PartState& part = parts[local];
  if (part.sends.empty()) return;  // and no host waits for a device that nobody reads
  const Executor& executor = *team.executor(local);
  for (std::size_t p = 0; p < part.sends.size(); ++p) {
    const Piece& piece = part.sends[p];
    if (!piece.contiguous() || (part.direct && p < part.remote)) piece.collect(executor, owned, part.send.view());
  }
  if (part.direct) return executor.wait(executor.record(Queue::compute));
  executor.wait(Queue::transfer, executor.record(Queue::compute));
  for (std::size_t p = 0; p < part.remote; ++p) {
    const Piece& piece = part.sends[p];
    const double* from = piece.contiguous() ? piece.of(owned).data : part.send.data() + piece.start;
    executor.copy_out_async(part.sent.data() + piece.start, from, bytes_of(piece.count), Queue::transfer);
  }
  executor.wait(executor.record(Queue::transfer));
}

// Contiguous remote stretches go straight from the staging to their place; the rest through the receive buffer.
void Halo::State::unpack(int local, MutableView ghosts) {
  PartState& part = parts[local];
  if (part.recvs.empty()) return;
  const Executor& executor = *team.executor(local);
  if (part.direct) {
    for (const Piece& piece : part.recvs) piece.distribute(executor, part.recv.view(), ghosts);
    part.arrived = executor.record(Queue::compute);
    return;
  }
  for (std::size_t p = 0; p < part.remote; ++p) {
    const Piece& piece = part.recvs[p];
    double* to = piece.contiguous() ? piece.of(ghosts).data : part.recv.data() + piece.start;
    executor.copy_in_async(to, part.received.data() + piece.start, bytes_of(piece.count), Queue::transfer);
  }
  part.arrived = executor.record(Queue::transfer);
  executor.wait(Queue::compute, *part.arrived);
  for (std::size_t p = 0; p < part.recvs.size(); ++p) {
    const Piece& piece = part.recvs[p];
    if (p >= part.remote || !piece.contiguous()) piece.distribute(executor, part.recv.view(), ghosts);
  }
}

Halo::Halo(const Communicator& comm, const Team& team, std::vector<std::vector<Link>> links_of_part)
    : state_(std::make_unique<State>(comm, team, links_of_part)) {}
Halo::~Halo() = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;

void Halo::start(std::span<const View<const double, 1>> owned) {
  State& s = *state_;
  require(owned.size() == s.parts.size() && !s.under_way, "Halo::start: one view per part, and finish() before");
  // What the last exchange brought must have been read before new messages may land in its place.
  for (std::size_t p = 0; p < s.parts.size(); ++p) {
    if (s.parts[p].arrived) s.team.executor(static_cast<int>(p))->wait(*s.parts[p].arrived);
  }
  start_all(s.requests, 0, s.receives);
  s.under_way = true;
  s.team.each([&](int local) { s.pack(local, owned[local]); });
  start_all(s.requests, s.receives, s.requests.size());
  s.sent.messages += s.per_exchange.messages;
  s.sent.bytes += s.per_exchange.bytes;
  // pack() has waited for every device of this rank, so neighbors may read each other now.
  s.team.each([&](int local) {
    PartState& part = s.parts[local];
    for (const PeerCopy& copy : part.peers) {
      PartState& source = s.parts[copy.source];
      const Piece& piece = source.sends[copy.source_send];
      const double* from = piece.contiguous() ? piece.of(owned[copy.source]).data : source.send.data() + piece.start;
      s.team.executor(local)->copy_peer(part.recv.data() + part.recvs[copy.recv].start, *s.team.executor(copy.source),
                                        from, bytes_of(piece.count));
    }
  });
}

void Halo::finish(std::span<const View<double, 1>> ghosts) {
  State& s = *state_;
  require(ghosts.size() == s.parts.size() && s.under_way, "Halo::finish: one view per part, and start() before");
  wait_all(s.requests, s.statuses);
  s.under_way = false;
  s.team.each([&](int local) { s.unpack(local, ghosts[local]); });
}

const Traffic& Halo::sent() const { return state_->sent; }

}  // namespace halocline
