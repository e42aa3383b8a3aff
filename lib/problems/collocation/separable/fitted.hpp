// FittedInverse: the inverse of the separable operator that is fitted to the equations (fitted_terms.hpp).
#pragma once

#include "lib/problems/collocation/direct/modes.hpp"
#include "lib/problems/collocation/separable/fitted_terms.hpp"

namespace halocline::collocation {

// x = S^-1 (f / r), S = px u_xx + py u_yy + eta0 u.
class FittedInverse final : public Operator<double> {
 public:
  // Blocks of the equations begin at multiples of strip_length(); `threads` of the host at work. Collective.
  FittedInverse(VectorSpacePtr space, const Axis& x, const Axis& y,
                const std::vector<const Equations<double>*>& equations, int threads);
  void apply(const Vector<double>& f, Vector<double>& x) const override;
  Traffic sent() const { return separable_->sent(); }

 private:
  VectorSpacePtr space_;
  std::vector<Array<double, 1>> inverse_scale_;
  mutable Vector<double> scaled_;
  std::unique_ptr<SeparableInverse> separable_;
};

}  // namespace halocline::collocation
