#include "mpi/halo/halo_part.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "mpi/doors.hpp"

namespace halocline {
namespace {

// Contiguous pieces from this size on are written to the other device from where they lie; work that comes later waits
// for that. Smaller ones are copied to a buffer first, so that it need not.
constexpr std::size_t large_piece = std::size_t{1} << 20;
// What a part sends through doors up to this size does not go by the transfer queue.
constexpr std::size_t little = std::size_t{1} << 20;

}  // namespace

template <class T>
HaloPart<T>::HaloPart(const Team& team, int local, const std::vector<Link>& links, std::vector<Route>& routes,
                      const Doors* doors)
    : executor_(team.executor(local)), direct_(goes_directly(team.transfer(), *executor_)) {
  const auto is_message = [&](const Route& route) { return doors == nullptr || !doors->peer(local, route.part); };
  const auto first_way = std::stable_partition(routes.begin(), routes.end(), is_message);
  message_routes_ = static_cast<std::size_t>(first_way - routes.begin());
  Index recv = 0, through = 0;
  for (auto route = routes.begin(); route != first_way; ++route)
    for (const Link* link : route->links) append(*link, recv);
  messages_ = sends_.size();
  if (!direct_) {
    sent_ = HaloBuffer<T>(executor_, HaloMemory::pinned, send_values_);
    received_ = HaloBuffer<T>(executor_, HaloMemory::pinned, recv);
  }
  for (auto route = first_way; route != routes.end(); ++route) {
    ways.push_back({route->part,
                    doors->peer(local, route->part),
                    sends_.size(),
                    sends_.size() + route->links.size(),
                    send_values_,
                    route->sends(),
                    through,
                    route->recvs(),
                    nullptr,
                    0,
                    {},
                    {},
                    {}});
    for (const Link* link : route->links) append(*link, through);
  }
  if (!ways.empty()) {
    Index sends = 0;
    for (const DoorWay& way : ways) sends += way.sends;
    at_once_ = bytes_of<T>(sends) <= little;
    door_ = doors->own(local);
    inbox_ = DoorBuffer(*door_, (bytes_of<T>(through) + 255) / 256 * 256);
    freed_ = door_->mark(Queue::compute);
    if (at_once_) join_pieces({first_way, routes.end()});
  }
  inside_ = sends_.size();
  by_events_ = executor_->backend() == Backend::cuda;
  for (const Link& link : links) {
    const int here = link.part - team.first_part();
    if (here < 0 || here >= team.parts() || here == local) continue;
    append(link, recv);
    by_events_ = by_events_ && team.executor(here)->backend() == Backend::cuda;
  }
  own_ = sends_.size();
  for (const Link& link : links)
    if (link.part == team.first_part() + local) append(link, recv);
  const HaloMemory memory = direct_ ? HaloMemory::plain : HaloMemory::device;
  send_ = HaloBuffer<T>(executor_, memory, send_values_);
  recv_ = HaloBuffer<T>(executor_, memory, recv);
}

template <class T>
void HaloPart<T>::append(const Link& link, Index& recv) {
  sends_.emplace_back(executor_, link.send, send_values_);
  recvs_.emplace_back(executor_, link.recv, recv);
  send_values_ += link.send.size();
  recv += link.recv.size();
}

// Of lists: every piece would take a launch, and a copy to its part.
template <class T>
void HaloPart<T>::join_pieces(std::span<const Route> routes) {
  std::vector<const IndexSet*> sends, recvs;
  for (const Route& route : routes) {
    for (const Link* link : route.links) {
      if (link->send.size() > 0) sends.push_back(&link->send);
      if (link->recv.size() > 0) recvs.push_back(&link->recv);
    }
  }
  const auto is_list = [](const IndexSet* set) { return !is_run(*set); };
  if (std::any_of(sends.begin(), sends.end(), is_list) && ways.size() <= Stretches<T>::most)
    sends_joined_ = JoinedPositions::of(executor_, sends);
  if (recvs.size() > 1) recvs_joined_ = JoinedPositions::of(executor_, recvs);
}

template <class T>
std::vector<DoorOffer> HaloPart<T>::offers(int own_part) const {
  std::vector<DoorOffer> all;
  for (const DoorWay& way : ways)
    all.push_back({own_part, way.part, inbox_.key(), bytes_of<T>(way.recv_start), inbox_.half(), freed_});
  return all;
}

template <class T>
void HaloPart<T>::take(const DoorOffer& offer) {
  const auto way = std::find_if(ways.begin(), ways.end(), [&](const DoorWay& w) { return w.part == offer.from; });
  require(way != ways.end(), "Halo: two parts do not agree on how they exchange");
  way->there = static_cast<char*>(way->peer->open(offer.block)) + offer.start;
  way->half = offer.half;
  way->known.freed = offer.freed;
}

template <class T>
void HaloPart<T>::wait_for_readers() const {
  if (arrived_) executor_->wait(*arrived_);
}

template <class T>
bool HaloPart<T>::goes_straight(const HaloPiece& piece) const {
  return !sends_joined_ && piece.contiguous() && (at_once_ || bytes_of<T>(piece.count) >= large_piece);
}

// Whether a kernel or a copy of the compute queue brings the piece to the send buffer.
template <class T>
bool HaloPart<T>::is_collected(std::size_t send) const {
  const HaloPiece& piece = sends_[send];
  if (send < messages_) return direct_ || !piece.contiguous();
  if (send < inside_) return !sends_joined_ && !goes_straight(piece);
  return send >= own_ || !piece.contiguous();  // what a part keeps is read again when the exchange is finished
}

template <class T>
const T* HaloPart<T>::source_of(const HaloPiece& piece, View<const T, 1> owned) const {
  return piece.contiguous() ? piece.of(owned).data : send_.data() + piece.start;
}

template <class T>
void HaloPart<T>::collect(std::size_t first, std::size_t last, View<const T, 1> owned) {
  for (std::size_t p = first; p < last; ++p)
    if (is_collected(p)) sends_[p].collect(*executor_, owned, send_.view());
}

// What travels farthest goes first.
template <class T>
void HaloPart<T>::pack(View<const T, 1> owned) {
  if (sends_.empty()) return;  // and no host waits for a device that nobody reads
  if (copied_) executor_->wait(Queue::compute, *copied_);
  collect(0, inside_, owned);
  const bool staged = messages_ > 0 && !direct_;
  if (staged || (!ways.empty() && !at_once_)) executor_->wait(Queue::transfer, executor_->record(Queue::compute));
  if (staged) staged_ = stage(owned);
  const bool straight = !ways.empty() && send_through_doors(owned);
  collect(inside_, sends_.size(), owned);
  if (inside_ < own_ || (messages_ > 0 && direct_)) packed_ = executor_->record(Queue::compute);
  if (straight) executor_->wait(Queue::compute, *copied_);  // what comes later may overwrite what is read
}

template <class T>
void HaloPart<T>::settle() const {
  if (sends_.empty()) return;
  if ((inside_ < own_ && !by_events_) || (messages_ > 0 && direct_)) executor_->wait(*packed_);
  if (staged_) executor_->wait(*staged_);
}

template <class T>
Event HaloPart<T>::stage(View<const T, 1> owned) {
  for (std::size_t p = 0; p < messages_; ++p) {
    const HaloPiece& piece = sends_[p];
    executor_->copy_out_async(sent_.data() + piece.start, source_of(piece, owned), bytes_of<T>(piece.count),
                              Queue::transfer);
  }
  return executor_->record(Queue::transfer);
}

// True when the transfer queue reads something where it lies.
template <class T>
bool HaloPart<T>::send_through_doors(View<const T, 1> owned) {
  const Queue queue = at_once_ ? Queue::compute : Queue::transfer;
  bool straight = false;
  for (const DoorWay& way : ways) {
    if (way.sends == 0) continue;
    // Where values come back, the compute queue has waited for those of the last exchange already, which the other part
    // has sent after it read that half.
    if (way.recvs == 0 || first_time_) door_->wait(queue, *way.peer, Queue::compute, way.known.freed);
    if (!sends_joined_) straight = copy_through(way, owned, queue) || straight;
  }
  if (sends_joined_) spread_through(owned);
  first_time_ = false;
  const Index sent = door_->mark(queue);
  for (DoorWay& way : ways) way.own = {sent, at_once_ ? 1 : 0, freed_};
  if (at_once_) return false;
  copied_ = executor_->record(queue);
  return straight;
}

// All of it by one kernel, to where the others have it if that may be, else to the send buffer.
template <class T>
void HaloPart<T>::spread_through(View<const T, 1> owned) {
  Stretches<T> stretches;
  const Index first = ways.front().send_start;
  for (const DoorWay& way : ways) {
    if (way.sends == 0) continue;
    char* there = way.there + static_cast<std::size_t>(turn_) * way.half;
    stretches.begin[stretches.count] = way.send_start - first;
    stretches.to[stretches.count++] =
        door_->kernels_reach_peers() ? reinterpret_cast<T*>(there) : send_.data() + way.send_start;
  }
  spread(*executor_, owned, sends_joined_->within(owned.size()), stretches);
  if (door_->kernels_reach_peers()) return;
  for (const DoorWay& way : ways)
    if (way.sends > 0) copy_through(way, owned, Queue::compute);
}

// True when something was read where it lies.
template <class T>
bool HaloPart<T>::copy_through(const DoorWay& way, View<const T, 1> owned, Queue queue) {
  char* there = way.there + static_cast<std::size_t>(turn_) * way.half;
  const auto first = sends_.begin() + static_cast<std::ptrdiff_t>(way.first);
  const auto last = sends_.begin() + static_cast<std::ptrdiff_t>(way.last);
  const bool straight = std::any_of(first, last, [this](const HaloPiece& piece) { return goes_straight(piece); });
  if (!straight) {  // all of it lies in one stretch
    door_->copy_async(*way.peer, there, send_.data() + way.send_start, bytes_of<T>(way.sends), queue);
    return false;
  }
  for (auto piece = first; piece != last; ++piece) {
    if (piece->count == 0) continue;
    const T* from = goes_straight(*piece) ? piece->of(owned).data : send_.data() + piece->start;
    door_->copy_async(*way.peer, there + bytes_of<T>(piece->start - way.send_start), from, bytes_of<T>(piece->count),
                      queue);
  }
  return true;
}

template <class T>
void HaloPart<T>::copy_from(const PeerCopy& copy, const HaloPart& source, View<const T, 1> owned) const {
  const HaloPiece& piece = source.sends_[copy.source_send];
  if (by_events_) {  // the copy belongs to the transfer queue
    executor_->wait(Queue::transfer, *source.packed_);
    executor_->wait(Queue::transfer, *packed_);  // and with it for readers of what the last one brought
  }
  executor_->copy_peer(recv_.data() + recvs_[copy.recv].start, *source.executor_, source.source_of(piece, owned),
                       bytes_of<T>(piece.count));
}

// What was nearest comes first.
template <class T>
void HaloPart<T>::unpack(View<T, 1> ghosts) {
  if (recvs_.empty()) return;
  for (const PeerCopy& copy : own) {
    const HaloPiece& kept = sends_[copy.source_send];
    recvs_[copy.recv].put(*executor_, View<const T, 1>(send_.data() + kept.start, kept.count), ghosts);
  }
  for (std::size_t p = inside_; p < own_; ++p) recvs_[p].distribute(*executor_, recv_.view(), ghosts);
  if (!ways.empty()) take_from_doors(ghosts);
  take_messages(ghosts);
  if ((inside_ < own_ && !by_events_) || (messages_ > 0 && direct_)) arrived_ = executor_->record(Queue::compute);
}

// Contiguous stretches go straight from the staging to their place; the rest through the receive buffer.
template <class T>
void HaloPart<T>::take_messages(View<T, 1> ghosts) {
  if (messages_ == 0) return;
  if (!direct_) {
    for (std::size_t p = 0; p < messages_; ++p) {
      const HaloPiece& piece = recvs_[p];
      T* to = piece.contiguous() ? piece.of(ghosts).data : recv_.data() + piece.start;
      executor_->copy_in_async(to, received_.data() + piece.start, bytes_of<T>(piece.count), Queue::transfer);
    }
    arrived_ = executor_->record(Queue::transfer);
    executor_->wait(Queue::compute, *arrived_);
  }
  for (std::size_t p = 0; p < messages_; ++p)
    if (direct_ || !recvs_[p].contiguous()) recvs_[p].distribute(*executor_, recv_.view(), ghosts);
}

template <class T>
void HaloPart<T>::take_from_doors(View<T, 1> ghosts) {
  const View<T, 1> inbox(static_cast<T*>(inbox_.data(turn_)), static_cast<Index>(inbox_.half() / sizeof(T)));
  for (DoorWay& way : ways) {
    const Queue queue = way.known.at_once != 0 ? Queue::compute : Queue::transfer;
    if (way.recvs > 0) door_->wait(Queue::compute, *way.peer, queue, way.known.sent);
    for (std::size_t p = way.first; p < way.last && !recvs_joined_; ++p)
      recvs_[p].distribute(*executor_, inbox, ghosts);
  }
  if (recvs_joined_)
    scatter(*executor_, View<const T, 1>(inbox.data, recvs_joined_->count()), recvs_joined_->within(ghosts.size()),
            ghosts);
  // The others learn it from what this part sends, see send_through_doors().
  const bool one_way = std::any_of(ways.begin(), ways.end(), [](const DoorWay& way) { return way.sends == 0; });
  if (one_way) freed_ = door_->mark(Queue::compute);
  turn_ = 1 - turn_;
}

template class HaloPart<double>;
template class HaloPart<float>;
template class HaloPart<std::int32_t>;
template class HaloPart<std::int64_t>;

}  // namespace halocline
