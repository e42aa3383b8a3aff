#include "app/run/session.hpp"

#include "app/run/balance.hpp"
#include "app/run/memory.hpp"
#include "app/run/own_files.hpp"
#include "gpu/devices.hpp"
#include "io/collective.hpp"
#include "mpi/halo/link_checks.hpp"
#include "mpi/settle_transfer.hpp"

namespace halocline {
namespace {

int parts_per_rank(const LoadedDeck& deck) { return static_cast<int>(deck.shape.weights.size()) / deck.shape.ranks; }

// `gpus`: how many all ranks have.
std::vector<ExecutorPtr> make_all(const Communicator& comm, Timers& timers, const LoadedDeck& deck, const JobSeat& seat,
                                  bool profiled, const DirectoryClaim* claim, Index& gpus) {
  const auto setup = timers.scope("set-up");
  const auto scope = timers.scope("devices");
  const Index asked = deck.shared.run.threads;
  const int threads = asked > 0 ? static_cast<int>(asked) : seat.threads;
  std::vector<ExecutorPtr> executors;
  const auto work = [&] {
    if (claim != nullptr) claim->require();
    refuse_small_host(comm, deck);
    executors = make_executors(deck.shared.run, threads, seat.node, profiled ? &timers : nullptr);
    for (const ExecutorPtr& executor : executors) {
      goes_directly(deck.shared.run.transfer, *executor);
      if (executor->backend() == Backend::cuda) ++gpus;
    }
  };
  on_all_ranks(comm, work, std::span(&gpus, 1));
  return executors;
}

// Measured weights share out the work anew; the deck is right already.
Plan plan_of(const LoadedDeck& deck, const Shape& shape) {
  ThrownFaults faults;
  return deck.shared.run.balance == Shares::weights ? deck.plan : deck.family->plan(*deck.options, shape, faults);
}

Shape shape_of(const Communicator& comm, Log& log, const Team& team, const LoadedDeck& deck) {
  if (deck.shared.run.balance == Shares::weights) return deck.shape;
  const Balance balance = measure_balance(comm, team);
  for (const std::string& line : balance.lines) log.info(line);
  return {deck.shape.ranks, balance.weights};
}

}  // namespace

Session::Session(const Communicator& comm, Log& log, const LoadedDeck& deck, bool profiled, const DirectoryClaim* claim)
    : seat_(seat_of(comm, deck)),
      team_(make_all(comm, timers_, deck, seat_, profiled, claim, gpus_), comm.rank() * parts_per_rank(deck),
            static_cast<int>(deck.shape.weights.size()), deck.shared.run.transfer,
            profiled || comm.size() > 1 ? &timers_ : nullptr),  // which of several ranks waits for which
      context_{comm, team_, timers_, log, shape_of(comm, log, team_, deck), seat_.threads} {
  try {
    context_.partition = plan_of(deck, context_.shape).partition;
  } catch (const DeckError& error) {  // of measured weights: the same on all ranks
    log.warning(std::string("run.balance: shares by measured bandwidth do not do, parts keep those of the plan: ") +
                error.what());
    context_.shape = deck.shape;
    context_.partition = deck.plan.partition;
  }
  if (deck.shared.run.devices.front() == "auto" && built_with_cuda() && cuda_device_count() == 0)
    log.info("run.devices: auto is the host, since " + why_no_cuda());
  if (gpus_ > 0) check_gpu_memory(comm, team_, context_.shape, deck);
  const std::string note = settle_transfer(comm, team_, gpus_ > 0);
  if (!note.empty()) log.info(note);
}

std::unique_ptr<Problem> Session::make_problem(const LoadedDeck& deck) const {
  const auto scope = context_.timers.scope("set-up");
  for (const std::string& note : deck.plan.notes) context_.log.info(note);
  std::unique_ptr<Problem> problem;
  LinkChecks checks(team_);
  telling_forecast(deck, [&] { problem = deck.family->make(context_, *deck.options); });
  checks.close(context_.comm);
  return problem;
}

}  // namespace halocline
