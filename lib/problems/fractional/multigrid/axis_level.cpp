#include "lib/problems/fractional/multigrid/axis_level.hpp"

#include <algorithm>

namespace halocline::fractional {

AxisLevel::AxisLevel(const LevelPlan& plan, int axis, Index finest, End low)
    : rows_(plan.rows[axis]),
      coarse_(rows_),
      halved_(plan.halved[axis]),
      periodic_(low == End::periodic),
      low_(static_cast<std::size_t>(rows_), 1.0) {
  if (!halved_) return;
  coarse_ = halved_rows(rows_, periodic_);
  // In intervals of the finest grid.
  const auto place = [&](Index i) {
    const Index at = i << plan.halvings[axis];
    return static_cast<double>(std::min(at, periodic_ ? finest : finest - 1));
  };
  for (Index i = 1; i < rows_; i += 2) {
    const bool last = i == rows_ - 1 && !periodic_;
    const double before = place(i - 1), at = place(i), behind = place(i + 1);
    low_[static_cast<std::size_t>(i)] = !last ? (behind - at) / (behind - before) : rows_ == 2 ? 1 : 0;
  }
}

std::vector<double> AxisLevel::restriction() const {
  const auto size = static_cast<std::size_t>(coarse_);
  std::vector<double> weights(3 * size, 0);
  if (!halved_) {
    std::fill_n(weights.begin() + coarse_, coarse_, 1.0);
    return weights;
  }
  for (Index i = 0; i < rows_; ++i) {
    const double share = low_[static_cast<std::size_t>(i)];
    const Index before = i / 2, behind = before + 1 == coarse_ && periodic_ ? 0 : before + 1;
    weights[static_cast<std::size_t>((1 + i % 2) * coarse_ + before)] = share;
    if (share < 1) weights[static_cast<std::size_t>(behind)] = 1 - share;
  }
  return weights;
}

AxisEntries AxisLevel::coarser(const AxisEntries& fine) const {
  if (!halved_) return fine;
  const auto size = static_cast<std::size_t>(coarse_);
  AxisEntries made{std::vector<double>(size + 1, 0), std::vector<double>(size, 0), std::vector<double>(size, 0)};
  const std::vector<double> weights = restriction();
  for (Index I = 0; I < coarse_; ++I) {
    for (Index k = -1; k <= 1; ++k) {
      const double weight = weights[static_cast<std::size_t>((k + 1) * coarse_ + I)];
      if (weight == 0) continue;
      const auto i = static_cast<std::size_t>((2 * I + k + rows_) % rows_);
      made.share[static_cast<std::size_t>(I)] += weight * fine.share[i];
      made.rest[static_cast<std::size_t>(I)] += weight * fine.rest[i];
    }
    const Index end = periodic_ ? rows_ : rows_ - 1;  // its last interval ends at this node
    const auto first = static_cast<std::size_t>(2 * I + 1);
    if (2 * I >= end || coarse_ == 1) continue;
    const double edge = fine.edge[first];
    made.edge[static_cast<std::size_t>(I + 1)] =
        2 * I + 1 >= end ? edge : 0.5 * harmonic_mean(edge, fine.edge[first + 1]);
  }
  if (periodic_) made.edge[0] = made.edge[size];
  return made;
}

}  // namespace halocline::fractional
