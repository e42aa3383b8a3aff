#include "lib/problems/fractional/history/blocks.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::fractional {

namespace {

// (1/width) int e^{-rate u} du over a cell, z = rate width.
double flat_moment(double z) { return z == 0 ? 1 : -std::expm1(-z) / z; }

// (1/width^2) int (width/2 - u) e^{-rate u} du over a cell: [(z/2)(1 + e^-z) + expm1(-z)]/z^2. The terms of its series
// have one sign once e^{-z/2} is taken out.
double bent_moment(double z) {
  if (z >= 1) return (0.5 * z * (1 + std::exp(-z)) + std::expm1(-z)) / (z * z);
  const double quarter = 0.25 * z * z;
  double power = z / 24, sum = 0;  // z (z/2)^{2k-2} / (4 (2k+1)!)
  for (int k = 1; k <= 9; ++k) {
    sum += 2 * k * power;
    power *= quarter / ((2 * k + 2) * (2 * k + 3));
  }
  return std::exp(-0.5 * z) * sum;
}

// Fills the tables of one flush. States are sums over the cells up to level `reference_`, seen from there.
class Flush {
 public:
  Flush(const Weights& weights, const HistoryKernel& kernel, Index start, int slots)
      : weights_(weights),
        levels_(weights.levels()),
        kernel_(kernel),
        start_(start),
        slots_(slots),
        reference_(weights.alikhanov() ? start - 1 : start) {}

  FarTables tables() const {
    const auto terms = static_cast<std::size_t>(kernel_.terms()), slots = static_cast<std::size_t>(slots_);
    FarTables tables{slots_,
                     weights_.media(),
                     kernel_.terms(),
                     std::vector<double>(terms),
                     std::vector<double>(terms),
                     std::vector<double>(terms * slots),
                     {}};
    const std::vector<double> scales = state_scales();
    for (std::size_t k = 0; k < terms; ++k) {
      const double rate = kernel_.rates()[k];
      tables.decay[k] = decay(rate);
      double* into = tables.into.data() + k * slots;
      if (weights_.alikhanov())
        add_bent_cells(rate, scales[k], tables.from_first[k], into);
      else
        for (int j = 1; j <= slots_; ++j) into[j - 1] = cell(rate, scales[k], start_ - slots_ + j);
    }
    for (int medium = 0; medium < weights_.media(); ++medium) append_out(medium, tables.out);
    return tables;
  }

 private:
  // From the reference of states kept at `start` to the target of level l.
  double ahead(Index start, Index l, int medium) const {
    return levels_.reach(reference_ + start - start_, l, weights_.theta(l, medium));
  }

  std::vector<double> state_scales() const {
    if (!kernel_.constant()) return std::vector<double>(kernel_.rates().size(), 1.0);
    std::vector<double> scales = kernel_.weights(start_ + 1, 0);
    for (std::size_t k = 0; k < scales.size(); ++k)
      scales[k] *= std::exp(-kernel_.rates()[k] * ahead(start_, start_ + 1, 0));
    return scales;
  }

  double decay(double rate) const {
    const Index before = start_ - slots_;
    if (before == 0) return 0;  // the first flush finds no states
    double distance = levels_.span(reference_ - slots_, reference_);
    if (kernel_.constant()) distance += ahead(start_, start_ + 1, 0) - ahead(before, before + 1, 0);
    return std::exp(-rate * distance);
  }

  double cell(double rate, double scale, Index m) const {
    return scale * std::exp(-rate * levels_.span(m, reference_)) * flat_moment(rate * levels_.step(m));
  }

  // Cells start - slots .. start - 1, each of which needs its own increment and the next.
  void add_bent_cells(double rate, double scale, double& from_first, double* into) const {
    const Index before = start_ - slots_;
    for (Index m = std::max<Index>(before, 1); m < start_; ++m) {
      const double width = levels_.step(m), next = levels_.step(m + 1);
      const double bent = scale * std::exp(-rate * levels_.span(m, reference_)) * 2 * width / (width + next) *
                          bent_moment(rate * width);
      (m == before ? from_first : into[m - before - 1]) += cell(rate, scale, m) - bent;
      into[m - before] += width / next * bent;
    }
  }

