// Conjugate gradients with their scalars on the device, as in lib/krylov/device/bicgstab_kernels.hpp. The host's twin
// is ConjugateGradients::take_step(). An iteration is a product and an update.
#pragma once

#include <cmath>

#include "lib/krylov/device/scalar_kernels.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"

namespace halocline::krylov_kernels {

// (r, w), (r, r) before the update; (r, r) after it
struct CgSums {
  double uw = 0, ru = 0, rr = 0;
};

struct CgState {
  Progress progress;
  double last_alpha = 0, last_ru = 0;  // as in ConjugateGradients
  double of_w[2] = {};                 // what the product leaves: (r, w), (r, r)

  HALOCLINE_HD double beta() const { return last_ru > 0 ? of_w[1] / last_ru : 0; }
  HALOCLINE_HD double ps() const { return last_ru > 0 ? of_w[0] - beta() * of_w[1] / last_alpha : of_w[0]; }
  HALOCLINE_HD double alpha() const { return of_w[1] / ps(); }
  HALOCLINE_HD bool goes_to_end() const {
    const bool regular = finite(of_w[0]) && finite(of_w[1]) && of_w[0] > 0 && of_w[1] > 0;
    return progress.stopped == 0 && regular && ps() > 0 && finite(alpha());
  }
  // To the scalars of the next iteration; false: the host is to look at this one.
  HALOCLINE_HD bool advance(double rr) {
    if (!goes_to_end() || progress.limits.end(sqrt(rr))) return false;
    last_alpha = alpha();
    last_ru = of_w[1];
    return true;
  }
};

// p = r + beta p, s = w + beta s, x += alpha p, r -= alpha s; (r, r)
template <class T>
struct CgStep {
  const CgState* state;
  vector_kernels::CgUpdateBody<T> body;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    if (!state->goes_to_end()) return;
    vector_kernels::CgUpdateBody<T> own = body;
    own.alpha = static_cast<T>(state->alpha());
    own.beta = static_cast<T>(state->beta());
    own.template operator()<P>(group, piece, lane, sink);
  }
};

// What follows from the sum of CgStep.
struct EndCgStep {
  CgState* state;
  Notes<CgSums>* notes;  // in pinned memory
  HALOCLINE_HD void operator()(const double* rr) const {
    CgState& s = *state;
    const CgSums sums{s.of_w[0], s.of_w[1], rr[0]};
    const bool goes_on = s.progress.stopped == 0 && s.advance(rr[0]);
    notes->leave(s.progress, sums, goes_on);
  }
};

}  // namespace halocline::krylov_kernels
