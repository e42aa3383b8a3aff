// What a halo exchanges past MPI, through doors (mpi/doors.hpp). The device of the sender writes into the receive
// buffer of the other part, on its transfer queue, and puts a mark behind that; the queue of the receiver waits for the
// mark, which a message of two numbers tells. No host waits for a device.
//
// A receive buffer has two halves, used in turn: the sender may fill one while the receiver reads the other. Before it
// fills a half again it waits for the receiver's mark behind the reading of that half, two exchanges ago. Its host
// knows that mark: the receiver told it with the message of the exchange between. Therefore messages go both ways
// between two parts even if values go one way only.
#pragma once

#include <string>
#include <vector>

#include "lib/base/node/door.hpp"
#include "mpi/communicator.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline {

// What one part tells another at every exchange: the mark behind what it has sent, on its transfer queue unless
// `at_once`, and that behind its reading of the exchange before.
struct DoorMarks {
  Index sent = 0, at_once = 0, freed = 0;
  static constexpr int numbers = 3;
};

// Between a part of this rank and one of another.
struct DoorWay {
  int part;  // the other, of the run
  PeerDoor* peer;
  std::size_t first, last;         // pieces
  Index send_start, sends;         // values, in the send buffer
  Index recv_start, recvs;         // in a half of the own receive buffer
  char* there = nullptr;           // in the first half of the other's
  std::size_t half = 0;            // bytes from there to the second half
  DoorMarks own, arriving, known;  // told; being received; last received
};

// The receive buffer of a part: two halves of so many bytes.
class DoorBuffer {
 public:
  DoorBuffer() = default;
  DoorBuffer(Door& door, std::size_t half);
  DoorBuffer(DoorBuffer&& other) noexcept { swap(other); }
  DoorBuffer& operator=(DoorBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DoorBuffer();

  const BlockKey& key() const { return block_.key; }
  std::size_t half() const { return half_; }
  void* data(int turn) const { return static_cast<char*>(block_.data) + static_cast<std::size_t>(turn) * half_; }

 private:
  void swap(DoorBuffer& other) noexcept;
  Door* door_ = nullptr;
  DoorBlock block_;
  std::size_t half_ = 0;
};

// Where `to` is to put what it sends to `from`.
struct DoorOffer {
  int from, to;  // parts of the run
  BlockKey block;
  std::uint64_t start, half;  // bytes
  Index freed;
};

// Brings offers to the ranks of those whom they are made to. Collective.
std::vector<DoorOffer> exchange_offers(const Communicator& comm, const PartRanks& ranks,
                                       const std::vector<DoorOffer>& own);

}  // namespace halocline