  void append_out(int medium, std::vector<double>& out) const {
    const auto terms = static_cast<std::size_t>(kernel_.terms()), slots = static_cast<std::size_t>(slots_);
    const std::size_t begin = out.size();
    out.resize(begin + terms * slots, 0.0);
    const Index last = std::min<Index>(start_ + slots_, levels_.steps());
    for (Index l = start_ + 1; l <= last; ++l) {
      const double from = kernel_.constant() ? ahead(start_, start_ + 1, medium) : 0;
      const double distance = ahead(start_, l, medium) - from;
      const std::vector<double> weights =
          kernel_.constant() ? std::vector<double>(terms, 1.0) : kernel_.weights(l, medium);
      for (std::size_t k = 0; k < terms; ++k)
        out[begin + k * slots + static_cast<std::size_t>(l - start_ - 1)] =
            weights[k] * std::exp(-kernel_.rates()[k] * distance);
    }
  }

  const Weights& weights_;
  const Levels& levels_;
  const HistoryKernel& kernel_;
  Index start_;
  int slots_;
  Index reference_;
};

void require_block(Index start, int slots) {
  require(slots >= 1 && slots <= 64 && start >= 0 && start % slots == 0, "blocks begin at multiples of 1 to 64 slots");
}

}  // namespace

NearTables near_tables(const Weights& weights, Index start, int slots) {
  require_block(start, slots);
  const auto count = static_cast<std::size_t>(slots), media = static_cast<std::size_t>(weights.media());
  NearTables tables{slots, weights.media(), std::vector<double>(media * count * count),
                    std::vector<double>(media * count), std::vector<double>(media * count)};
  const auto last = static_cast<std::size_t>(std::min<Index>(slots, weights.levels().steps() - start));
  for (std::size_t medium = 0; medium < media; ++medium)
    for (std::size_t t = 0; t < last; ++t) {
      const Index l = start + 1 + static_cast<Index>(t);
      const auto number = static_cast<int>(medium);
      const std::size_t row = medium * count + t;
      weights.row(l, number, start + 1, {tables.near.data() + row * count, t + 1});
      tables.theta[row] = weights.theta(l, number);
      if (weights.alikhanov() && start > 0) tables.first[row] = weights.own_cell(l, number, start);
    }
  return tables;
}

FarTables far_tables(const Weights& weights, const HistoryKernel& kernel, Index start, int slots) {
  require_block(start, slots);
  require(start > 0 && start < weights.levels().steps(), "far_tables: a block with a history and a level");
  return Flush(weights, kernel, start, slots).tables();
}

bool repeats(const Weights& weights, Index start, int slots) {
  require_block(start, slots);
  // The block before has a flush of its own, whose cells, with the one before them, have equal steps, too.
  const Index from = start - 2 * slots - 2;
  return from >= weights.levels().equal_from() && from >= 0 && start + slots <= weights.levels().steps() &&
         !weights.variable_order() && weights.derivative().scheme != Scheme::l1_t;
}

std::vector<double> direct_far(const Weights& weights, Index start, int slots, Index from, Index count) {
  require_block(start, slots);
  require(from >= 1 && count >= 0 && from + count - 1 <= start, "direct_far: increments before the block");
  const auto rows = static_cast<std::size_t>(count), columns = static_cast<std::size_t>(slots);
  std::vector<double> tables(static_cast<std::size_t>(weights.media()) * rows * columns, 0.0), row(rows);
  const Index last = std::min<Index>(start + slots, weights.levels().steps());
  for (int medium = 0; medium < weights.media(); ++medium)
    for (Index l = start + 1; l <= last; ++l) {
      weights.row(l, medium, from, row);
      double* column = tables.data() + static_cast<std::size_t>(medium) * rows * columns + (l - start - 1);
      for (std::size_t m = 0; m < rows; ++m) column[m * columns] = row[m];
    }
  return tables;
}

}  // namespace halocline::fractional
