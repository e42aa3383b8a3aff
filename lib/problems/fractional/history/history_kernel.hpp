// HistoryKernel: the kernels of all media and levels as sums of exponentials with one set of rates.
#pragma once

#include <optional>
#include <vector>

#include "lib/problems/fractional/history/common_exponents.hpp"
#include "lib/problems/fractional/weights/weights.hpp"

namespace halocline::fractional {

// The shortest distance from a target to a cell that exponentials serve, over levels beyond the first `block`:
// Delta_l for L1, (1 - theta) Delta_l + Delta_{l-1} for Alikhanov. 0 when there is no such level.
double shortest_distance(const Weights& weights, int block);

class HistoryKernel {
 public:
  // The weights must outlive it. `longest`: psi of the horizon, at least that of the last level. Not for Scheme::l1_t.
  // Without any order below 1, or with steps() <= block, there are no terms.
  HistoryKernel(const Weights& weights, int block, double longest, double eps);
  HistoryKernel(Weights&& weights, int block, double longest, double eps) = delete;

  int terms() const { return static_cast<int>(rates_.size()); }
  const std::vector<double>& rates() const { return rates_; }
  // One medium of constant orders: weights are the same at all levels, and positive.
  bool constant() const { return !common_; }
  // Of level l and a medium.
  std::vector<double> weights(Index l, int medium) const;
  // The largest relative error met on 4000 points, over all media, and over 9 orders where orders vary in time.
  double error() const { return error_; }
  double shortest() const { return range_.shortest; }
  double longest() const { return range_.longest; }

 private:
  const Weights* of_;
  KernelRange range_;
  std::vector<double> rates_;
  std::vector<std::vector<double>> media_weights_;
  std::optional<CommonExponents> common_;
  double error_ = 0;
};

}  // namespace halocline::fractional
