// Fourier: tables of a discrete Fourier transform of any length in memory of an executor; see fourier_kernels.hpp.
#pragma once

#include "lib/base/array.hpp"
#include "lib/problems/collocation/direct/fourier_kernels.hpp"

namespace halocline::collocation {

class Fourier {
 public:
  // `length` from 1 to 2^28.
  Fourier(Index length, const ExecutorPtr& executor);
  const FourierView& view() const { return view_; }
  // Doubles that a field of eight lanes takes.
  Index work_size() const { return 2 * lanes * view_.size; }

 private:
  Array<double, 1> roots_, chirp_, kernel_;
  Array<LocalIndex, 1> place_;
  FourierView view_{};
};

}  // namespace halocline::collocation
