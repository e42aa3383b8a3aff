#include "lib/problems/collocation/newton/newton_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/collocation/newton/step_control.hpp"

namespace halocline::collocation {

namespace {

// Steps below this share of the solution are taken whole: Newton's method converges there, and the residual of a fine
// mesh may be rounding alone.
constexpr double small_step = 1e-6;

}  // namespace

NewtonSolver::NewtonSolver(const Context& context, const Formulation& problem, const SolverOptions& options,
                           MakeCorrector make_corrector)
    : context_(context),
      problem_(problem),
      options_(options),
      blocks_(nodal_blocks(context, problem)),
      space_(nodal_vector_space(context.comm, context.team, blocks_)),
      system_(context, problem, blocks_, space_),
      v_(space_),
      step_(space_),
      minus_(space_),
      tried_(space_),
      corrector_(make_corrector(context, problem, options, space_, system_.linear().equations)),
      krylov_(make_bicgstab<double>(
          space_, {.tolerance = tightest_tolerance, .max_iterations = options.max_iterations, .sums = options.sums})),
      tolerance_(tightest_tolerance) {}

void NewtonSolver::begin() {
  report_ = {0, 1, SolveStatus::running, 0, {1}};
  history_ = {};
  fill(v_, 0);
  begin_first_step();
}

void NewtonSolver::begin_first_step() {
  tolerance_ = tightest_tolerance;
  load_right_hand_side(context_, problem_, blocks_, minus_);
  solve_linear();
}

void NewtonSolver::begin_step() {
  system_.linearize();
  try {
    corrector_->refresh();
  } catch (const NumericalError&) {  // on all ranks: this far from a solution the linearized equation is singular
    report_.status = SolveStatus::breakdown;
    return;
  }
  solve_linear();
}

void NewtonSolver::solve_linear() {
  fill(step_, 0);
  krylov_->set_limits(tolerance_, options_.max_iterations);
  krylov_->begin(*system_.linear().product, &corrector_->inverse(), minus_, step_);
  counted_ = 0;
}

bool NewtonSolver::iterate(int n) {
  while (!report_.finished() && n > 0) {
    const bool done = krylov_->iterate(n);
    const int more = krylov_->report().iterations - counted_;
    report_.iterations += more;
    counted_ += more;
    n -= std::max(more, 1);
    if (!done) continue;
    end_step();
    // At the limit as well, so that a run which is allowed more goes on from here.
    if (!report_.converged() && !report_.failed()) begin_step();
  }
  return report_.finished();
}

void NewtonSolver::end_step() {
  const SolveReport& linear = krylov_->report();
  const double size = norm(step_);
  if (!std::isfinite(size) || (size == 0 && !linear.converged())) {
    report_.status = SolveStatus::breakdown;
    return;
  }
  if (!take(size)) return;
  history_.iterations.push_back(linear.iterations);
  const std::size_t steps = history_.steps();
  if (steps > 1 && history_.damping.back() == 1 && linear.converged() && report_.residual <= options_.tolerance) {
    report_.status = SolveStatus::converged;
  } else if (static_cast<Index>(steps) >= problem_.nonlinear->max_steps) {
    report_.status = SolveStatus::max_iterations;
  }
  tolerance_ = steps < 2 ? second_tolerance
                         : next_tolerance(history_.residual[steps - 2], history_.residual[steps - 1], tolerance_);
}

bool NewtonSolver::take(double size) {
  const bool first = history_.residual.empty();
  const double before = first ? 0 : history_.residual.back();
  const bool whole = first || !problem_.nonlinear->damped || size <= small_step * system_.size();
  for (double t = 1; t >= least_share;) {
    copy(v_, tried_);
    axpy(t, step_, tried_);
    system_.residual(tried_, minus_);
    const double after = norm(minus_);
    if (std::isfinite(after) && (whole || reduces(t, before, after))) {
      v_.swap(tried_);
      const double of_u = system_.size();
      report_.residual = of_u > 0 ? t * size / of_u : t * size;
      report_.history.push_back(report_.residual);
      history_.residual.push_back(after);
      history_.damping.push_back(t);
      return true;
    }
    if (whole) {
      report_.status = SolveStatus::not_finite;
      return false;
    }
    t = shorter(t, before, after);
  }
  report_.status = SolveStatus::stagnated;
  return false;
}

std::optional<double> NewtonSolver::own_residual() {
  system_.residual(v_, minus_);
  return system_.relative_residual(minus_);
}

void NewtonSolver::archive_history(StateArchive& state) {
  Index iterations = report_.iterations, status = static_cast<Index>(report_.status);
  auto steps = static_cast<Index>(history_.steps());
  state.scalar("newton_iterations", iterations);
  state.scalar("newton_status", status);
  state.scalar("newton_steps", steps);
  state.scalar("newton_size", report_.residual);
  state.scalar("newton_tolerance", tolerance_);
  report_.iterations = static_cast<int>(iterations);
  report_.status = static_cast<SolveStatus>(status);
  const bool loose = report_.status == SolveStatus::converged && report_.residual > options_.tolerance;
  reopened_ = state.restoring() && loose;
  if (state.restoring() && (loose || report_.status == SolveStatus::max_iterations))
    report_.status = SolveStatus::running;
  const auto count = static_cast<std::size_t>(steps);
  for (auto* list : {&history_.residual, &history_.damping, &history_.iterations}) list->resize(count);
  report_.history.resize(count + 1);
  archive_values(context_.comm, state, "newton_damping", history_.damping);
  archive_values(context_.comm, state, "newton_linear", history_.iterations);
  archive_values(context_.comm, state, "newton_residuals", history_.residual);
  archive_values(context_.comm, state, "newton_sizes", report_.history);
}

// The residual and the linearized equations follow from the solution, to the bit.
void NewtonSolver::archive(StateArchive& state) {
  const NodalArchive lines(state, blocks_);
  archive_history(state);
  lines.vector("newton_u", v_);
  if (state.restoring()) {
    if (history_.steps() == 0) {
      begin_first_step();
    } else {
      system_.residual(v_, minus_);
      begin_step();
    }
  }
  krylov_->archive(state, lines);
  lines.vector("newton_step", step_);
  if (state.restoring()) counted_ = krylov_->report().iterations;
  if (!reopened_) return;
  system_.residual(v_, minus_);  // the last step has ended
  begin_step();
}

// Two products of 8 vectors and 29 vectors of BiCGSTAB, and what the preconditioner takes.
double NewtonSolver::bytes_per_iteration() const {
  return corrector_->bytes_per_iteration() + 45 * 8 * problem_.unknowns();
}

std::string NewtonSolver::describe() const {
  return "Newton's method with BiCGSTAB, preconditioned by " + corrector_->describe();
}

std::string NewtonSolver::advice() const {
  if (report_.status == SolveStatus::not_finite)
    return "try another collocation.newton.start, at which k and source are defined";
  std::string text =
      "try a collocation.newton.start nearer to a solution; there may be none, where a parameter is beyond a turning "
      "point";
  if (report_.status == SolveStatus::max_iterations) text = "try more collocation.newton.maxit, or " + text.substr(4);
  return text;
}

std::string NewtonSolver::progress() const {
  const std::size_t steps = history_.steps();
  const double first = history_.residual.empty() ? 0 : history_.residual.front();
  return formatted("Newton step {}, iteration {}, residual {:.2e}", report_.finished() ? steps : steps + 1,
                   report_.iterations, first > 0 ? history_.residual.back() / first : first);
}

}  // namespace halocline::collocation
