#include "lib/problems/collocation/solution.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/column_operator.hpp"
#include "mpi/halo.hpp"

namespace halocline::collocation {

namespace {

// max that keeps NaN, so that a broken result cannot look good.
double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

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

}  // namespace

Solution::Solution(const Context& context, const Formulation& problem, Solver& solver) : problem_(problem) {
  const Index ny = problem.y.elements();
  for (int p = 0; p < context.team.parts(); ++p) {
    lines_.push_back(solver.lines(p));
    nodes_.push_back(solver.unknowns(p));
    const Range<1>& own = lines_.back();
    require(static_cast<Index>(nodes_.back().size()) == own.extent(0) * 4 * (ny + 1),
            "Solution: unknowns of the lines");
    if (problem.boundary.homogeneous()) continue;
    for (Index i = own.lo[0]; i < own.hi[0]; ++i)
      for (Index j = 0; j <= ny; ++j) {
        double* node = nodes_.back().data() + 4 * ((i - own.lo[0]) * (ny + 1) + j);
        for (int c = 0; c < 4; ++c) node[c] += problem.boundary.value(i, c % 2, j, c / 2);
      }
  }
  if (context.team.total_parts() > 1) exchange_lines(context);
}

// Appends the next part's first line to every part's lines.
void Solution::exchange_lines(const Context& context) {
  const Index size = 4 * (problem_.y.elements() + 1);
  const Team& team = context.team;
  std::vector<Array<double, 1>> first, behind;
  std::vector<View<const double, 1>> owned;
  std::vector<View<double, 1>> received;
  const IndexSet line = IndexSet::run(0, size), nothing;
  const std::vector<NeighborSwaps> swaps(nodes_.size(), {{line, nothing}, {nothing, line}});
  for (int p = 0; p < team.parts(); ++p) {
    first.push_back(make_array(team.executor(p), std::vector<double>(nodes_[p].begin(), nodes_[p].begin() + size)));
    behind.emplace_back(team.executor(p), std::array<Index, 1>{size});
  }
  for (int p = 0; p < team.parts(); ++p) {
    owned.push_back(std::as_const(first[p]).view());
    received.push_back(behind[p].view());
  }
  Halo<double> halo(context.comm, team, neighbor_links(team, swaps));
  halo.start(owned);
  halo.finish(received);
  for (int p = 0; p < team.parts(); ++p) {
    if (lines_[p].hi[0] > problem_.x.elements()) continue;
    const std::vector<double> values = behind[p].to_host();
    nodes_[p].insert(nodes_[p].end(), values.begin(), values.end());
  }
}

std::vector<double> Solution::field(int part, int which) const {
  const Range<1>& own = lines_[part];
  const Index ny = problem_.y.elements();
  const bool by_x = which == 1 || which == 3, by_y = which == 2 || which == 3;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(own.extent(0) * (ny + 1)));
  for (Index i = 0; i < own.extent(0); ++i) {
    const double scale_x = by_x ? problem_.x.scale(own.lo[0] + i) : 1;
    for (Index j = 0; j <= ny; ++j)
      values.push_back(nodes_[part][4 * (i * (ny + 1) + j) + which] / (scale_x * (by_y ? problem_.y.scale(j) : 1)));
  }
  return values;
}

std::vector<double> Solution::at_points(const Communicator& comm, std::span<const std::array<double, 3>> points,
                                        int which) const {
  const Index line_size = 4 * (problem_.y.elements() + 1);
  std::vector<Index> bits(points.size(), 0);  // one part has those of a value, the others zero
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Spot x(problem_.x, points[k][0], which % 2), y(problem_.y, points[k][1], which / 2);
    for (std::size_t p = 0; p < lines_.size(); ++p) {
      if (x.element < lines_[p].lo[0] || x.element >= lines_[p].hi[0]) continue;
      const double* nodes = nodes_[p].data() + (x.element - lines_[p].lo[0]) * line_size + 4 * y.element;
      double sum = 0;
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 4; ++n)
          sum += x.shape[m] * y.shape[n] * nodes[(m / 2) * line_size + 4 * (n / 2) + m % 2 + 2 * (n % 2)];
      bits[k] = std::bit_cast<Index>(sum);
    }
  }
  comm.sum(bits);
  std::vector<double> values;
  for (const Index bit : bits) values.push_back(std::bit_cast<double>(bit));
  return values;
}

