// Solution: the four Hermite unknowns at the nodes of a rank's lines, its errors and its residual, computed where they
// lie.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/problems/collocation/formulas/solution_part.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

struct Errors {
  std::array<double, 4> max{}, rms{};  // of u, u_x, u_y, u_xy at the nodes
};

struct Residual {
  double relative_max = 0;  // max |L u - f| / max |f| over the Gauss points (max |L u - f| when f = 0)
  // Euclidean norm of the equations combined as in the Schur method and multiplied by hx hy: the figure published for
  // uniform meshes.
  double scaled_norm = 0;
};

class Solution {
 public:
  // What the solver has, with the part that the sides give. Collective. `problem` outlives the solution.
  Solution(const Context& context, const Formulation& problem, Solver& solver,
           FormulaPath path = FormulaPath::of_executor);

  // Lines that a part of this rank owns.
  Range<1> lines(int part) const { return {{parts_[part].block().first_line}, {parts_[part].block().end_line}}; }
  // Physical values of field 0 .. 3 (u, u_x, u_y, u_xy) of a part's own lines, [line][j], in memory of its executor.
  Array<double, 1> field(int part, int which) const { return parts_[part].field(which); }
  // Values of field 0 .. 3 at points (x, y) of the domain, from the bicubic function of the element they lie in; the
  // same on every rank. Collective.
  std::vector<double> at_points(const Communicator& comm, std::span<const std::array<double, 3>> points,
                                int which) const;
  // Collective.
  Errors errors(const Communicator& comm) const;
  Residual residual(const Communicator& comm) const;

 private:
  void exchange_lines(const Context& context);

  const Formulation& problem_;
  std::vector<SolutionPart> parts_;
};

}  // namespace halocline::collocation
