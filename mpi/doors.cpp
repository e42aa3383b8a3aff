#include "mpi/doors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "gpu/doors/make_door.hpp"
#include "lib/base/error.hpp"
#include "mpi/arrival.hpp"
#include "mpi/check.hpp"
#include "mpi/exchange.hpp"

namespace halocline {
namespace {

// A communicator that is freed once it has been copied.
class NodeHandle {
 public:
  explicit NodeHandle(const Communicator& comm) {
    check_mpi(MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
              "MPI_Comm_split_type");
  }
  ~NodeHandle() { MPI_Comm_free(&node); }
  NodeHandle(const NodeHandle&) = delete;
  NodeHandle& operator=(const NodeHandle&) = delete;

  MPI_Comm node = MPI_COMM_NULL;
};

void keep_first(std::string& reason, const std::string& found) {
  if (reason.empty()) reason = found;
}

}  // namespace

// A part as others see it.
struct Doors::Card {
  int rank, part;  // of the node; of the run
  Backend backend;
  bool has_door;
  DoorKey door;
  BlockKey trial;
  std::array<char, 32> name;  // of the device
};

Doors::Doors(const Communicator& comm, std::span<const ExecutorPtr> executors, int first_part)
    : node_(NodeHandle(comm).node), executors_(executors.begin(), executors.end()) {
  make_own(executors);
  std::vector<Card> cards;
  for (std::size_t p = 0; p < own_.size(); ++p) cards.push_back(card_of(static_cast<int>(p), first_part));
  cards = gather_lists(node_, cards).values;
  if (node_.size() != comm.size()) keep_first(why_not_all_, "not all ranks are on one node");
  open_all(cards, node_.rank());
  keep_mutual(first_part);
  agree_on_reasons(comm);
}

void Doors::make_own(std::span<const ExecutorPtr> executors) {
  for (const ExecutorPtr& executor : executors) {
    trials_.emplace_back();
    own_.emplace_back();
    try {
      own_.back() = make_door(*executor);
      if (own_.back()) trials_.back() = own_.back()->allocate(1);
    } catch (const MachineError& error) {
      own_.back().reset();
      keep_first(why_not_on_node_, error.what());
    }
    if (!own_.back()) keep_first(why_not_all_, executor->name() + " has no memory that other processes can open");
  }
}

Doors::Card Doors::card_of(int local, int first_part) const {
  const Door* door = own(local);
  const Executor& executor = *executors_[local];
  Card card{node_.rank(), first_part + local, executor.backend(), door != nullptr, {}, {}, {}};
  executor.name().copy(card.name.data(), card.name.size() - 1);
  if (door != nullptr) {
    card.door = door->key();
    card.trial = trials_[local].key;
  }
  return card;
}

void Doors::open_all(const std::vector<Card>& cards, int own_rank) {
  for (const Card& card : cards) {
    if (card.rank == own_rank || !card.has_door) continue;
    for (int local = 0; local < static_cast<int>(own_.size()); ++local) {
      if (own(local) == nullptr) continue;
      const Executor& executor = *executors_[local];
      const std::string pair = executor.name() + " does not reach " + card.name.data() + " of another rank: ";
      try {
        if (executor.backend() != card.backend) throw MachineError("devices of different kinds");
        std::unique_ptr<PeerDoor> door = own(local)->open(card.door);
        door->open(card.trial);
        peers_.push_back({local, card.part, std::move(door)});
      } catch (const MachineError& error) {
        keep_first(why_not_on_node_, pair + error.what());
      }
    }
  }
}

// Drops doors that were opened from one side only.
void Doors::keep_mutual(int first_part) {
  using Pair = std::array<int, 2>;
  std::vector<Pair> opened;
  for (const Opened& peer : peers_) opened.push_back({first_part + peer.local, peer.part});
  opened = gather_lists(node_, opened).values;
  std::sort(opened.begin(), opened.end());
  std::erase_if(peers_, [&](const Opened& peer) {
    return !std::binary_search(opened.begin(), opened.end(), Pair{peer.part, first_part + peer.local});
  });
}

// The first reason that a rank has, on all. One reduction, and words where there is something to say.
void Doors::agree_on_reasons(const Communicator& comm) {
  const auto rank = [&](const std::string& reason) {
    return reason.empty() ? -Index{comm.size()} : -Index{comm.rank()};
  };
  std::array<Index, 3> words{static_cast<Index>(peers_.size()), rank(why_not_on_node_), rank(why_not_all_)};
  comm.max(words);
  any_ = words[0] > 0;
  const int of_node = static_cast<int>(-words[1]), of_all = static_cast<int>(-words[2]);
  if (of_node < comm.size()) comm.broadcast(why_not_on_node_, of_node);
  keep_first(why_not_all_, why_not_on_node_);  // which all have then
  if (of_node < comm.size() || of_all < comm.size()) comm.broadcast(why_not_all_, of_node < comm.size() ? 0 : of_all);
}

PeerDoor* Doors::peer(int local, int part) const {
  for (const Opened& peer : peers_)
    if (peer.local == local && peer.part == part) return peer.door.get();
  return nullptr;
}

Doors::~Doors() {
  // Not for long while an error is on its way out, which others may not have met.
  const std::chrono::milliseconds patience(std::uncaught_exceptions() > 0 ? 300 : 5000);
  int finalized = 0;
  MPI_Finalized(&finalized);
  bool met = false;
  try {
    if (finalized == 0) {
      for (const ExecutorPtr& executor : executors_) executor->synchronize();
      met = all_arrive(node_, patience);  // nothing is under way any more
      if (met) peers_.clear();
      met = met && all_arrive(node_, patience);  // nothing is open any more
    }
  } catch (const Error&) {
    met = false;  // a lost device has been reported by the call that found it
  }
  if (met) return;
  for (Opened& peer : peers_) static_cast<void>(peer.door.release());
  for (std::unique_ptr<Door>& door : own_) static_cast<void>(door.release());
  static_cast<void>(new std::vector<ExecutorPtr>(std::move(executors_)));  // whose queues others may still wait for
}

}  // namespace halocline
