// Runs systems with a backend directly, without a deck: arrays of an Ensemble in host memory.
#pragma once

#include <functional>
#include <vector>

#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

struct OdeArrays {
  long long systems = 0, rows = 0;
  int states = 0;
  std::vector<double> parameters, state, each_phase, all_phases, length;
  std::vector<long long> counters;
  Ensemble ensemble;

  // `initial` holds the states of the systems, by rows; the rest of the state begins at 0.
  OdeArrays(long long count, long long state_rows, std::vector<double> swept, const std::vector<double>& initial,
            int state_count)
      : systems(count),
        rows(state_rows),
        states(state_count),
        parameters(std::move(swept)),
        state(static_cast<std::size_t>(count * state_rows), 0.0),
        length(1, 1.0),
        counters(static_cast<std::size_t>(count * Counter::rows), 0) {
    std::copy(initial.begin(), initial.end(), state.begin());
    ensemble.systems = ensemble.count = count;
    ensemble.budget = ensemble.most_steps = 1LL << 40;
    for (int i = 0; i < most_states; ++i) ensemble.rtol[i] = ensemble.atol[i] = 1e-10;
    ensemble.step = 1e-2;
  }
  // Sets the pointers; to be called before every use after a copy.
  const Ensemble& view() {
    ensemble.parameters = parameters.data();
    ensemble.state = state.data();
    ensemble.counters = counters.data();
    ensemble.length = length.data();
    each_phase.resize(static_cast<std::size_t>(systems * ensemble.record * ensemble.each_phase_records));
    all_phases.resize(static_cast<std::size_t>(systems * ensemble.all_phases_records));
    ensemble.each_phase = each_phase.data();
    ensemble.all_phases = all_phases.data();
    return ensemble;
  }
  double value(int row, long long system) const { return state[static_cast<std::size_t>(row * systems + system)]; }
  long long counter(int row, long long system) const {
    return counters[static_cast<std::size_t>(row * systems + system)];
  }
};

}  // namespace halocline::ode_ensemble
