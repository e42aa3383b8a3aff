#include "lib/problems/collocation/assembly.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lib/problems/collocation/column_operator.hpp"

namespace halocline::collocation {

namespace {

// The equations left and right of a line, f - L G at their Gauss points.
class LineEquations {
 public:
  explicit LineEquations(const Formulation& problem)
      : problem_(problem),
        operator_(problem),
        nodes_(static_cast<std::size_t>(4 * (problem.y.elements() + 1))),
        next_(nodes_),
        lifted_(static_cast<std::size_t>(problem.y.unknowns())) {}

  // Values at Gauss column g; returns false at the first value that is not finite and tells where.
  bool column(Index g, std::vector<double>& values, GaussPoint& bad) {
    const Axis& y = problem_.y;
    const double x = problem_.x.gauss()[g];
    values.resize(y.gauss().size());
    const std::span<double> results[1] = {values};
    evaluate_along_y(problem_.f, x, y.gauss(), results);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k])) {
        bad = {x, y.gauss()[k]};
        return false;
      }
    if (!problem_.boundary.homogeneous()) subtract_boundary(g, values);
    return true;
  }

 private:
  // G is nonzero on the sides only, so away from the x sides it reaches the first and the last element of a column.
  void subtract_boundary(Index g, std::vector<double>& values) {
    const Index e = g / 2, ny = problem_.y.elements();
    if (e == 0 || e == problem_.x.elements() - 1 || ny == 1) {
      subtract(g, 0, ny, values);
    } else {
      subtract(g, 0, 1, values);
      subtract(g, ny - 1, ny, values);
    }
  }

  // For the elements first .. end - 1 along y.
  void subtract(Index g, Index first, Index end, std::vector<double>& values) {
    fill(g / 2, first, end, nodes_);
    fill(g / 2 + 1, first, end, next_);
    operator_.apply(g, nodes_.data(), next_.data(), 2 * first, 2 * end, lifted_.data());
    for (Index k = 2 * first; k < 2 * end; ++k) values[k] -= lifted_[k];
  }

  void fill(Index i, Index first, Index last, std::vector<double>& nodes) const {
    for (Index j = first; j <= last; ++j)
      for (int x_slope = 0; x_slope < 2; ++x_slope)
        for (int y_slope = 0; y_slope < 2; ++y_slope)
          nodes[4 * j + x_slope + 2 * y_slope] = problem_.boundary.value(i, x_slope, j, y_slope);
  }

  const Formulation& problem_;
  ColumnOperator operator_;
  std::vector<double> nodes_, next_, lifted_;
};

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

PartRightHandSide assemble(const Formulation& problem, const LineBlock& block, int threads,
                           std::optional<GaussPoint>& bad) {
  PartRightHandSide b;
  b.red.assign(static_cast<std::size_t>((block.groups() + 1) * block.group_size()), 0);
  b.black.assign(static_cast<std::size_t>(block.groups() * block.group_size()), 0);
  const Index last = std::min(block.end_line, block.last_line);  // with the red line that the next part owns
#pragma omp parallel num_threads(threads)
  {
    LineEquations equations(problem);
    std::vector<double> right, left;
#pragma omp for schedule(dynamic, 4)
    for (Index line = block.first_line; line <= last; ++line) {
      GaussPoint where{};
      bool finite = true;
      if (line < block.last_line) finite = equations.column(2 * line, right, where);
      if (line > 0) finite = equations.column(2 * line - 1, left, where) && finite;
      if (line == 0 || line == block.last_line) {  // mirror image: f is odd about a side
        std::vector<double>& missing = line == 0 ? left : right;
        missing = line == 0 ? right : left;
        for (double& value : missing) value = -value;
      }
      if (finite) {
        distribute(block, line, right, left, b);
      } else {
#pragma omp critical(halocline_assembly)
        bad = where;
      }
    }
  }
  return b;
}

void fill_nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads, double* to,
                                std::optional<GaussPoint>& bad) {
#pragma omp parallel num_threads(threads)
  {
    LineEquations equations(problem);
    std::vector<double> column;
#pragma omp for schedule(dynamic, 4)
    for (Index line = block.first_line; line < block.end_line; ++line) {
      double* b = to + (line - block.first_line) * block.line_size();
      std::fill(b, b + block.line_size(), 0.0);
      for (int qx = 0; qx < 2; ++qx) {
        const Index g = 2 * line - 1 + qx;
        if (g < 0 || g >= 2 * block.nx) continue;
        GaussPoint where{};
        if (!equations.column(g, column, where)) {
#pragma omp critical(halocline_assembly)
          bad = where;
          continue;
        }
        for (Index j = 1; j <= block.ny; ++j) b[block.place(qx, j)] = column[2 * j - 1];
        for (Index j = 0; j < block.ny; ++j) b[block.place(qx + 2, j)] = column[2 * j];
      }
    }
  }
}

std::vector<double> nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads,
                                          std::optional<GaussPoint>& bad) {
  std::vector<double> b(static_cast<std::size_t>(block.size()));
  fill_nodal_right_hand_side(problem, block, threads, b.data(), bad);
  return b;
}

std::optional<GaussPoint> find_not_finite(const Formulation& problem, const NodalBlock& block) {
  const std::vector<double>& y = problem.y.gauss();
  std::vector<double> f(y.size());
  const std::span<double> results[1] = {f};
  const Index first = std::max<Index>(2 * block.first_line - 1, 0),
              end = std::min(2 * block.end_line - 1, 2 * block.nx);
  for (Index g = first; g < end; ++g) {
    evaluate_along_y(problem.f, problem.x.gauss()[g], y, results);
    for (std::size_t k = 0; k < f.size(); ++k)
      if (!std::isfinite(f[k])) return GaussPoint{problem.x.gauss()[g], y[k]};
  }
  return std::nullopt;
}

void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad) {
  const std::vector<double> x = comm.gather(bad ? bad->x : std::nan("")), y = comm.gather(bad ? bad->y : std::nan(""));
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    if (std::isnan(x[rank])) continue;
    char text[128];
    std::snprintf(text, sizeof text, ": collocation.equation.f: is not finite at x = %.6g, y = %.6g", x[rank], y[rank]);
    throw DeckError(to_string(problem.f_place) + text);
  }
}

}  // namespace halocline::collocation
