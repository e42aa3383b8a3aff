// The method `mg`: BiCGSTAB on the collocation equations, preconditioned by a multigrid cycle.
#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/multigrid/multigrid.hpp"
#include "lib/problems/collocation/nodal_solver.hpp"

namespace halocline::collocation {

namespace {

const char* name_of(Smoothing smoothing) {
  constexpr const char* names[] = {"node", "vline", "hline", "alt"};
  return names[static_cast<int>(smoothing)];
}

MultigridPlan plan_of(const Formulation& problem, const SolverOptions& options, int parts,
                      Index replicate = replicated_below) {
  return plan_multigrid(problem, options.smoother, parts, replicate);
}

// Elements along x of the largest level that every part holds. Collective.
Index replicated_elements(const Context& context) {
  bool gpus = true;
  for (int p = 0; p < context.team.parts(); ++p) gpus = gpus && context.team.executor(p)->backend() == Backend::cuda;
  return context.comm.agree(gpus) ? replicated_on_gpus : replicated_below;
}

class MultigridSolver final : public NodalIteration {
 public:
  MultigridSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : NodalIteration(context, problem),
        options_(options),
        plan_(plan_multigrid(problem, options.smoother, context.team.total_parts(), replicated_elements(context))) {
    if (const auto obstacle = multigrid_obstacle(problem, plan_)) throw DeckError("collocation.solver: " + *obstacle);
    const auto make = single() ? make_multigrid<float> : make_multigrid<double>;
    cycle_ = make(space_, problem, plan_, context.partition, system_.equations, context.all_threads());
    krylov_ = make_half_step_bicgstab<double>(
        space_, {.tolerance = options.tolerance, .max_iterations = options.max_iterations, .sums = options.sums});
  }

  void begin() override {
    if (options_.start == Start::zero) {
      fill(x_, 0);
    } else {
      cycle_->start(b_, x_);
    }
    // A right-hand side that is not finite at some point of a coarser mesh spoils the start only.
    if (!std::isfinite(norm(x_))) fill(x_, 0);
    krylov_->begin(*system_.product, cycle_.get(), b_, x_);
  }

  Traffic traffic() const override { return system_.product->sent() + cycle_->sent(); }

  // Two cycles, two products of 8 vectors (2 with constant coefficients), 23 vectors of BiCGSTAB and 6 around cycles.
  double bytes_per_iteration() const override {
    const double vector = 8 * problem_.unknowns();
    return 2 * cycle_->bytes_per_cycle() + ((problem_.constants ? 4 : 16) + 29) * vector;
  }

  std::string describe() const override {
    return std::string("BiCGSTAB, preconditioned by a multigrid cycle in ") + (single() ? "fp32" : "fp64") +
           " with smoother " + name_of(plan_.smoothing) + ", " + std::to_string(plan_.levels()) + " levels to " +
           std::to_string(plan_.x.back().elements()) + " x " + std::to_string(plan_.y.back().elements()) + " elements" +
           (plan_.places.size() > 1 ? ", " + plan_.coarse_levels(space_->team().total_parts()) : "");
  }

  std::string advice() const override {
    std::string text;
    if (plan_.smoothing != Smoothing::alt) text = "try solver.smoother: alt";
    if (plan_.coarsest_elements() <= 256) {
      text += text.empty() ? "try " : ", or ";
      text += "a mesh with fewer factors of 2 in its numbers of elements, for a finer coarsest mesh (now " +
              std::to_string(plan_.x.back().elements()) + " x " + std::to_string(plan_.y.back().elements()) + ")";
    }
    if (single()) text += text.empty() ? "try solver.precision: fp64" : ", or solver.precision: fp64";
    return text;
  }

 private:
  bool single() const { return options_.precision == Precision::fp32; }

  SolverOptions options_;
  MultigridPlan plan_;
  std::unique_ptr<Multigrid> cycle_;
};

std::optional<std::string> cannot(const Formulation& problem, const SolverOptions& options) {
  return multigrid_obstacle(problem, plan_of(problem, options, 1));
}

// Distributed levels need parts that begin with a line of the coarsest of them that is on all parts, on any devices.
LineCut cut(const Formulation& problem, const SolverOptions& options, int parts) {
  const MultigridPlan plan = plan_of(problem, options, parts);
  LineCut cut{plan.line_chunk()};
  if (parts > few_parts)
    cut.chunk = std::max(cut.chunk, plan_of(problem, options, parts, replicated_on_gpus).line_chunk());
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
  const bool one_block =
      problem.constants && problem.x.uniform() && problem.y.uniform() && problem.boundary.conditions() == nullptr;
  // Eight vectors and the coefficients; per level four vectors, coefficients and inverse node blocks, or a residual and
  // the factors per direction of lines. Where lines along x must be whole, every part holds all of every level.
  const double blocks = smoothing == Smoothing::node ? (one_block ? 0 : 4) : smoothing == Smoothing::alt ? 18 : 9;
  const Index held = whole_lines ? problem.x.distinct_nodes() : lines;
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
