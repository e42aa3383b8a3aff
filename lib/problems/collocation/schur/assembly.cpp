#include "lib/problems/collocation/schur/assembly.hpp"

#include <omp.h>

#include <algorithm>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/gauss_kernels.hpp"

namespace halocline::collocation {

namespace {

// Values at Gauss column g of equations in the layout of nodal_layout.hpp.
void column(const NodalBlock& block, const double* equations, Index g, std::vector<double>& values) {
  for (Index k = 0; k < 2 * block.ny; ++k) {
    const GaussEquation at(block, g, k);
    values[k] = equations[(at.line - block.first_line) * block.line_size() + at.place];
  }
}

// Stores (right + left)/2 and (right - left)/2 of a line at `offset`; `mirrored`: those of its mirror image.
void place(const LineBlock& block, const std::vector<double>& right, const std::vector<double>& left, bool mirrored,
           Index offset, std::vector<double>& target) {
  const double sign = mirrored ? -1 : 1;
  for (Index k = 0; k < block.rows; ++k) {
    const Index at = offset + 2 * block.stored(k) * lanes;
    target[at] = sign * (right[k] + left[k]) / 2;
    target[at + lanes] = (right[k] - left[k]) / 2;
  }
}

// Puts the line's equations wherever the layout wants them: at its own place, behind the strip to its left, and, if
// it is the mirror image of the red line beyond the mesh, behind the last strip.
void distribute(const LineBlock& block, Index line, const std::vector<double>& right, const std::vector<double>& left,
                PartRightHandSide& b) {
  const Index size = block.group_size();
  const bool red = line % 2 == 0;
  if (line < block.end_line)
    place(block, right, left, false, block.offset((line - block.first_line) / 2), red ? b.red : b.black);
  if (!red) return;
  for (Index lane = 0; lane < lanes; ++lane) {
    const Index behind = block.first_line + 2 * (block.start(lane) + block.length(lane));
    if (block.length(lane) == 0) continue;
    const bool mirrored = behind > block.last_line && 2 * block.last_line - behind == line;
    if (behind == line || mirrored) place(block, right, left, mirrored, block.length(lane) * size + lane, b.red);
  }
}

}  // namespace

PartRightHandSide assemble(const ExecutorPtr& executor, const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad) {
  PartRightHandSide b;
  b.red.assign(static_cast<std::size_t>((block.groups() + 1) * block.group_size()), 0);
  b.black.assign(static_cast<std::size_t>(block.groups() * block.group_size()), 0);
  const Index last = std::min(block.end_line, block.last_line);  // with the red line that the next part owns
  const NodalBlock needed{block.first_line, last + 1, problem.x.elements(), problem.y.elements()};
  Array<double, 1> equations(executor, {needed.size()});
  right_hand_side(executor, problem, needed, threads, equations.view().data, bad);
  const bool here = executor->backend() == Backend::omp;
  const std::vector<double> copy = here ? std::vector<double>{} : equations.to_host();
  const double* const values = here ? equations.view().data : copy.data();
#pragma omp parallel num_threads(threads)
  {
    std::vector<double> right(static_cast<std::size_t>(block.rows)), left(right);
#pragma omp for schedule(dynamic, 4)
    for (Index line = block.first_line; line <= last; ++line) {
      if (line < block.last_line) column(needed, values, 2 * line, right);
      if (line > 0) column(needed, values, 2 * line - 1, left);
      if (line == 0 || line == block.last_line) {  // mirror image: f is odd about a side
        std::vector<double>& missing = line == 0 ? left : right;
        missing = line == 0 ? right : left;
        for (double& value : missing) value = -value;
      }
      distribute(block, line, right, left, b);
    }
  }
  return b;
}

}  // namespace halocline::collocation
