// Part: the systems of one part of a run, in host memory, and how its threads advance them.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"

namespace halocline::ode_ensemble {

// Systems that are advanced together by one thread.
constexpr long long chunk_of_systems = 256;

class Part {
 public:
  using Clock = std::chrono::steady_clock;

  // Systems `first` + n * `stride`, n < `count`, of the sweep: at their initial states.
  Part(const Formulation& formulation, const OdeBackend& backend, Index first, Index count, Index stride = 1);
  // The same with `rows` of states, 5 more than states at least: enough to look at starts.
  Part(const Formulation& formulation, long long rows, Index first, Index count, Index stride = 1);

  // Advances systems until `deadline`, at least a little. Returns when all threads have stopped.
  void advance(const OdeBackend& backend, int threads, Clock::time_point deadline);
  // After the arrays were changed from outside: finds the systems that are left.
  void refresh();
  bool finished() const { return open_.empty(); }
  long long phases_done() const;

  Index first() const { return first_; }
  long long systems() const { return systems_; }
  long long rows() const { return rows_; }
  double* state(long long row) { return state_.data() + row * systems_; }
  const double* state(long long row) const { return state_.data() + row * systems_; }
  long long* counter(int row) { return counters_.data() + row * systems_; }
  const long long* counter(int row) const { return counters_.data() + row * systems_; }
  std::vector<double>& each_phase() { return each_phase_; }
  const std::vector<double>& each_phase() const { return each_phase_; }
  std::vector<double>& all_phases() { return all_phases_; }
  const std::vector<double>& all_phases() const { return all_phases_; }
  std::vector<double>& at_times() { return at_times_; }
  const std::vector<double>& at_times() const { return at_times_; }
  const std::vector<double>& parameters() const { return parameters_; }

  // Marks systems that cannot begin: initial state, derivative, noise or length of the phase are not finite (or not
  // positive). Returns them.
  std::vector<long long> mark_bad_starts(const Formulation& formulation);
  // After an archive of a run with fewer phases was restored: systems that have done `phases` go on with further ones.
  void go_on_after(long long phases);
  // Whether the states were below their absolute tolerances at the start, so that nothing controlled their errors;
  // where they were all 0, whether they are there at the end. Not told of rk4.
  bool below_tolerances(long long system) const;
  // Whether the system's results are numbers: it has run to its end.
  bool valid(long long system) const;
  // All arrays in one struct; pointers stay valid as long as this object stays where it is.
  Ensemble view();

 private:
  bool is_below(long long system) const;
  bool is_zero(long long system) const;
  void step_chunk(const OdeBackend& backend, int chunk, Clock::time_point deadline, double& longest, bool& done);

  Ensemble base_;
  Index first_;
  long long systems_, rows_;
  int states_;
  std::vector<int> tolerance_;  // of rows that share them
  std::vector<double> parameters_, state_, each_phase_, all_phases_, at_times_, length_, times_;
  std::shared_ptr<const std::vector<double>> tables_;
  std::vector<long long> counters_;
  std::vector<char>
      begins_;             // by system: with states below their absolute tolerances (1), all of them 0 (2), neither (0)
  std::vector<int> open_;  // chunks with systems that are left
  long long budget_ = 64;  // trial steps of a call; follows the time that calls take
};

// The same formulation with two phases and nothing recorded.
Formulation without_records(const Formulation& formulation);
// Says that `count` systems cannot begin, for a list of `systems` to follow, one per line.
std::string bad_starts_text(Index count, const std::string& systems);
// "system 3: p = 2".
std::string values_of(const Formulation& formulation, Index system);

}  // namespace halocline::ode_ensemble
