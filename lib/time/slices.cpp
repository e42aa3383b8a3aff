#include "lib/time/slices.hpp"

#include <algorithm>
#include <array>

namespace halocline {

void SliceSize::note(Index done, double seconds, double wanted) {
  const double steps = wanted / std::max(seconds, 1e-6) * static_cast<double>(done);
  steps_ = std::max(least_, static_cast<Index>(std::min(steps, growth_ * static_cast<double>(steps_))));
}

Index Slices::steps() const { return std::max<Index>(1, size_.steps() / group_) * group_; }

void Slices::note(Index done, double seconds) {
  std::array<double, 1> slowest{seconds};
  comm_.max(slowest);
  seconds_ += slowest[0];
  done_ += done;
  if (done > 0) size_.note(done, slowest[0]);
}

}  // namespace halocline
