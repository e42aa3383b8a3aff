#include "app/session.hpp"

#include <unistd.h>

#include "app/summary.hpp"
#include "io/collective.hpp"

namespace halocline {
namespace {

std::vector<ExecutorPtr> make_all(const Communicator& comm, const LoadedDeck& deck) {
  const Index asked = deck.shared.run.threads;
  const int threads = asked > 0 ? static_cast<int>(asked) : default_threads(comm);
  std::vector<ExecutorPtr> executors;
  check_memory(comm, deck);
  on_all_ranks(comm, [&] {
    executors = make_executors(deck.shared.run, threads, {comm.node_rank(), comm.node_size()});
  });
  return executors;
}

int parts_per_rank(const LoadedDeck& deck) { return static_cast<int>(deck.shape.weights.size()) / deck.shape.ranks; }

}  // namespace

void check_memory(const Communicator& comm, const LoadedDeck& deck) {
  on_all_ranks(comm, [&] {
    const double parts = static_cast<double>(parts_per_rank(deck)) * comm.node_size();
    const double needed = static_cast<double>(deck.plan.bytes_per_part) * parts;
    const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (needed <= present) return;
    throw MachineError("the run needs about " + bytes_text(needed) + " of memory on a node (" +
                       bytes_text(static_cast<double>(deck.plan.bytes_per_part)) + " per part), which has " +
                       bytes_text(present) + "; use more nodes or a coarser grid");
  });
}

Session::Session(const Communicator& comm, Log& log, const LoadedDeck& deck)
    : team_(make_all(comm, deck), comm.rank() * parts_per_rank(deck), static_cast<int>(deck.shape.weights.size())),
      context_{comm, team_, timers_, log, deck.shape} {}

}  // namespace halocline
