#include "lib/problems/fractional/split/unsplit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/problems/fractional/split/split_messages.hpp"
#include "lib/problems/fractional/step/step_faults.hpp"

namespace halocline::fractional {

namespace {

class Matrix final : public Operator<double> {
 public:
  explicit Matrix(const StepSystem& system) : system_(&system) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    const PartValues u = values_for_ghosts(x);
    system_->exchange(u);
    system_->apply(u, values_of(y));
  }

 private:
  const StepSystem* system_;
};

class Diagonal final : public Operator<double> {
 public:
  explicit Diagonal(const StepSystem& system) : system_(&system) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    system_->precondition(values_for_ghosts(x), values_of(y));
  }

 private:
  const StepSystem* system_;
};

}  // namespace

Unsplit::Unsplit(const Formulation& formulation, const StepSystem& system, const SideValues& sides, Log& log)
    : formulation_(&formulation),
      system_(&system),
      sides_(&sides),
      log_(&log),
      matrix_(std::make_unique<Matrix>(system)),
      diagonal_(std::make_unique<Diagonal>(system)),
      b_(system.space()),
      x_(system.space()) {}

template <class T>
void Unsplit::take_right(SlabField<T>& right) {
  begun_ = false;
  system_->take(values_of(right), values_of(b_), false);
  system_->slabs()->team().each([&](int p) { sides_->add_gains(p, system_->factors().nu(p), b_.part(p).data); });
}

template <class T>
PartValues Unsplit::keep(SlabField<T>& w) {
  system_->slabs()->team().each([&](int p) { sides_->give_gains(p, w.data(p)); });
  system_->take(values_of(w), values_of(x_), false);
  return values_of(x_);
}

void Unsplit::begin_from_kept() {
  begun_ = true;
  system_->take(values_of(x_), values_of(x_), true);
}

template <class T>
Index Unsplit::solve(const LevelNumbers& n, SlabField<T>& w) {
  const PartValuesOf<T> values = values_of(w);
  if (!begun_) system_->clear(values_of(x_));
  system_->clear(values);
  system_->slabs()->team().each([&](int p) { sides_->give_gains(p, w.data(p)); });
  w.start_exchange();
  w.finish_exchange();
  system_->make_right(values, values_of(b_));
  if (!solver_)
    solver_ =
        formulation_->moving() ? make_bicgstab<double>(system_->space(), {}) : make_cg<double>(system_->space(), {});
  const Index iterations = iterate(n);
  system_->put(values_of(x_), values);
  return iterations;
}

// By the diagonal, iterations grow with the root of the stiffness, by multigrid there are about ten, of which each
// takes two to four times as long.
bool Unsplit::choose_multigrid() {
  constexpr double stiff = 30;
  constexpr Index many_nodes = 2000;
  if (never_multigrid_ || formulation_->grid.unknowns() < many_nodes || !(system_->stiffness() > stiff)) return false;
  if (!multigrid_) {
    multigrid_.emplace(*formulation_, system_->slabs(), system_->coefficients(), system_->factors());
    log_->info(multigrid_text(multigrid_->levels()));
  }
  multigrid_->refresh();
  return true;
}

void Unsplit::give_up_multigrid(const LevelNumbers& n, Index iterations) {
  never_multigrid_ = true;
  log_->info(no_multigrid_text(n.level, iterations));
  if (!std::isfinite(system_->largest(values_of(x_)))) system_->clear(values_of(x_));
}

// The residual as a whole hardly sees rows that are much smaller than others, such as those beside a side with a large
// transfer; its quotients by the diagonal do. Where these are above the tolerance, the residual is to be smaller.
Index Unsplit::iterate(const LevelNumbers& n) {
  constexpr int at_once = 1000;
  constexpr double safety = 0.5, rounding = 16 * std::numeric_limits<double>::epsilon();
  const double tol = formulation_->split.tol;
  const Index maxit = formulation_->split.maxit, most_cycles = formulation_->moving() ? 50 : 150;
  double tolerance = tol;
  bool by_multigrid = choose_multigrid();
  for (Index done = 0;;) {
    solver_->set_limits(tolerance, by_multigrid ? std::min(most_cycles, maxit - done) : maxit - done);
    solver_->begin(*matrix_, by_multigrid ? &multigrid_->cycle() : diagonal_.get(), b_, x_);
    while (!solver_->iterate(at_once)) {
    }
    const SolveReport& report = solver_->report();
    done += report.iterations;
    if (!report.converged()) {
      if (!by_multigrid || done >= maxit) refuse(n, done, tolerance);
      give_up_multigrid(n, done);
      by_multigrid = false;
      continue;
    }
    const PartValues x = values_for_ghosts(x_);
    system_->exchange(x);
    const double most = std::max(tol, rounding) * system_->largest(x),
                 correction = system_->largest_correction(values_of(b_), x);
    if (!(correction > most)) return done;
    tolerance = safety * std::min(tolerance, report.residual) * (most / correction);
  }
}

void Unsplit::archive(StateArchive& archive) {
  Index never = never_multigrid_ ? 1 : 0;
  archive.scalar("unsplit_never_multigrid", never);
  never_multigrid_ = never != 0;
}

void Unsplit::refuse(const LevelNumbers& n, Index iterations, double tolerance) {
  Vector<double> residual(system_->space());
  matrix_->residual(b_, x_, residual);
  const SolveReport& report = solver_->report();
  const Index node = system_->place_of_largest(values_of(residual));
  refuse_unsplit_step(n.level, n.t,
                      {formulation_->moving() ? "BiCGSTAB" : "CG", report.status, iterations, report.residual,
                       tolerance, formulation_->split.tol, formulation_->steep_peclet},
                      formulation_->grid, node);
}

template void Unsplit::take_right(SlabField<double>&);
template void Unsplit::take_right(SlabField<float>&);
template PartValues Unsplit::keep(SlabField<double>&);
template PartValues Unsplit::keep(SlabField<float>&);
template Index Unsplit::solve(const LevelNumbers&, SlabField<double>&);
template Index Unsplit::solve(const LevelNumbers&, SlabField<float>&);

}  // namespace halocline::fractional
