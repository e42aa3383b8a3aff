// Method schur for constant coefficients on a mesh that is uniform along x: BiCGSTAB on the Schur complement of
// schur.hpp, whose lines are pentadiagonal.
#include <algorithm>
#include <cmath>
#include <span>

#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "lib/problems/collocation/schur/assembly.hpp"
#include "lib/problems/collocation/schur/black_line_solver.hpp"
#include "lib/problems/collocation/schur/line_matrices.hpp"
#include "lib/problems/collocation/schur/magnitude.hpp"
#include "lib/problems/collocation/schur/schur.hpp"

namespace halocline::collocation {

namespace {

std::vector<LineBlock> blocks_of(const Context& context, const Formulation& problem) {
  std::vector<LineBlock> blocks;
  for (const NodalBlock& block : nodal_blocks(context, problem))
    blocks.push_back({block.first_line, block.end_line, problem.x.elements(), problem.y.unknowns()});
  return blocks;
}

std::vector<double> to_host(const Executor& executor, View<const double, 1> values) {
  std::vector<double> host(static_cast<std::size_t>(values.size()));
  executor.copy_out(host.data(), values.data, host.size() * sizeof(double));
  return host;
}

class SchurSolver final : public BlackLineSolver<SchurOperator> {
 public:
  // 13 vectors of all unknowns.
  SchurSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : BlackLineSolver(context, problem, options, 13, context.comm, context.team, blocks_of(context, problem),
                        problem.equation, problem.x.mean_length(), problem.y) {
    prepare_right_hand_side();
  }

  std::string describe() const override { return "BiCGSTAB on the Schur complement"; }

 private:
  void prepare_right_hand_side() {
    std::vector<PartRightHandSide> parts;
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      parts.push_back(assemble(context_.team.executor(p), problem_, schur_.block(p), context_.all_threads(), bad));
    require_finite(context_.comm, problem_, bad);
    std::vector<std::span<double>> arrays;
    for (PartRightHandSide& part : parts) arrays.insert(arrays.end(), {part.red, part.black});
    double largest = 0;
    for (const std::span<double> values : arrays)
      for (const double value : values) largest = std::max(largest, std::abs(value));
    scale_ = power_near(context_.comm, largest);
    for (const std::span<double> values : arrays)
      for (double& value : values) value /= scale_;
    schur_.reduce(parts, b_);
  }

  const Operator<double>& product() const override { return schur_; }
  void recover() override { schur_.recover(x_); }

  void recovered_unknowns(int part, double* to) override {
    const Executor& executor = *context_.team.executor(part);
    const auto red = to_host(executor, schur_.red(part)), black = to_host(executor, x_.part(part));
    const LineBlock& block = schur_.block(part);
    const NodalBlock nodal{block.first_line, block.end_line, problem_.x.elements(), problem_.y.elements()};
    std::vector<double> lines(static_cast<std::size_t>(nodal.size()), 0.0);
    for (Index i = 0; i < block.lines(); ++i) unpack_line(block, i, i % 2 == 0 ? red : black, nodal, lines);
    executor.copy_in(to, lines.data(), lines.size() * sizeof(double));
  }

  // Own line number i from the values of its color.
  void unpack_line(const LineBlock& block, Index i, const std::vector<double>& values, const NodalBlock& nodal,
                   std::vector<double>& lines) const {
    const Index ny = nodal.ny, line = block.first_line + i, offset = block.offset(i / 2);
    const bool on_x_side = line == 0 || line == block.last_line;
    double* to = lines.data() + i * nodal.line_size();
    for (int x_slope = 0; x_slope < 2; ++x_slope) {
      if (on_x_side && x_slope == 0) continue;
      const auto unknown = [&](Index k) { return scale_ * values[offset + (2 * block.stored(k) + x_slope) * lanes]; };
      const auto low = problem_.y.tangent(End::low), high = problem_.y.tangent(End::high);
      for (int y_slope = 0; y_slope < 2; ++y_slope) {
        double* const component = to + nodal.place(x_slope + 2 * y_slope, 0);
        component[0] = low[y_slope] * unknown(0);
        component[ny] = high[y_slope] * unknown(2 * ny - 1);
        for (Index j = 1; j < ny; ++j) component[j] = unknown(2 * j - 1 + y_slope);
      }
    }
  }
};

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& /*options*/) {
  if (const auto fault = needs_constant_sides(problem)) return fault;
  if (!problem.constants) return "needs constant coefficients";
  if ((*problem.constants)[1] != 0 || (*problem.constants)[3] != 0) return "needs b = 0 and d = 0";
  if (!problem.x.uniform()) return "needs a mesh that is uniform along x";
  for (const End end : {End::low, End::high})
    if (!problem.x.condition(end).dirichlet()) return "needs u given on the x sides";
  try {
    line_coefficients(problem.equation, problem.x.mean_length(), problem.y);
  } catch (const NumericalError& error) {
    return "fails: " + std::string(error.what());
  }
  return std::nullopt;
}

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  // Eight vectors of black lines, two of red ones, and copies during set-up, 4 ny numbers per line.
  return static_cast<std::size_t>(lines * 4 * problem.y.elements()) * sizeof(double) * 7;
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<SchurSolver>(context, problem, options);
}

}  // namespace

constinit const MethodEntry schur_method{Method::schur, cannot, in_pairs, bytes, make};

}  // namespace halocline::collocation
