// NewtonSystem: the residual of an equation that is not linear in u, and its linearization, on the parts of this rank.
#pragma once

#include <vector>

#include "lib/problems/collocation/newton/state_part.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"

namespace halocline::collocation {

// Everything is collective. Solutions are vectors of unknowns without what the sides give.
class NewtonSystem {
 public:
  // `space`: of vectors of these blocks. `context` and `problem` outlive it.
  NewtonSystem(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
               const VectorSpacePtr& space);

  // The linearized equations as linearize() has set them; at first those of the formulation.
  const NodalSystem& linear() const { return linear_; }

  // minus = -E at v, zero where no equation is.
  void residual(const Vector<double>& v, Vector<double>& minus);
  // At the v of the last residual.
  void linearize();
  // Norm of the whole unknowns there, with what the sides give.
  double size() const { return norm(u_); }
  // max |E| / max |f + source| over the Gauss points, for the v of the last residual; max |E| where that is 0.
  double relative_residual(const Vector<double>& minus);
  Traffic sent() const { return linear_.product->sent() + halo_.sent(); }

 private:
  const Context& context_;
  const Formulation& problem_;
  NodalSystem linear_;
  NodalSpace lines_;
  Vector<double> u_;
  VectorHalo<double> halo_;
  std::vector<StatePart> parts_;
};

}  // namespace halocline::collocation
