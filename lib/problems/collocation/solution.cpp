#include "lib/problems/collocation/solution.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/column_operator.hpp"

namespace halocline::collocation {

namespace {

std::vector<double> to_host(const Executor& executor, View<const double, 1> values) {
  std::vector<double> host(static_cast<std::size_t>(values.size()));
  executor.copy_out(host.data(), values.data, host.size() * sizeof(double));
  return host;
}

// max that keeps NaN, so that a broken result cannot look good.
double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

}  // namespace

Solution::Solution(const Formulation& problem, const SchurOperator& schur, const Team& team, const Vector& x,
                   double scale)
    : problem_(problem), scale_(scale) {
  for (int p = 0; p < team.parts(); ++p) {
    const LineBlock block = schur.block(p);
    const auto red = to_host(*team.executor(p), schur.red(p)), black = to_host(*team.executor(p), x.part(p));
    const Index stored = std::min(block.end_line, block.last_line) - block.first_line + 1;
    std::vector<double> nodes(static_cast<std::size_t>(stored * 4 * (problem.y.elements() + 1)));
    for (Index i = 0; i < stored; ++i) {
      const Index line = block.first_line + i;
      // The red line of the next part stands behind the last strip.
      const Index last_lane = block.lane_of(block.pairs() - 1);
      const Index offset =
          line < block.end_line ? block.offset(i / 2) : block.length(last_lane) * block.group_size() + last_lane;
      unpack_line(block, line, i % 2 == 0 ? red : black, offset, nodes);
    }
    blocks_.push_back(block);
    nodes_.push_back(std::move(nodes));
  }
}

void Solution::unpack_line(const LineBlock& block, Index line, const std::vector<double>& values, Index offset,
                           std::vector<double>& nodes) const {
  const Index ny = problem_.y.elements();
  double* to = nodes.data() + (line - block.first_line) * 4 * (ny + 1);
  for (Index j = 0; j <= ny; ++j)
    for (int y_slope = 0; y_slope < 2; ++y_slope) {
      const bool given = y_slope == 0 && (j == 0 || j == ny);
      const Index unknown = j == ny ? 2 * ny - 1 : 2 * j - 1 + y_slope;
      for (int x_slope = 0; x_slope < 2; ++x_slope) {
        const bool on_x_side = x_slope == 0 && (line == 0 || line == block.last_line);
        const double computed = given || on_x_side ? 0 : values[offset + (2 * block.stored(unknown) + x_slope) * lanes];
        to[4 * j + x_slope + 2 * y_slope] = scale_ * computed + problem_.boundary.value(line, x_slope, j, y_slope);
      }
    }
}

std::vector<double> Solution::field(int part, int which) const {
  const LineBlock& block = blocks_[part];
  const Index ny = problem_.y.elements();
  const bool by_x = which == 1 || which == 3, by_y = which == 2 || which == 3;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(block.lines() * (ny + 1)));
  for (Index i = 0; i < block.lines(); ++i) {
    const double scale_x = by_x ? problem_.x.scale(block.first_line + i) : 1;
    for (Index j = 0; j <= ny; ++j)
      values.push_back(nodes_[part][4 * (i * (ny + 1) + j) + which] / (scale_x * (by_y ? problem_.y.scale(j) : 1)));
  }
  return values;
}

Errors Solution::errors(const Communicator& comm, int threads) const {
  const std::size_t points = problem_.y.nodes().size();
  std::array<double, 4> worst{};
  std::array<ExactSum, 4> squares;
  for (std::size_t p = 0; p < blocks_.size(); ++p) {
    const std::array<std::vector<double>, 4> fields{field(p, 0), field(p, 1), field(p, 2), field(p, 3)};
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (Index i = 0; i < blocks_[p].lines(); ++i) {
      std::vector<double> exact(4 * points);
      const double x = problem_.x.nodes()[blocks_[p].first_line + i];
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
  for (std::size_t p = 0; p < blocks_.size(); ++p) {
    const LineBlock& block = blocks_[p];
    const Index columns = 2 * std::min(block.lines(), nx - block.first_line);
    const int team = static_cast<int>(std::clamp<Index>(columns, 1, threads));
    std::vector<ColumnOperator> operators(static_cast<std::size_t>(team), ColumnOperator(problem_));
#pragma omp parallel for schedule(dynamic, 4) num_threads(team)
    for (Index c = 0; c < columns; ++c) {
      const Index g = 2 * block.first_line + c;
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
