// Writers: which ranks put values into the files of a run, and for which others. Groups are ranks that follow each
// other; the first one of a group writes, the others send it their bytes (relay.hpp). What is written does not depend
// on the groups.
//
// A writer holds relay_block bytes for good, and inbox_bytes at most of each file under way; who sends, two blocks.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// As a deck says it: all, node (one rank of each node), a number of ranks, or auto: all, but one of each node where
// more than most_of_all ranks are on several nodes.
struct WriterChoice {
  enum class Kind { automatic, all, node, number };
  static constexpr int most_of_all = 64;
  Kind kind = Kind::automatic;
  Index number = 0;
};
// Nothing where the text is none of these.
std::optional<WriterChoice> writer_choice(const std::string& text);

// How bytes are to go into a file.
struct Delivery {
  bool thread = false;                      // beside what the main thread does
  bool eager = false;                       // as in write_ranges()
  std::shared_future<void> after;           // if any: when this is ready
  const std::atomic<bool>* stop = nullptr;  // if any: no more than has begun when this is set
};

class Writers {
 public:
  // Every rank writes. `comm` outlives this and its copies.
  Writers(const Communicator& comm) : comm_(&comm), first_(comm.rank()), last_(first_ + 1), count_(comm.size()) {}
  // Where the ranks of a node do not follow each other, `node` is as many groups of neighbors as there are nodes.
  // Collective; MachineError on all ranks where there is no memory for a block.
  Writers(const Communicator& comm, const WriterChoice& choice);

  const Communicator& comm() const { return *comm_; }
  int count() const { return count_; }  // of ranks that write
  bool writes() const { return comm_->rank() == first_; }
  // Ranks first ... last - 1 are this rank's group.
  int first() const { return first_; }
  int last() const { return last_; }

  // Begins to put into the file what `put` gives the function that it gets, a range of bytes at a time, on every rank
  // of the group. The file is there and has room. When this returns, no other rank waits for this one; the future tells
  // when this rank's part is done, or why it is not. Of ranks that do not write `put` is not called later, of those
  // that do perhaps until then. Collective in the group; throws where MPI fails alone.
  std::shared_future<void> begin(const std::string& path, const std::function<void(const WriteAt&)>& put,
                                 const Delivery& delivery) const;
  // The same until it is done. Throws what has failed on this rank.
  void write(const std::string& path, const std::function<void(const WriteAt&)>& put) const;

 private:
  void form_groups(int groups);
  std::shared_future<void> send(const std::function<void(const WriteAt&)>& put) const;
  std::shared_future<void> receive(const std::string& path, const std::function<void(const WriteAt&)>& put,
                                   const Delivery& delivery) const;

  const Communicator* comm_;
  int first_, last_, count_;
  std::shared_ptr<std::byte[]> spare_;  // where blocks arrive that there is no memory for
};

}  // namespace halocline
