// Launches passes of stage_kernels.hpp; for sources of halocline_kernels().
#pragma once

#include "lib/problems/diffusion/stabilized/rate_operator.hpp"
#include "lib/problems/diffusion/steppers/launch_cells.hpp"

namespace halocline::diffusion {

/// `arrays`: values of a cell that the rate alone reads.
template <class Rate>
void launch_rates(const Executor& executor, const ConvolveBlock<double>& b, const SlabBox& cells, const Rate& rate,
                  const StageUse& use, int arrays) {
  const Label label{"stage", bytes_of_box(b, cells, arrays + arrays_of(use))};
  std::visit(
      [&]<class Use>(const Use& u) {
        launch_cells(executor, label, b, cells, RatePass<Rate, Use>{rate, u});
      },
      use);
}

}  // namespace halocline::diffusion