Errors Solution::errors(const Communicator& comm, int threads) const {
  const std::size_t points = problem_.y.nodes().size();
  std::array<double, 4> worst{};
  std::array<ExactSum, 4> squares;
  for (std::size_t p = 0; p < lines_.size(); ++p) {
    const std::array<std::vector<double>, 4> fields{field(p, 0), field(p, 1), field(p, 2), field(p, 3)};
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (Index i = 0; i < lines_[p].extent(0); ++i) {
      std::vector<double> exact(4 * points);
      const double x = problem_.x.nodes()[lines_[p].lo[0] + i];
      std::array<std::span<double>, 4> results;
      for (int k = 0; k < 4; ++k) results[k] = std::span(exact).subspan(k * points, points);
      evaluate_along_y(problem_.exact, x, problem_.y.nodes(), results);
      for (int k = 0; k < 4; ++k) {
        double line_max = 0, line_sum = 0;
        for (std::size_t j = 0; j < points; ++j) {
          const double error = std::abs(fields[k][i * points + j] - results[k][j]);
          line_max = larger(line_max, error);
          line_sum += error * error;
        }
#pragma omp critical(halocline_errors)
        {
          worst[k] = larger(worst[k], line_max);
          squares[k].add(line_sum);
        }
      }
    }
  }
  comm.max(worst);
  comm.sum(squares);
  Errors errors;
  errors.max = worst;
  const double count = static_cast<double>(points) * static_cast<double>(problem_.x.nodes().size());
  for (int k = 0; k < 4; ++k) errors.rms[k] = std::sqrt(squares[k].value() / count);
  for (int k = 0; k < 4; ++k)  // MPI_MAX may drop a NaN, the sum does not
    if (std::isnan(errors.rms[k])) errors.max[k] = errors.rms[k];
  return errors;
}

Residual Solution::residual(const Communicator& comm, int threads) const {
  const Index rows = problem_.y.unknowns(), line_size = 4 * (problem_.y.elements() + 1), nx = problem_.x.elements();
  std::array<double, 2> largest{};  // residual, f
  std::array<ExactSum, 1> squares;
  for (std::size_t p = 0; p < lines_.size(); ++p) {
    const Range<1>& own = lines_[p];
    const Index columns = 2 * std::min(own.extent(0), nx - own.lo[0]);
    const int team = static_cast<int>(std::clamp<Index>(columns, 1, threads));
    std::vector<ColumnOperator> operators(static_cast<std::size_t>(team), ColumnOperator(problem_));
#pragma omp parallel for schedule(dynamic, 4) num_threads(team)
    for (Index c = 0; c < columns; ++c) {
      const Index g = 2 * own.lo[0] + c;
      std::vector<double> f(static_cast<std::size_t>(rows)), applied(f.size());
      const double x = problem_.x.gauss()[g];
      const std::span<double> results[1] = {f};
      evaluate_along_y(problem_.f, x, problem_.y.gauss(), results);
      const double* line = nodes_[p].data() + c / 2 * line_size;
      operators[omp_get_thread_num()].apply(g, line, line + line_size, applied.data());
      // Sum and difference of two rows r, l of an inner line: (r + l)^2 + (r - l)^2 = 2 (r^2 + l^2).
      const Index owner = (g + 1) / 2;
      const double weight = owner == 0 || owner == nx ? 1 : 2;
      double column_max = 0, f_max = 0, sum = 0;
      for (Index k = 0; k < rows; ++k) {
        const double r = applied[k] - f[k];
        column_max = larger(column_max, std::abs(r));
        f_max = larger(f_max, std::abs(f[k]));
        sum += weight * r * r;
      }
#pragma omp critical(halocline_residual)
      {
        largest = {larger(largest[0], column_max), larger(largest[1], f_max)};
        squares[0].add(sum);
      }
    }
  }
  comm.max(largest);
  comm.sum(squares);
  const double norm = std::sqrt(squares[0].value());
  const double relative = largest[1] > 0 ? largest[0] / largest[1] : largest[0];
  return {std::isnan(norm) ? norm : relative, problem_.x.mean_length() * problem_.y.mean_length() * norm};
}

}  // namespace halocline::collocation
