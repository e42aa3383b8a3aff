// Doors: the devices of other ranks of the node that the parts of this rank reach past MPI, for run.transfer: ipc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/executor.hpp"
#include "lib/base/node/door.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class Doors {
 public:
  // `executors`: of the parts of this rank, `first_part` on; they outlive the doors. Finds out by trial which parts
  // reach each other, which both must. Collective.
  Doors(const Communicator& comm, std::span<const ExecutorPtr> executors, int first_part);
  // Meets the other ranks of the node, so that nobody gives back memory that another has open; where they do not come,
  // as after an error of theirs, it is left to the end of the program.
  ~Doors();
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;

  // Of a part of this rank; null for parts that have none.
  Door* own(int local) const { return own_[static_cast<std::size_t>(local)].get(); }
  // From a part of this rank to a part of another: null where messages must do.
  PeerDoor* peer(int local, int part) const;

  // The same on all ranks: whether any parts reach each other past MPI.
  bool any() const { return any_; }
  // Why not all parts of different ranks do: one line, empty when they do. Of hosts too, and of ranks of other nodes;
  // or of devices that share a node alone.
  const std::string& why_not_all() const { return why_not_all_; }
  const std::string& why_not_on_node() const { return why_not_on_node_; }

 private:
  struct Opened {
    int local, part;
    std::unique_ptr<PeerDoor> door;
  };
  struct Card;

  void make_own(std::span<const ExecutorPtr> executors);
  Card card_of(int local, int part) const;
  void open_all(const std::vector<Card>& cards, int own_rank);
  void keep_mutual(int first_part);
  void agree_on_reasons(const Communicator& comm);

  Communicator node_;
  std::vector<ExecutorPtr> executors_;
  std::vector<std::unique_ptr<Door>> own_;
  std::vector<DoorBlock> trials_;
  std::vector<Opened> peers_;
  bool any_ = false;
  std::string why_not_all_, why_not_on_node_;
};

}  // namespace halocline
