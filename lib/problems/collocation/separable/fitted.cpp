// Method fd: BiCGSTAB on the collocation equations, preconditioned by the inverse of a fitted separable operator
// (fitted_terms.hpp). Any coefficients; iterations do not grow with the mesh, but with what no fit catches.
#include "lib/problems/collocation/separable/fitted.hpp"
#include "lib/problems/collocation/direct/direct_solver.hpp"
#include "lib/problems/collocation/discretization/nodal_archive.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline::collocation {

namespace {

class FittedSolver final : public Solver {
 public:
  FittedSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : context_(context),
        problem_(problem),
        blocks_(nodal_blocks(context, problem)),
        space_(nodal_vector_space(context.comm, context.team, blocks_)),
        b_(space_),
        x_(space_) {
    std::vector<const Equations<double>*> equations;
    equations_.reserve(blocks_.size());
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      equations_.emplace_back(problem, problem.x, problem.y, blocks_[p], context.team.executor(static_cast<int>(p)),
                              context.all_threads());
      equations.push_back(&equations_.back());
    }
    load_right_hand_side(context, problem, blocks_, b_);
    operator_ = std::make_unique<NodalOperator>(space_, equations, problem.x, problem.y);
    inverse_ = std::make_unique<FittedInverse>(space_, problem.x, problem.y, equations, context.all_threads());
    krylov_ = make_half_step_bicgstab<double>(space_, {options.tolerance, options.max_iterations});
  }

  void begin() override {
    fill(x_, 0);
    krylov_->begin(*operator_, inverse_.get(), b_, x_);
  }
  bool iterate(int n) override { return krylov_->iterate(n); }
  const SolveReport& report() const override { return krylov_->report(); }

  void archive(StateArchive& state) override {
    if (state.restoring()) begin();
    const NodalArchive lines(state, blocks_);
    krylov_->archive(state, lines);
    lines.vector("x", x_);
  }

  void unknowns(int part, double* to) override { copy_part(x_, part, to); }
  Range<1> lines(int part) const override { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }

  Traffic traffic() const override { return operator_->sent() + inverse_->sent(); }

  // Two products (8 vectors; 2 with constant coefficients), two inverses with their scaling (9 + 3), 23 of BiCGSTAB.
  double bytes_per_iteration() const override {
    const double vector = 8 * static_cast<double>(problem_.x.unknowns()) * static_cast<double>(problem_.y.unknowns());
    return ((problem_.constants ? 4 : 16) + 24 + 23) * vector;
  }
  std::string describe() const override { return "BiCGSTAB, preconditioned by a fitted separable operator"; }
  std::string advice() const override { return "try solver.method: mg"; }

 private:
  Context context_;
  const Formulation& problem_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<Equations<double>> equations_;
  Vector<double> b_, x_;
  std::unique_ptr<NodalOperator> operator_;
  std::unique_ptr<FittedInverse> inverse_;
  std::unique_ptr<KrylovSolver<double>> krylov_;
};

std::size_t bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  const NodalBlock block{0, lines, problem.x.elements(), problem.y.elements()};
  // Eight vectors of BiCGSTAB and the two of separable_bytes, row scale and scaled equations; six coefficients.
  const Index vectors = 8 + 2 + (problem.constants ? 0 : 6);
  return separable_bytes(problem, options, lines) + static_cast<std::size_t>(vectors * block.size()) * sizeof(double);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<FittedSolver>(context, problem, options);
}

}  // namespace

constinit const MethodEntry fitted_method{Method::fd, takes_any, in_strips, bytes, make};

}  // namespace halocline::collocation
