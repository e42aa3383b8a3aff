// The separable operator that is fitted to general coefficients, section 8b of the method: with q = ln(a / c) and its
// means along either axis, a ~ r px(x) and c ~ r py(y) for a row scale r = sqrt(a c / (px py)), and eta ~ r eta0. The
// other coefficients are left out.
#pragma once

#include <vector>

#include "lib/problems/collocation/discretization/equations.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline::collocation {

struct FittedTerms {
  std::vector<double> px, py;  // at the Gauss points of an axis
  double eta0 = 0;
  std::vector<std::vector<double>>
      inverse_scale;  // 1 / r of every part of this rank, nodal_layout.hpp; 0 where no equation is
};

// `equations`: of every part of this rank. Sums are taken strip by strip (strip_length(), at whose multiples parts
// begin), so that no partition changes them. `threads` of the host at work. Collective.
FittedTerms fit_terms(const Communicator& comm, const Team& team,
                      const std::vector<const Equations<double>*>& equations, int threads);

}  // namespace halocline::collocation
