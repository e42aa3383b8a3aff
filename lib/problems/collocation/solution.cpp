#include "lib/problems/collocation/solution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lib/problems/collocation/discretization/nodal_vectors.hpp"
#include "lib/problems/collocation/formulas/placed_sides.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::collocation {

namespace {

// Where a coordinate lies on an axis, and what the unknowns of its element contribute there to the function (order 0)
// or its derivative (1).
struct Spot {
  Spot(const Axis& axis, double at, int order) {
    const auto& nodes = axis.nodes();
    element = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, at) - nodes.begin() - 1;
    const double h = axis.length(element);
    shape = hermite(order, std::clamp((at - nodes[element]) / h, 0.0, 1.0));
    if (order == 1)
      for (double& value : shape) value /= h;
    shape[1] *= h / axis.scale(element);
    shape[3] *= h / axis.scale(element + 1);
  }
  Index element = 0;
  std::array<double, 4> shape;
};

// As a mesh with sides, whose last line belongs to the part with the line before.
NodalBlock with_last_line(const NodalBlock& own) {
  const bool has_last = own.periodic_x && own.end_line == own.nx;
  return {own.first_line, own.end_line + (has_last ? 1 : 0), own.nx, own.ny};
}

}  // namespace

Solution::Solution(const Context& context, const Formulation& problem, Solver& solver, FormulaPath path)
    : problem_(problem) {
  for (int p = 0; p < context.team.parts(); ++p) {
    const NodalBlock own = nodal_block(solver.lines(p), problem.x, problem.y);
    const ExecutorPtr& executor = context.team.executor(p);
    double* u = parts_.emplace_back(executor, problem, with_last_line(own), context.all_threads(), path).values().data;
    solver.unknowns(p, u);
    add_sides(executor, problem.boundary, own, 1, u);
    parts_.back().close_lines(own.lines());
  }
  if (context.team.total_parts() > 1) {
    exchange_lines(context);
  } else if (problem.x.periodic()) {
    parts_[0].close_columns();
  }
}

// Puts the next part's first line behind every part's lines; where x is periodic the first part's is the last line of
// the last part, and one of its own by now.
void Solution::exchange_lines(const Context& context) {
  const IndexSet line = IndexSet::run(0, parts_[0].block().line_size()), nothing;
  const std::vector<NeighborSwaps> swaps(parts_.size(), {{line, nothing}, {nothing, line}});
  std::vector<View<const double, 1>> owned;
  std::vector<View<double, 1>> behind;
  for (SolutionPart& part : parts_) {
    const NodalBlock& block = part.block();
    const bool has_last = problem_.x.periodic() && block.end_line > block.nx;
    owned.push_back(part.values());
    behind.emplace_back(part.values().data + block.size() - (has_last ? block.line_size() : 0), block.line_size());
  }
  Halo<double> halo(context.comm, context.team, neighbor_links(context.team, swaps, problem_.x.periodic()));
  halo.start(owned);
  halo.finish(behind);
}

std::vector<double> Solution::at_points(const Communicator& comm, std::span<const std::array<double, 3>> points,
                                        int which) const {
  std::vector<Index> bits(points.size(), 0);  // one part has those of a value, the others zero
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Spot x(problem_.x, points[k][0], which % 2), y(problem_.y, points[k][1], which / 2);
    for (const SolutionPart& part : parts_) {
      const NodalBlock& block = part.block();
      if (x.element < block.first_line || x.element >= block.end_line) continue;
      const Index line = x.element - block.first_line;
      const std::array<std::vector<double>, 2> lines{part.line(line), part.line(line + 1)};
      double sum = 0;
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 4; ++n)
          sum += x.shape[m] * y.shape[n] * lines[m / 2][block.place(m % 2 + 2 * (n % 2), y.element + n / 2)];
      bits[k] = std::bit_cast<Index>(sum);
    }
  }
  comm.sum(bits);
  std::vector<double> values;
  for (const Index bit : bits) values.push_back(std::bit_cast<double>(bit));
  return values;
}

Errors Solution::errors(const Communicator& comm) const {
  ErrorShares shares;
  for (const SolutionPart& part : parts_) part.add_errors(shares);
  comm.max(shares.max);
  comm.sum(shares.squares);
  Errors errors;
  errors.max = shares.max;
  const double count = static_cast<double>(problem_.y.nodes().size()) * static_cast<double>(problem_.x.nodes().size());
  for (int k = 0; k < 4; ++k) errors.rms[k] = std::sqrt(shares.squares[k].value() / count);
  for (int k = 0; k < 4; ++k)  // MPI_MAX may drop a NaN, the sum does not
    if (std::isnan(errors.rms[k])) errors.max[k] = errors.rms[k];
  return errors;
}

Residual Solution::residual(const Communicator& comm) const {
  ResidualShares shares;
  for (const SolutionPart& part : parts_) part.add_residual(shares);
  comm.max(shares.largest);
  comm.sum(shares.squares);
  const auto [largest, f] = shares.largest;
  const double norm = std::sqrt(shares.squares[0].value()), relative = f > 0 ? largest / f : largest;
  return {std::isnan(norm) ? norm : relative, problem_.x.mean_length() * problem_.y.mean_length() * norm};
}

}  // namespace halocline::collocation
