#include "lib/problems/collocation/block_schur_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/assembly.hpp"
#include "lib/problems/collocation/black_line_solver.hpp"
#include "lib/problems/collocation/block_schur.hpp"
#include "lib/problems/collocation/block_schur_parts.hpp"
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
  std::string advice() const override { return "try method mg"; }

 private:
  void prepare_right_hand_side() {
    std::vector<std::vector<double>> parts;
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      parts.push_back(nodal_right_hand_side(problem_, schur_.needed(p), context_.all_threads(), bad));
    require_finite(context_.comm, problem_, bad);
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

  const LinearOperator& product() const override { return operator_; }

  void recover() override {
    std::vector<const double*> x;
    std::vector<double*> nodal;
    for (int p = 0; p < context_.team.parts(); ++p) {
      x.push_back(static_cast<const Vector&>(x_).part(p).data);
      nodal.push_back(nodal_[p].view().data);
    }
    schur_.recover(x);
    schur_.unpack(x, scale_, false, nodal);
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
  // Seven vectors on black lines and one of all nodes besides.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (problem.y.elements() + 1));
  return BlockSchur<double>::bytes(lines, problem.y.elements()) + nodes * (7 * 2 + 5) * sizeof(double);
}

std::unique_ptr<Solver> make_block_schur_solver(const Context& context, const Formulation& problem,
                                                const SolverOptions& options) {
  return std::make_unique<BlockSchurSolver>(context, problem, options);
}

}  // namespace halocline::collocation
