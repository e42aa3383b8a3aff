// DeviceEnsemble: the arrays of an Ensemble in the memory of one GPU, and the launches that advance them.
//
// A launch advances every system that is left by a bounded number of trial steps; then those that are done leave the
// list, whose order is kept, so that neighbors of the sweep share a warp. Memory traffic: the state of the systems
// left, once per launch in each direction; the list and one row of counters between launches.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/ode_ensemble/device_model.hpp"

namespace halocline {

class DeviceEnsemble {
 public:
  // Copies of the host's arrays; `rows` of the state, `parameters` swept names. `host` and its arrays stay the caller's
  // and must outlive this object.
  DeviceEnsemble(ExecutorPtr executor, const ode_ensemble::Ensemble& host, long long rows, int parameters);

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
  void find_left();

  ExecutorPtr executor_;
  ode_ensemble::Ensemble host_, device_;
  long long budget_ = 1000;
  double launch_seconds_ = 0;
  std::vector<int> list_;
  Array<double, 1> parameters_, state_, each_phase_, all_phases_, length_;
  Array<long long, 1> counters_;
  Array<int, 1> device_list_;
};

}  // namespace halocline
