#include "lib/problems/fractional/history/history_kernel.hpp"

#include <algorithm>

namespace halocline::fractional {

namespace {

struct Orders {
  double smallest = 1, largest = 0;
};

// Of all terms with a history.
Orders orders_below_one(const Weights& weights) {
  Orders orders;
  const Index levels = weights.variable_order() ? weights.levels().steps() : 1;
  for (Index l = 1; l <= levels; ++l)
    for (int medium = 0; medium < weights.media(); ++medium)
      for (const Term& term : weights.terms(l, medium))
        if (term.order < 1) {
          orders.smallest = std::min(orders.smallest, term.order);
          orders.largest = std::max(orders.largest, term.order);
        }
  return orders;
}

}  // namespace

double shortest_distance(const Weights& weights, int block) {
  const Levels& levels = weights.levels();
  double shortest = 0;
  for (Index l = block + 1; l <= levels.steps(); ++l)
    for (int medium = 0; medium < weights.media(); ++medium) {
      const double before = weights.alikhanov() ? levels.step(l - 1) : 0;
      const double distance = (1 - weights.theta(l, medium)) * levels.step(l) + before;
      shortest = shortest == 0 ? distance : std::min(shortest, distance);
    }
  return shortest;
}

HistoryKernel::HistoryKernel(const Weights& weights, int block, double longest, double eps)
    : of_(&weights), range_{shortest_distance(weights, block), longest, eps} {
  require(weights.derivative().scheme != Scheme::l1_t, "HistoryKernel: l1_t has a kernel of t");
  const Orders orders = orders_below_one(weights);
  if (range_.shortest == 0 || orders.largest == 0) return;
  if (weights.media() == 1 && !weights.variable_order()) {
    const Medium& medium = weights.terms(1, 0);
    const ExponentialSum sum = exponential_sum(medium, range_);
    rates_ = sum.rates;
    media_weights_ = {sum.weights};
    error_ = measured_error(sum, medium, range_);
    return;
  }
  common_.emplace(orders.smallest, orders.largest, range_);
  rates_ = common_->rates();
  std::vector<Medium> media = weights.derivative().media;
  if (weights.variable_order()) {
    constexpr int count = 9;
    media.clear();
    for (int i = 0; i < count; ++i)
      media.push_back({{orders.smallest + (orders.largest - orders.smallest) * i / (count - 1), 1.0}});
  }
  for (const Medium& medium : media) {
    media_weights_.push_back(common_->weights(medium));
    if (kernel(medium, longest) > 0)
      error_ = std::max(error_, measured_error({rates_, media_weights_.back()}, medium, range_));
  }
}

std::vector<double> HistoryKernel::weights(Index l, int medium) const {
  if (rates_.empty()) return {};
  if (of_->variable_order()) return common_->weights(of_->terms(l, medium));
  return media_weights_[static_cast<std::size_t>(medium)];
}

}  // namespace halocline::fractional
