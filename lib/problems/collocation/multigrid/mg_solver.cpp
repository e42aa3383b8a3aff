// The method `mg`: BiCGSTAB on the collocation equations, preconditioned by a multigrid cycle.
#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/direct/direct_solver.hpp"
#include "lib/problems/collocation/discretization/nodal_archive.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid.hpp"

namespace halocline::collocation {

namespace {

const char* name_of(Smoothing smoothing) {
  constexpr const char* names[] = {"node", "vline", "hline", "alt"};
  return names[static_cast<int>(smoothing)];
}

MultigridPlan plan_of(const Formulation& problem, const SolverOptions& options, int parts) {
  return plan_multigrid(problem, options.smoother, parts);
}

class MultigridSolver final : public Solver {
 public:
  MultigridSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : context_(context),
        problem_(problem),
        options_(options),
        plan_(plan_of(problem, options, context.team.total_parts())),
        blocks_(nodal_blocks(context, problem)),
        space_(nodal_vector_space(context.comm, context.team, blocks_)) {
    if (const auto obstacle = multigrid_obstacle(problem, plan_)) throw DeckError("collocation.solver: " + *obstacle);
    const int threads = context.all_threads();
    std::vector<const Equations<double>*> equations;
    equations_.reserve(blocks_.size());
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      equations_.emplace_back(problem, problem.x, problem.y, blocks_[p], context.team.executor(static_cast<int>(p)),
                              threads);
      equations.push_back(&equations_.back());
    }
    operator_ = std::make_unique<NodalOperator>(space_, equations, problem.x, problem.y);
    if (options.precision == Precision::fp32) {
      single_ = std::make_unique<Multigrid<float>>(space_, problem, plan_, context.partition, equations, threads);
    } else {
      double_ = std::make_unique<Multigrid<double>>(space_, problem, plan_, context.partition, equations, threads);
    }
    b_ = std::make_unique<Vector<double>>(space_);
    x_ = std::make_unique<Vector<double>>(space_);
    load_right_hand_side(context, problem, blocks_, *b_);
    krylov_ = make_half_step_bicgstab<double>(space_, {options.tolerance, options.max_iterations});
  }

  void begin() override {
    if (options_.start == Start::zero) {
      fill(*x_, 0);
    } else if (single_) {
      single_->start(*b_, *x_);
    } else {
      double_->start(*b_, *x_);
    }
    // A right-hand side that is not finite at some point of a coarser mesh spoils the start only.
    if (!std::isfinite(norm(*x_))) fill(*x_, 0);
    krylov_->begin(*operator_, &preconditioner(), *b_, *x_);
  }
  bool iterate(int n) override { return krylov_->iterate(n); }
  const SolveReport& report() const override { return krylov_->report(); }

  void archive(StateArchive& state) override {
    if (state.restoring()) begin();
    const NodalArchive lines(state, blocks_);
    krylov_->archive(state, lines);
    lines.vector("x", *x_);
  }

  void unknowns(int part, double* to) override { copy_part(*x_, part, to); }
  Range<1> lines(int part) const override { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }

  Traffic traffic() const override { return operator_->sent() + (single_ ? single_->sent() : double_->sent()); }

  // Two cycles, two products of 8 vectors (2 with constant coefficients), 23 vectors of BiCGSTAB and 6 around cycles.
  double bytes_per_iteration() const override {
    const double vector = 8 * static_cast<double>(problem_.x.unknowns()) * static_cast<double>(problem_.y.unknowns());
    const double cycle = single_ ? single_->bytes_per_cycle() : double_->bytes_per_cycle();
    return 2 * cycle + ((problem_.constants ? 4 : 16) + 29) * vector;
  }

  std::string describe() const override {
    return std::string("BiCGSTAB, preconditioned by a multigrid cycle in ") + (single_ ? "fp32" : "fp64") +
           " with smoother " + name_of(plan_.smoothing) + ", " + std::to_string(plan_.levels()) + " levels to " +
           std::to_string(plan_.x.back().elements()) + " x " + std::to_string(plan_.y.back().elements()) + " elements";
  }

  std::string advice() const override {
    std::string text;
    if (plan_.smoothing != Smoothing::alt) text = "try solver.smoother: alt";
    if (plan_.coarsest_elements() <= 256) {
      text += text.empty() ? "try " : ", or ";
      text += "a mesh with fewer factors of 2 in its numbers of elements, for a finer coarsest mesh (now " +
              std::to_string(plan_.x.back().elements()) + " x " + std::to_string(plan_.y.back().elements()) + ")";
    }
    if (single_) text += text.empty() ? "try solver.precision: fp64" : ", or solver.precision: fp64";
    return text;
  }

 private:
  const Operator<double>& preconditioner() const {
    if (single_) return *single_;
    return *double_;
  }

  Context context_;
  const Formulation& problem_;
  SolverOptions options_;
  MultigridPlan plan_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<Equations<double>> equations_;
  std::unique_ptr<NodalOperator> operator_;
  std::unique_ptr<Multigrid<float>> single_;  // one of the two
  std::unique_ptr<Multigrid<double>> double_;
  std::unique_ptr<Vector<double>> b_, x_;
  std::unique_ptr<KrylovSolver<double>> krylov_;
};

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& options) {
  return multigrid_obstacle(problem, plan_of(problem, options, 1));
}

// Distributed levels need parts that begin with a line of the coarsest of them.
LineCut cut(const Formulation& problem, const SolverOptions& options, int parts) {
  const MultigridPlan plan = plan_of(problem, options, parts);
  LineCut cut{plan.line_chunk()};
  if (!plan.whole_lines || parts == 1) return cut;
  cut.note = std::string("smoother ") + name_of(plan.smoothing) +
             ": lines along x cross all parts, so every part repeats the whole cycle";
  if (plan.smoothing == Smoothing::hline)
    cut.note += "; with x and y exchanged in the deck it is smoother vline, and the parts divide the work";
  return cut;
}

std::size_t bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  const Index ny = problem.y.elements();
  const auto [smoothing, whole_lines] = plan_smoothing(problem, options.smoother);
  const auto vector = [ny](Index count) {
    return static_cast<double>(NodalBlock{0, count, count, ny}.size()) * sizeof(double);
  };
  const bool single = options.precision == Precision::fp32;
  const double coefficients = problem.constants ? 0 : 6;
  const bool one_block = problem.constants && problem.x.uniform() && problem.y.uniform();
  // Eight vectors and the coefficients; per level four vectors, coefficients and inverse node blocks, or a residual and
  // the factors per direction of lines. Where lines along x must be whole, every part holds all of every level.
  const double blocks = smoothing == Smoothing::node ? (one_block ? 0 : 4) : smoothing == Smoothing::alt ? 18 : 9;
  const Index held = whole_lines ? problem.x.elements() + 1 : lines;
  const bool shared = !single && held == lines;  // the finest level's coefficients
  const double level = 4 + blocks + (shared ? coefficients / 4 : coefficients);
  return static_cast<std::size_t>(vector(lines) * (8 + coefficients) +
                                  vector(held) * level * (single ? 0.5 : 1) * 4 / 3);
}

std::unique_ptr<Solver> make(const Context& context, const Formulation& problem, const SolverOptions& options) {
  return std::make_unique<MultigridSolver>(context, problem, options);
}

}  // namespace

constinit const MethodEntry multigrid_method{Method::mg, cannot, cut, bytes, make};

}  // namespace halocline::collocation
