#include "lib/problems/collocation/schur/block_schur_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/discretization/assembly.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/schur/black_line_solver.hpp"
#include "lib/problems/collocation/schur/block_schur.hpp"
#include "lib/problems/collocation/schur/block_schur_parts.hpp"
#include "mpi/partition.hpp"

namespace halocline::collocation {

std::vector<Range<1>> paired_lines(const Context& context, const Formulation& problem) {
  const Partition partition(problem.x.elements() + 1, 2, context.shape.weights, 2);
  require(partition.parts() == context.team.total_parts(), "collocation: one weight per part");
  std::vector<Range<1>> lines;
  for (int p = 0; p < context.team.parts(); ++p) lines.push_back(partition.block(context.team.first_part() + p));
  return lines;
}

double magnitude(const Communicator& comm, const std::vector<std::span<const double>>& arrays) {
  std::array<double, 1> largest{};
  for (const auto values : arrays)
    for (const double value : values) largest[0] = std::max(largest[0], std::abs(value));
  comm.max(largest);
  return largest[0] > 0 && std::isfinite(largest[0]) ? std::exp2(std::ilogb(largest[0])) : 1;
}

std::vector<double> by_nodes(const NodalBlock& block, Index lines, const std::vector<double>& nodal) {
  std::vector<double> values(static_cast<std::size_t>(lines * 4 * block.nodes()));
  for (Index i = 0; i < lines; ++i)
    for (Index j = 0; j < block.nodes(); ++j)
      for (int c = 0; c < 4; ++c)
        values[(i * block.nodes() + j) * 4 + c] = nodal[i * block.line_size() + block.place(c, j)];
  return values;
}

namespace {

constexpr double rounding = 1e-13;  // in a residual of scaled equations, relative to x, from terms of about 10 x

class BlockSchurSolver final : public BlackLineSolver<BlockSchur<double>> {
 public:
  // 38 vectors of all unknowns: twice 56 numbers per node, and 20 vectors on black lines.
  BlockSchurSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : BlackLineSolver(context, problem, options, 38, context.comm, context.team, paired_lines(context, problem),
                        problem, context.all_threads()),
        operator_(schur_) {
    prepare_right_hand_side();
  }

  std::string describe() const override { return "BiCGSTAB on the Schur complement of whole lines"; }
  std::string advice() const override { return "try method mg or fd"; }

 private:
  void prepare_right_hand_side() {
    std::vector<std::vector<double>> parts;
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      parts.push_back(nodal_right_hand_side(problem_, schur_.needed(p), context_.all_threads(), bad));
    require_finite(context_.comm, problem_, bad);
    for (int p = 0; p < context_.team.parts(); ++p) schur_.scaling(p).apply(parts[p]);
    scale_ = magnitude(context_.comm, {parts.begin(), parts.end()});
    std::vector<const double*> rhs;
    std::vector<double*> reduced;
    for (int p = 0; p < context_.team.parts(); ++p) {
      nodal_.push_back(make_array(context_.team.executor(p), parts[p]));
      rhs.push_back(nodal_[p].view().data);
      reduced.push_back(b_.part(p).data);
    }
    schur_.reduce(rhs, 1 / scale_, reduced);
  }

  const Operator<double>& product() const override { return operator_; }

  void recover() override {
    std::vector<const double*> x;
    std::vector<double*> nodal;
    for (int p = 0; p < context_.team.parts(); ++p) {
      x.push_back(static_cast<const Vector<double>&>(x_).part(p).data);
      nodal.push_back(nodal_[p].view().data);
    }
    schur_.recover(x);
    schur_.unpack(x, scale_, false, nodal);
  }

  // Of all equations, scaled, less what rounding leaves with x of that size. Their coefficients are sampled once more,
  // so that they take no memory during the iteration.
  double final_residual() override {
    recover();
    const Team& team = context_.team;
    std::vector<NodalBlock> blocks;
    std::vector<ScaledEquations> equations;
    std::vector<const Equations<double>*> pointers;
    for (int p = 0; p < team.parts(); ++p) {
      const LineBlock& own = schur_.block(p);
      blocks.push_back({own.first_line, own.end_line, problem_.x.elements(), problem_.y.elements()});
      equations.push_back(scaled_equations(problem_, blocks[p], team.executor(p), context_.all_threads()));
    }
    for (const ScaledEquations& part : equations) pointers.push_back(&part.equations);
    const VectorSpacePtr space = nodal_vector_space(context_.comm, team, blocks);
    const NodalOperator product(space, pointers, problem_.x, problem_.y);
    Vector<double> b(space), x(space), r(space);
    std::optional<GaussPoint> bad;  // none, since b was made before
    for (int p = 0; p < team.parts(); ++p) {
      std::vector<double> rhs = nodal_right_hand_side(problem_, blocks[p], context_.all_threads(), bad);
      std::vector<double> solution = nodal_[p].to_host();
      equations[p].scaling.apply(rhs);
      for (double& value : rhs) value /= scale_;
      for (double& value : solution) value /= scale_;
      team.executor(p)->copy_in(b.part(p).data, rhs.data(), rhs.size() * sizeof(double));
      team.executor(p)->copy_in(x.part(p).data, solution.data(), rhs.size() * sizeof(double));
    }
    product.residual(b, x, r);
    return std::max(norm(r) - rounding * norm(x), 0.0) / norm(b);
  }

  std::vector<double> recovered_unknowns(int part) override {
    return by_nodes(schur_.needed(part), schur_.block(part).lines(), nodal_[part].to_host());
  }

  BlockSchurOperator operator_;
  std::vector<Array<double, 1>> nodal_;  // the right-hand side, then the solution, line by line
};

}  // namespace

std::optional<std::string> cannot_block_schur(const Formulation& /*problem*/, const SolverOptions& /*options*/) {
  return std::nullopt;
}

std::size_t block_schur_bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  // Eight vectors on black lines and one of all nodes besides; three of all nodes for the residual in the end.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (problem.y.elements() + 1));
  return BlockSchur<double>::bytes(lines, problem.y.elements()) + nodes * (8 * 2 + 5 + 3 * 4) * sizeof(double);
}

std::unique_ptr<Solver> make_block_schur_solver(const Context& context, const Formulation& problem,
                                                const SolverOptions& options) {
  return std::make_unique<BlockSchurSolver>(context, problem, options);
}

}  // namespace halocline::collocation
