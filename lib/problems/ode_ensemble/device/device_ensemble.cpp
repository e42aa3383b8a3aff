#include "lib/problems/ode_ensemble/device/device_ensemble.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace halocline::ode_ensemble {

namespace {

std::size_t bytes_of(Index count, std::size_t size) { return static_cast<std::size_t>(count) * size; }

}  // namespace

template <class T>
Array<T, 1> DeviceEnsemble::copy_of(const T* values, long long count) const {
  Array<T, 1> array(executor_, {std::max<Index>(count, 1)});
  if (count > 0) executor_->copy_in(array.view().data, values, bytes_of(count, sizeof(T)));
  return array;
}

template <class T>
void DeviceEnsemble::fetch(T* to, const Array<T, 1>& from) const {
  if (to != nullptr) executor_->copy_out(to, from.view().data, bytes_of(from.size(), sizeof(T)));
}

DeviceEnsemble::DeviceEnsemble(ExecutorPtr executor, const Ensemble& host, long long rows, int parameters,
                               bool shuffled)
    : executor_(std::move(executor)),
      shuffled_(shuffled),
      host_(host),
      device_(host),
      parameters_(copy_of(host.parameters, host.systems * parameters)),
      state_(copy_of(host.state, host.systems * rows)),
      each_phase_(copy_of(host.each_phase, host.systems * host.record * host.each_phase_records)),
      all_phases_(copy_of(host.all_phases, host.systems * host.all_phases_records)),
      at_times_(copy_of(host.at_times, host.systems * host.time_count * host.time_records)),
      length_(copy_of(host.length, host.length_per_system != 0 ? host.systems : 1)),
      times_(copy_of(host.times, host.time_count)),
      tables_(copy_of(host.tables, host.table_numbers)),
      counters_(copy_of(host.counters, host.systems * Counter::rows)),
      device_list_(executor_, {std::max<Index>(host.systems, 1)}) {
  device_.parameters = parameters_.view().data;
  device_.state = state_.view().data;
  device_.each_phase = each_phase_.view().data;
  device_.all_phases = all_phases_.view().data;
  device_.at_times = at_times_.view().data;
  device_.length = length_.view().data;
  device_.times = times_.view().data;
  device_.tables = tables_.view().data;
  device_.counters = counters_.view().data;
  find_left();
}

long long DeviceEnsemble::advance(const DeviceModel& model, double seconds) {
  if (list_.empty()) return 0;
  device_.count = left();
  device_.budget = budget_.steps();
  const bool all = launches_ == 0 && device_.count == device_.systems;
  device_.list = all ? nullptr : device_list_.view().data;
  if (!all) executor_->copy_in(device_list_.view().data, list_.data(), bytes_of(device_.count, sizeof(int)));
  const auto begin = std::chrono::steady_clock::now();
  model.launch(*executor_, device_);
  executor_->wait(executor_->record(Queue::compute));
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  launch_seconds_ += took;
  budget_.note(budget_.steps(), took, seconds);
  ++launches_;
  find_left();
  // The second and third launches tell more than the first, whose systems may not have ended a phase.
  if (shuffled_ && launches_ <= 3 && left() > 0) sort_by_cost();
  return left();
}

std::vector<long long> DeviceEnsemble::fetch_counter(int row) const {
  std::vector<long long> values(static_cast<std::size_t>(host_.systems));
  executor_->copy_out(values.data(), counters_.view().data + row * host_.systems,
                      bytes_of(host_.systems, sizeof(long long)));
  return values;
}

// In the order of the list; at first in that of the sweep.
void DeviceEnsemble::find_left() {
  if (host_.systems == 0) return;
  const std::vector<long long> course = fetch_counter(Counter::course);
  if (launches_ == 0) {
    list_.resize(course.size());
    std::iota(list_.begin(), list_.end(), 0);
  }
  std::erase_if(list_, [&course](int system) {
    return course[static_cast<std::size_t>(system)] == static_cast<long long>(Course::done);
  });
}

void DeviceEnsemble::sort_by_cost() { order_by_cost(list_, fetch_counter(Counter::phase)); }

void DeviceEnsemble::download() const {
  if (host_.systems == 0) return;
  fetch(host_.state, state_);
  fetch(host_.counters, counters_);
  if (host_.each_phase_records > 0) fetch(host_.each_phase, each_phase_);
  if (host_.all_phases_records > 0) fetch(host_.all_phases, all_phases_);
  if (host_.time_records > 0) fetch(host_.at_times, at_times_);
}

void DeviceEnsemble::upload() {
  if (host_.systems == 0) return;
  const auto send = [this](auto* to, const auto* from, Index count) {
    executor_->copy_in(to, from, bytes_of(count, sizeof(*from)));
  };
  send(device_.state, host_.state, state_.size());
  send(device_.counters, host_.counters, counters_.size());
  if (host_.each_phase_records > 0) send(device_.each_phase, host_.each_phase, each_phase_.size());
  if (host_.all_phases_records > 0) send(device_.all_phases, host_.all_phases, all_phases_.size());
  if (host_.time_records > 0) send(device_.at_times, host_.at_times, at_times_.size());
  launches_ = 0;
  find_left();
}

void order_by_cost(std::vector<int>& list, const std::vector<long long>& phases) {
  std::stable_sort(list.begin(), list.end(), [&phases](int a, int b) {
    return phases[static_cast<std::size_t>(a)] < phases[static_cast<std::size_t>(b)];
  });
}

}  // namespace halocline::ode_ensemble
