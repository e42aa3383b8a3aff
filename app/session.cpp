#include "app/session.hpp"

#include "io/collective.hpp"

namespace halocline {
namespace {

std::vector<ExecutorPtr> make_all(const Communicator& comm, const LoadedDeck& deck) {
  const Index asked = deck.shared.run.threads;
  const int threads = asked > 0 ? static_cast<int>(asked) : default_threads(comm);
  std::vector<ExecutorPtr> executors;
  on_all_ranks(comm, [&] {
    executors = make_executors(deck.shared.run, threads, {comm.node_rank(), comm.node_size()});
  });
  return executors;
}

int parts_per_rank(const LoadedDeck& deck) { return static_cast<int>(deck.shape.weights.size()) / deck.shape.ranks; }

}  // namespace

Session::Session(const Communicator& comm, Log& log, const LoadedDeck& deck)
    : team_(make_all(comm, deck), comm.rank() * parts_per_rank(deck), static_cast<int>(deck.shape.weights.size())),
      context_{comm, team_, timers_, log, deck.shape} {}

}  // namespace halocline
