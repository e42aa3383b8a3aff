#include "lib/problems/collocation/discretization/assembly.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lib/base/format.hpp"
#include "lib/expression/grid_program.hpp"
#include "lib/problems/collocation/discretization/column_operator.hpp"

namespace halocline::collocation {

namespace {

bool all_finite(const std::vector<double>& values) {
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (std::size_t k = 0; k < values.size(); ++k) bad |= !(values[k] - values[k] == 0);
  return bad == 0;
}

// The point with the lowest x of those that threads find, so that the answer does not depend on threads.
void keep_first(const GaussPoint& found, std::optional<GaussPoint>& bad) {
#pragma omp critical(halocline_assembly)
  if (!bad || found.x < bad->x) bad = found;
}

// f at the Gauss columns of the lines from `first` to `last`; shared by threads.
class RightHandSide {
 public:
  RightHandSide(const Formulation& problem, Index first, Index last)
      : first_(std::max<Index>(2 * first - 1, 0)),
        end_(std::min(2 * last + 1, 2 * problem.x.elements())),
        x_(std::span(problem.x.gauss()).subspan(first_, end_ - first_)),
        y_(problem.y.gauss()),
        program_(problem.f, x_, y_) {}

  Index first() const { return first_; }
  Index end() const { return end_; }
  // The values of column g, and the first point where they are not finite.
  std::optional<GaussPoint> column(Index g, std::vector<double>& values, GridProgram::Scratch& scratch) const {
    values.resize(y_.size());
    double* results[1] = {values.data()};
    program_.evaluate(g - first_, 0, static_cast<Index>(y_.size()), results, scratch);
    if (all_finite(values)) return std::nullopt;
    const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    return GaussPoint{x_[g - first_], y_[bad - values.begin()]};
  }

 private:
  Index first_, end_;
  std::span<const double> x_, y_;
  GridProgram program_;
};

// The equations left and right of a line, f - L G at their Gauss points. One per thread.
class LineEquations {
 public:
  LineEquations(const Formulation& problem, const RightHandSide& f)
      : problem_(problem),
        f_(f),
        operator_(problem),
        nodes_(static_cast<std::size_t>(4 * (problem.y.elements() + 1))),
        next_(nodes_),
        lifted_(static_cast<std::size_t>(problem.y.unknowns())) {}

  // Values at Gauss column g; returns false at the first value that is not finite and tells where.
  bool column(Index g, std::vector<double>& values, std::optional<GaussPoint>& bad) {
    if (const auto found = f_.column(g, values, scratch_)) {
      keep_first(*found, bad);
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
  const RightHandSide& f_;
  GridProgram::Scratch scratch_;
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
  const RightHandSide f(problem, block.first_line, last);
#pragma omp parallel num_threads(threads)
  {
    LineEquations equations(problem, f);
    std::vector<double> right, left;
#pragma omp for schedule(dynamic, 4)
    for (Index line = block.first_line; line <= last; ++line) {
      bool finite = true;
      if (line < block.last_line) finite = equations.column(2 * line, right, bad);
      if (line > 0) finite = equations.column(2 * line - 1, left, bad) && finite;
      if (line == 0 || line == block.last_line) {  // mirror image: f is odd about a side
        std::vector<double>& missing = line == 0 ? left : right;
        missing = line == 0 ? right : left;
        for (double& value : missing) value = -value;
      }
      if (finite) distribute(block, line, right, left, b);
    }
  }
  return b;
}

void fill_nodal_right_hand_side(const Formulation& problem, const NodalBlock& block, int threads, double* to,
                                std::optional<GaussPoint>& bad) {
  const RightHandSide f(problem, block.first_line, block.end_line - 1);
#pragma omp parallel num_threads(threads)
  {
    LineEquations equations(problem, f);
    std::vector<double> column;
#pragma omp for schedule(dynamic, 4)
    for (Index line = block.first_line; line < block.end_line; ++line) {
      double* b = to + (line - block.first_line) * block.line_size();
      std::fill(b, b + block.line_size(), 0.0);
      for (int qx = 0; qx < 2; ++qx) {
        const Index g = 2 * line - 1 + qx;
        if (g < 0 || g >= 2 * block.nx) continue;
        if (!equations.column(g, column, bad)) continue;
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
  const RightHandSide f(problem, block.first_line, block.end_line - 1);
  std::vector<double> values;
  GridProgram::Scratch scratch;
  for (Index g = f.first(); g < f.end(); ++g)
    if (const auto bad = f.column(g, values, scratch)) return bad;
  return std::nullopt;
}

void require_finite(const Communicator& comm, const Formulation& problem, const std::optional<GaussPoint>& bad) {
  const std::vector<double> x = comm.gather(bad ? bad->x : std::nan("")), y = comm.gather(bad ? bad->y : std::nan(""));
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    if (std::isnan(x[rank])) continue;
    throw DeckError(formatted("{}: collocation.equation.f: is not finite at x = {:.6g}, y = {:.6g}",
                              to_string(problem.f_place), x[rank], y[rank]));
  }
}

}  // namespace halocline::collocation
