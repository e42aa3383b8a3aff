#include "lib/problems/fractional/split/error_bound.hpp"

#include <algorithm>

namespace halocline::fractional {

template <class T>
double bound_of_error(const StepSystem& system, SweepStep<T>& sweeps, const PartValues& right, const PartValues& w,
                      const PartValuesOf<T>& work, double enough) {
  system.exchange(w);
  system.residual(right, w, work);
  double least = system.error_bound(work);
  for (int axis = 0; axis < 3 && least > enough; ++axis) {
    if (axis > 0) system.residual(right, w, work);
    sweeps.invert_along(axis, work);
    least = std::min(least, system.largest(work));
  }
  return least;
}

template double bound_of_error(const StepSystem&, SweepStep<double>&, const PartValues&, const PartValues&,
                               const PartValuesOf<double>&, double);
template double bound_of_error(const StepSystem&, SweepStep<float>&, const PartValues&, const PartValues&,
                               const PartValuesOf<float>&, double);

}  // namespace halocline::fractional
