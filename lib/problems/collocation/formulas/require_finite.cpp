#include "lib/problems/collocation/formulas/require_finite.hpp"

#include <array>

#include "lib/base/format.hpp"
#include "mpi/groups.hpp"

namespace halocline::collocation {

void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad) {
  const std::optional<int> rank = first_rank(comm, bad.has_value());
  if (!rank) return;
  std::array<double, 2> place{};
  if (bad) place = {bad->x, bad->y};
  comm.broadcast(place, *rank);
  throw DeckError(formatted("{}: collocation.equation.f: is not finite at x = {:.6g}, y = {:.6g}",
                            to_string(problem.f_place), place[0], place[1]));
}

}  // namespace halocline::collocation
