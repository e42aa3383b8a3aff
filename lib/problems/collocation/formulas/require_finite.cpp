#include "lib/problems/collocation/formulas/require_finite.hpp"

#include <cmath>

#include "lib/base/format.hpp"

namespace halocline::collocation {

void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad) {
  const std::vector<double> x = comm.gather(bad ? bad->x : std::nan("")), y = comm.gather(bad ? bad->y : std::nan(""));
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    if (std::isnan(x[rank])) continue;
    throw DeckError(formatted("{}: collocation.equation.f: is not finite at x = {:.6g}, y = {:.6g}",
                              to_string(problem.f_place), x[rank], y[rank]));
  }
}

}  // namespace halocline::collocation
