// Groups of ranks that work on different things at the same time, and what gives them their work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace halocline {

// The group of `rank` where `ranks` are shared out to `groups` of neighbors whose sizes differ by one at most.
int group_of(int rank, int ranks, int groups);

// The lowest rank for which `any` holds, on all ranks; nothing where there is none. Collective.
std::optional<int> first_rank(const Communicator& comm, bool any);

// A communicator of the ranks with the same `color`, in their order. Collective.
std::unique_ptr<Communicator> split(const Communicator& comm, int color);

// Hands out numbers to the first ranks of groups, one by one, to whoever asks: the rest of a list that is in work
// never waits for a group that has got something long. Rank 0 answers, and has work of its own, so it must look for
// questions often.
class HandOut {
 public:
  static constexpr Index nothing = -1;
  // `items`: what is handed out, in this order. `askers`: ranks that will call next(), rank 0 among them.
  // `heard`: gets the word of every call of next(), on rank 0. Collective; `comm` outlives it.
  HandOut(const Communicator& comm, std::vector<Index> items, int askers,
          std::function<void(const std::string&)> heard);

  // Tells `word` to rank 0 and returns the next number, or `nothing` when there is none. By askers, until `nothing`.
  Index next(const std::string& word);
  // Answers those who wait, without waiting itself. On rank 0.
  void serve();
  // Answers until all others have been told that there is nothing. On rank 0, when it has nothing more to do itself.
  void finish();
  // Nothing is handed out any more. On rank 0, also from `heard`.
  void stop() { items_.clear(); }

 private:
  Index take();
  bool answer_one();
  Communicator comm_;
  std::vector<Index> items_;  // the next one last
  int others_;                // askers that have not been told that there is nothing
  std::function<void(const std::string&)> heard_;
};

}  // namespace halocline
