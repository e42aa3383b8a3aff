// Session: the devices of a run and what a problem gets of them, alive as long as the problem.
#pragma once

#include <memory>

#include "app/run/launcher.hpp"
#include "gpu/phase_marks.hpp"
#include "lib/base/log.hpp"
#include "lib/base/timers.hpp"
#include "lib/problems/problem.hpp"
#include "mpi/team.hpp"

namespace halocline {

class DirectoryClaim;

// Measures the time of the run from its construction on.
class Session {
 public:
  // Makes the executors and the team that the deck asks for; `profiled`: so that they count for collect_profile().
  // Collective. MachineError when a device is missing; before that what is against `claim`, if there is one.
  Session(const Communicator& comm, Log& log, const LoadedDeck& deck, bool profiled = false,
          const DirectoryClaim* claim = nullptr);
  const Team& team() const { return team_; }
  const Context& context() const { return context_; }
  // The family's problem; its time is of the set-up, which no rank ends before all have come to the links of its halos.
  // Collective.
  std::unique_ptr<Problem> make_problem(const LoadedDeck& deck) const;

 private:
  Timers timers_{phase_marks()};
  JobSeat seat_;
  Index gpus_ = 0;  // of all ranks
  Team team_;
  Context context_;
};

}  // namespace halocline
