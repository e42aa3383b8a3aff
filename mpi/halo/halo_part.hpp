// One part of a halo: its pieces, its buffers, and what it puts into the queues of its device.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mpi/halo/halo_buffer.hpp"
#include "mpi/halo/halo_doors.hpp"
#include "mpi/halo/halo_piece.hpp"
#include "mpi/halo/halo_routes.hpp"
#include "mpi/team.hpp"

namespace halocline {

template <class T>
std::size_t bytes_of(Index values) {
  return static_cast<std::size_t>(values) * sizeof(T);
}

// T: as of Halo (instantiated in halo_part.cpp).
template <class T>
class HaloPart {
 public:
  // `routes`: of this part; those that travel as messages are put first. `doors`: null where all do.
  HaloPart(const Team& team, int local, const std::vector<Link>& links, std::vector<Route>& routes, const Doors* doors);

  // A piece of this part that comes from `source_send`, a piece of the part `source` of the same rank.
  struct PeerCopy {
    std::size_t recv;
    int source;
    std::size_t source_send;
  };
  std::vector<PeerCopy> peers, own;  // from other parts; from this one itself
  std::vector<DoorWay> ways;

  // How many routes travel as messages, whose values lie first in these.
  std::size_t message_routes() const { return message_routes_; }
  T* outgoing() const { return (direct_ ? send_ : sent_).data(); }
  T* incoming() const { return (direct_ ? recv_ : received_).data(); }

  std::vector<DoorOffer> offers(int own_part) const;
  void take(const DoorOffer& offer);

  // Pieces of other parts of the same rank come behind those of other ranks, and those of the part itself come last.
  std::size_t first_inside() const { return inside_; }
  std::size_t first_own() const { return own_; }
  Index piece_size(std::size_t recv) const { return recvs_[recv].count; }
  Index sent_piece_size(std::size_t send) const { return sends_[send].count; }

  // What messages brought has been read, and what neighbors brought: both may be overwritten. The host waits, but for
  // GPUs among themselves.
  void wait_for_readers() const;
  // Queues what collects and sends; the host waits for nothing, so that it may queue more before it settles.
  void pack(View<const T, 1> owned);
  // The host waits for what MPI or neighbors are to read, as above.
  void settle() const;
  // From a part of the same rank, of which `owned` is the memory, when all parts have packed.
  void copy_from(const PeerCopy& copy, const HaloPart& source, View<const T, 1> owned) const;
  // When messages have arrived.
  void unpack(View<T, 1> ghosts);

 private:
  void append(const Link& link, Index& recv);
  bool is_collected(std::size_t send) const;
  bool goes_straight(const HaloPiece& piece) const;
  const T* source_of(const HaloPiece& piece, View<const T, 1> owned) const;
  Event stage(View<const T, 1> owned);
  void collect(std::size_t first, std::size_t last, View<const T, 1> owned);
  bool send_through_doors(View<const T, 1> owned);
  bool copy_through(const DoorWay& way, View<const T, 1> owned, Queue queue);
  void join_pieces(std::span<const Route> routes);
  void spread_through(View<const T, 1> owned);
  void take_messages(View<T, 1> ghosts);
  void take_from_doors(View<T, 1> ghosts);

  ExecutorPtr executor_;
  std::vector<HaloPiece> sends_, recvs_;                                  // by messages, through doors, inside the rank
  std::size_t message_routes_ = 0, messages_ = 0, inside_ = 0, own_ = 0;  // where pieces of the kinds end and begin
  HaloBuffer<T> send_, recv_;      // on the device; `recv_` without what comes through doors
  bool direct_ = false;            // MPI reads and fills `send_` and `recv_`; else the staging
  HaloBuffer<T> sent_, received_;  // staging of messages
  std::optional<Event> arrived_;   // what the last exchange brought has been read
  Door* door_ = nullptr;
  DoorBuffer inbox_;  // of what comes through doors
  int turn_ = 0;      // half of it
  bool first_time_ = true;
  bool at_once_ = false;  // it is little that is sent through doors
  // Of what goes and comes through doors, where one launch does for all of it.
  std::optional<JoinedPositions> sends_joined_, recvs_joined_;
  Index freed_ = 0;              // mark behind the last reading of it
  bool by_events_ = false;       // the part and those of its rank that it exchanges with are GPUs, which wait by events
  std::optional<Event> packed_;  // what others of the rank are to read is in its place
  std::optional<Event> staged_;  // messages lie in the host's memory
  std::optional<Event> copied_;  // what the last exchange sent through doors has left `send_`
  Index send_values_ = 0;
};

}  // namespace halocline
