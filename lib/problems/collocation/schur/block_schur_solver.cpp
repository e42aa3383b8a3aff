// Method schur for general coefficients: BiCGSTAB on the Schur complement of block_schur.hpp.
#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "lib/problems/collocation/schur/black_line_solver.hpp"
#include "lib/problems/collocation/schur/block_schur.hpp"
#include "lib/problems/collocation/schur/magnitude.hpp"

namespace halocline::collocation {

namespace {

constexpr double rounding = 1e-13;  // in a residual of scaled equations, relative to x, from terms of about 10 x

class BlockSchurSolver final : public BlackLineSolver<BlockSchur<double>> {
 public:
  // 38 vectors of all unknowns: twice 56 numbers per node, and 20 vectors on black lines.
  BlockSchurSolver(const Context& context, const Formulation& problem, const SolverOptions& options,
                   std::vector<NodalBlock> blocks)
      : BlackLineSolver(context, problem, options, 38, context.comm, context.team, blocks, problem,
                        context.all_threads()),
        nodal_blocks_(std::move(blocks)),
        advice_(std::string("try method ") + methods_beside_schur(problem, options)),
        all_lines_(nodal_vector_space(context.comm, context.team, nodal_blocks_)) {
    load_right_hand_side(context, problem, nodal_blocks_, all_lines_);
    for (int p = 0; p < context.team.parts(); ++p) schur_.scaling(p).apply(all_lines_.part(p));
    scale_ = scale_to_one(all_lines_);
    schur_.reduce(all_lines_, 1, b_);
  }

  std::string describe() const override { return "BiCGSTAB on the Schur complement of whole lines"; }
  std::string advice() const override { return advice_; }

 private:
  const Operator<double>& product() const override { return schur_; }

  void recover() override {
    schur_.recover(x_);
    schur_.unpack(x_, scale_, all_lines_);
  }

  // Of all equations, scaled, less what rounding leaves with x of that size. Their coefficients are sampled once more,
  // so that they take no memory during the iteration.
  double final_residual() override {
    recover();
    const VectorSpacePtr& space = all_lines_.space_pointer();
    const NodalSystem system(context_, problem_, nodal_blocks_, space, Scaling::rows);
    Vector<double> b(space), x(space), r(space);
    load_right_hand_side(context_, problem_, nodal_blocks_, b);
    system.scale(b);
    scale_to_one(b);  // by the same power
    axpy(1 / scale_, all_lines_, x);
    system.product->residual(b, x, r);
    return std::max(norm(r) - rounding * norm(x), 0.0) / norm(b);
  }

  void recovered_unknowns(int part, double* to) override { copy_part(all_lines_, part, to); }

  std::vector<NodalBlock> nodal_blocks_;
  std::string advice_;
  Vector<double> all_lines_;  // the right-hand side, then the solution
};

std::size_t bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  // Eight vectors on black lines and one of all nodes besides; three of all nodes for the residual in the end.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (problem.y.elements() + 1));
  return BlockSchur<double>::bytes(lines, problem.y.elements()) + nodes * (8 * 2 + 5 + 3 * 4) * sizeof(double);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<BlockSchurSolver>(context, problem, options, nodal_blocks(context, problem));
}

}  // namespace

constinit const MethodEntry block_schur_method{Method::schur, needs_even_lines, in_pairs, bytes, make};

}  // namespace halocline::collocation
