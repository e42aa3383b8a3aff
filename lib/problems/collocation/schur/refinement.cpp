// Method schur-mixed: the source's iterative refinement. Outer residuals of the full system in double, inner
// corrections by BiCGSTAB on the Schur complement in single or double precision (solver.precision), each limited to
// solver.inner_maxit iterations or a residual of 1e-3. Starts at x = h^2 f and ends at ||r|| <= tol ||r_0||. Iterations
// of the solver are outer steps.
//
// Every correction starts a new Krylov space, so that more iterations are needed than by method schur.
#include "lib/linalg/scaled_copy.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"
#include "lib/problems/collocation/schur/block_schur.hpp"
#include "lib/problems/collocation/schur/magnitude.hpp"

namespace halocline::collocation {

namespace {

constexpr double inner_tolerance = 1e-3;
constexpr int most_without_progress = 25;

// c = roughly A^-1 r by BiCGSTAB on black lines in T, from x_0 = b'.
template <class T>
class SchurCorrection final : public Operator<double> {
 public:
  SchurCorrection(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                  const SolverOptions& options)
      : schur_(context.comm, context.team, blocks, problem, context.all_threads()),
        krylov_(make_bicgstab<T>(
            schur_.space(),
            {.tolerance = inner_tolerance, .max_iterations = options.inner_max_iterations, .sums = options.sums})),
        b_(schur_.space()),
        x_(schur_.space()) {}

  void apply(const Vector<double>& r, Vector<double>& c) const override {
    schur_.reduce(r, 1, b_);
    copy(b_, x_);
    krylov_->begin(schur_, nullptr, b_, x_);
    while (!krylov_->iterate(1000)) {
    }
    schur_.recover(x_);
    schur_.unpack(x_, 1, c);
  }
  Traffic sent() const { return schur_.sent(); }

 private:
  mutable BlockSchur<T> schur_;
  std::unique_ptr<KrylovSolver<T>> krylov_;
  mutable Vector<T> b_, x_;
};

template <class T>
class RefinedSolver final : public NodalIteration {
 public:
  RefinedSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : NodalIteration(context, problem, Scaling::rows),
        options_(options),
        correction_(context, problem, blocks_, options) {
    krylov_ = make_refinement(space_, {.tolerance = options.tolerance,
                                       .max_iterations = options.max_iterations,
                                       .stagnation = most_without_progress});
    archived_x_ = "refinement_x";
    system_.scale(b_);
    scale_ = scale_to_one(b_);
  }

  // x_0 = b, as in the source: each equation in the place of its unknown. The source scales equations by h^2; so does
  // row scaling, but for a factor of about one, on a square mesh with coefficients of about one.
  void begin() override {
    for (int p = 0; p < context_.team.parts(); ++p)
      launch_expand(*context_.team.executor(p), system_.equations[p]->view(), b_.part(p).data, x_.part(p).data);
    krylov_->begin(*system_.product, &correction_, b_, x_);
  }

  void unknowns(int part, double* to) override {
    const NodalBlock& block = blocks_[part];
    scaled_copy<double, double>(*context_.team.executor(part), "unknowns", block.lines(), block.line_size(), scale_,
                                x_.part(part).data, to);
  }

  Traffic traffic() const override { return correction_.sent() + system_.product->sent(); }

  // The inner iterations at their limit, 38 vectors of T each, and 24 of double for residual, conversion and update.
  double bytes_per_iteration() const override {
    return problem_.unknowns() * (38.0 * sizeof(T) * static_cast<double>(options_.inner_max_iterations) + 24 * 8);
  }

  std::string describe() const override {
    return std::string("refinement with BiCGSTAB on the Schur complement of whole lines in ") +
           (sizeof(T) == 4 ? "single" : "double") + " precision";
  }
  std::string advice() const override {
    return std::string("try more solver.inner_maxit, or method ") + methods_beside_schur(problem_, options_);
  }

 private:
  SolverOptions options_;
  SchurCorrection<T> correction_;
  double scale_ = 1;  // the equations are divided by it
};

bool single(const SolverOptions& options) { return options.precision == Precision::fp32; }

std::size_t bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  const std::size_t inner = single(options) ? sizeof(float) : sizeof(double);
  const Index ny = problem.y.elements();
  // Seven vectors on black lines; four of all nodes and six coefficients per equation in double.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (ny + 1));
  return (single(options) ? BlockSchur<float>::bytes(lines, ny) : BlockSchur<double>::bytes(lines, ny)) +
         nodes * (7 * 2 * inner + (4 * 4 + 24) * sizeof(double));
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  if (single(options)) return std::make_unique<RefinedSolver<float>>(context, problem, options);
  return std::make_unique<RefinedSolver<double>>(context, problem, options);
}

}  // namespace

constinit const MethodEntry refined_method{Method::schur_mixed, needs_even_lines, in_pairs, bytes, make};

}  // namespace halocline::collocation
