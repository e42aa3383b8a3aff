// DeviceEnsemble: the arrays of an Ensemble in the memory of one GPU, and the launches that advance them.
//
// A launch advances every system that is left by a bounded number of trial steps; then those that are done leave the
// list, whose order is kept, so that neighbors share a warp. Memory traffic: the state of the systems
// left, once per launch in each direction; the list and one row of counters between launches.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/ode_ensemble/device/device_model.hpp"
#include "lib/time/slices.hpp"

namespace halocline::ode_ensemble {

class DeviceEnsemble {
 public:
  // Copies of the host's arrays; `rows` of the state, `parameters` swept names. `host` and its arrays stay the caller's
  // and must outlive this object. `shuffled`: neighbors of the sweep have nothing in common; after the first launches
  // systems are sorted by what their phases have cost, so that those of a warp end together.
  DeviceEnsemble(ExecutorPtr executor, const Ensemble& host, long long rows, int parameters, bool shuffled = false);

  // One launch of about `seconds` (the first ones are shorter, to learn the speed), and the wait for it. Returns the
  // number of systems left.
  long long advance(const DeviceModel& model, double seconds = 0.3);
  // Copies results, state and counters to the host's arrays.
  void download() const;
  // Copies state and counters from the host's arrays, after they were changed there; finds the systems left.
  void upload();

  double launch_seconds() const { return launch_seconds_; }  // of all launches so far
  long long left() const { return static_cast<long long>(list_.size()); }

 private:
  template <class T>
  Array<T, 1> copy_of(const T* values, long long count) const;
  template <class T>
  void fetch(T* to, const Array<T, 1>& from) const;
  std::vector<long long> fetch_counter(int row) const;
  void find_left();
  void sort_by_cost();

  ExecutorPtr executor_;
  bool shuffled_;
  int launches_ = 0;
  Ensemble host_, device_;
  SliceSize budget_{1000, 64, 8};  // trial steps of a launch
  double launch_seconds_ = 0;
  std::vector<int> list_;
  Array<double, 1> parameters_, state_, each_phase_, all_phases_, at_times_, length_, times_, tables_;
  Array<long long, 1> counters_;
  Array<int, 1> device_list_;
};

// Systems of `list` in the order of phases done after the same number of trial steps, most expensive first; those
// alike stay in their order. `phases` is indexed by system.
void order_by_cost(std::vector<int>& list, const std::vector<long long>& phases);

}  // namespace halocline::ode_ensemble
