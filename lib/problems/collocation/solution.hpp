// Solution: the four Hermite unknowns at the nodes of a rank's lines, its errors and its residual, on the host.
#pragma once

#include <array>
#include <vector>

#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/schur.hpp"
#include "mpi/communicator.hpp"

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
  // From black lines x and the red lines that `schur` recovered from them, both times `scale`.
  Solution(const Formulation& problem, const SchurOperator& schur, const Team& team, const Vector& x, double scale);

  // Physical values of field 0 .. 3 (u, u_x, u_y, u_xy) of a part's own lines, [line][j].
  std::vector<double> field(int part, int which) const;
  // Collective.
  Errors errors(const Communicator& comm, int threads) const;
  Residual residual(const Communicator& comm, int threads) const;

 private:
  void unpack_line(const LineBlock& block, Index line, const std::vector<double>& values, Index offset,
                   std::vector<double>& nodes) const;

  const Formulation& problem_;
  double scale_;
  std::vector<LineBlock> blocks_;
  std::vector<std::vector<double>> nodes_;  // per part, [line][j][4]; the line after the last one is included, if any
};

}  // namespace halocline::collocation
