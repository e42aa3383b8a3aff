// The history of one number, summed as BlockTables say; what engines do for every node.
#pragma once

#include <vector>

#include "lib/problems/fractional/history/blocks.hpp"

namespace halocline::fractional {

class ScalarHistory {
 public:
  // Without a kernel all increments are stored, and far values are their sums.
  ScalarHistory(const Weights& weights, const HistoryKernel* kernel, int slots, int medium)
      : weights_(weights),
        kernel_(kernel),
        slots_(slots),
        medium_(medium),
        slot_(static_cast<std::size_t>(slots), 0.0),
        states_(kernel ? static_cast<std::size_t>(kernel->terms()) : 0, 0.0) {}

  // H^l; l = 1, 2, 3, ... in turn, each followed by push().
  double sum(Index l) {
    const auto t = static_cast<std::size_t>((l - 1) % slots_),
               own = t - t % static_cast<std::size_t>(sub_block(slots_));
    if (t == 0) start_block(l - 1);
    if (t == own && t > 0) near_pass(t);
    double value = slot_[t];
    if (own == 0) value += near_.first[row(t)] * first_;
    for (std::size_t i = own; i < t; ++i) value += near(t, i) * slot_[i];
    return value;
  }
  double local(Index l) const {
    const auto t = static_cast<std::size_t>((l - 1) % slots_);
    return near(t, t);
  }
  void push(Index l, double increment) {
    slot_[static_cast<std::size_t>((l - 1) % slots_)] = increment;
    if (kernel_ == nullptr) all_.push_back(increment);
  }

 private:
  std::size_t row(std::size_t t) const { return static_cast<std::size_t>(medium_ * slots_) + t; }
  double near(std::size_t t, std::size_t i) const { return near_.near[row(t) * slot_.size() + i]; }

  void start_block(Index start) {
    if (!repeats(weights_, start, slots_)) {
      near_ = near_tables(weights_, start, slots_);
      if (kernel_ != nullptr && start > 0) far_ = far_tables(weights_, *kernel_, start, slots_);
    }
    if (start == 0) return;
    if (kernel_ != nullptr)
      flush();
    else
      sum_all(start);
  }

  void flush() {
    const std::size_t slots = slot_.size(), out = static_cast<std::size_t>(medium_) * states_.size() * slots;
    std::vector<double> far(slots, 0.0);
    for (std::size_t k = 0; k < states_.size(); ++k) {
      double state = far_.decay[k] * states_[k] + far_.from_first[k] * first_;
      for (std::size_t j = 0; j < slots; ++j) state += far_.into[k * slots + j] * slot_[j];
      for (std::size_t j = 0; j < slots; ++j) far[j] += far_.out[out + k * slots + j] * state;
      states_[k] = state;
    }
    first_ = slot_.back();
    slot_ = far;
  }

  void sum_all(Index start) {
    const std::vector<double> table = direct_far(weights_, start, slots_, 1, start);
    const std::size_t slots = slot_.size(), begin = static_cast<std::size_t>(medium_) * all_.size() * slots;
    for (std::size_t j = 0; j < slots; ++j) {
      slot_[j] = 0;
      for (std::size_t m = 0; m < all_.size(); ++m) slot_[j] += table[begin + m * slots + j] * all_[m];
    }
  }

  void near_pass(std::size_t begin) {
    for (std::size_t t = begin; t < begin + static_cast<std::size_t>(sub_block(slots_)); ++t) {
      slot_[t] += near_.first[row(t)] * first_;
      for (std::size_t i = 0; i < begin; ++i) slot_[t] += near(t, i) * slot_[i];
    }
  }

  const Weights& weights_;
  const HistoryKernel* kernel_;
  int slots_, medium_;
  NearTables near_;
  FarTables far_;
  std::vector<double> slot_, states_, all_;
  double first_ = 0;  // stays 0 without a kernel
};

}  // namespace halocline::fractional
