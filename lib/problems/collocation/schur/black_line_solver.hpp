// BlackLineSolver: what the methods schur share. BiCGSTAB runs on the black lines, whose start is the right-hand side;
// the red lines are recovered when somebody asks for the solution.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Iterations on a Schur complement go on to this part of the tolerance: at the tolerance itself the error of u is up to
// 0.4 times the residual, depending on rounding, which at ns = 1024 and tol 1e-9 misses the published accuracy.
constexpr double schur_safety = 0.5;

// Where lines are nearly singular or intermediate vectors huge, as with strong convection, the residual that BiCGSTAB
// updates, and by which it stops, says nothing about the equations. So in the end their residual is computed from the
// solution: it must be at most this, or 1000 times the tolerance where that is more, relative to the right-hand side.
constexpr double largest_final_residual = 1e-6;

// Saves and restores vectors on black lines in the layout of line_layout.hpp, in the order of the mesh.
// Schur: SchurOperator or BlockSchur, whose block(part) tells where the lines of a part lie.
template <class Schur>
class BlackLineArchive final : public VectorArchive<double> {
 public:
  BlackLineArchive(StateArchive& state, const Team& team, const Schur& schur)
      : state_(state), team_(team), schur_(schur) {}

  void vector(const char* name, Vector<double>& x) const override {
    const ExecutorPtr host = make_omp_executor(1);
    for (int p = 0; p < team_.parts(); ++p) {
      const LineBlock& block = schur_.block(p);
      const Index first = block.first_line / 2, count = block.lines() / 2, width = 2 * block.rows;
      const auto grouped = x.part(p);
      std::vector<double> values(static_cast<std::size_t>(grouped.size())), ordered(count * width);
      team_.executor(p)->copy_out(values.data(), grouped.data, values.size() * sizeof(double));
      const auto place = [&](Index i) { return block.offset(i / width) + i % width * lanes; };
      for (Index i = 0; i < count * width; ++i) ordered[i] = values[place(i)];
      state_.block(name, (block.last_line + 1) / 2, width, {{first}, {first + count}},
                   View<double, 1>(ordered.data(), count * width), *host);
      if (!state_.restoring()) continue;
      for (Index i = 0; i < count * width; ++i) values[place(i)] = ordered[i];
      team_.executor(p)->copy_in(grouped.data, values.data(), values.size() * sizeof(double));
    }
  }

 private:
  StateArchive& state_;
  const Team& team_;
  const Schur& schur_;
};

// Schur: SchurOperator or BlockSchur, with space(), block(part) and sent().
template <class Schur>
class BlackLineSolver : public Solver {
 public:
  void begin() final {
    recovered_ = false;
    denied_.reset();
    copy(b_, x_);  // x_0 = b'
    krylov_->begin(product(), nullptr, b_, x_);
  }

  bool iterate(int n) final {
    recovered_ = false;
    if (denied_) return true;
    const bool finished = krylov_->iterate(n);
    if (finished) confirm();
    return finished;
  }

  const SolveReport& report() const final { return denied_ ? *denied_ : krylov_->report(); }

  void archive(StateArchive& state) final {
    if (state.restoring()) begin();
    const BlackLineArchive<Schur> lines(state, context_.team, schur_);
    krylov_->archive(state, lines);
    lines.vector("x", x_);
    recovered_ = false;
    if (state.restoring()) confirm();
  }

  void unknowns(int part, double* to) final {
    if (!recovered_) recover();
    recovered_ = true;
    recovered_unknowns(part, to);
  }

  Range<1> lines(int part) const final { return {{schur_.block(part).first_line}, {schur_.block(part).end_line}}; }
  Traffic traffic() const final { return schur_.sent(); }

  double bytes_per_iteration() const final { return vectors_ * 8 * problem_.unknowns(); }

 protected:
  // `vectors` of all unknowns are read or written in an iteration; `arguments` are those of Schur. Whoever derives
  // fills b_.
  template <class... Arguments>
  BlackLineSolver(const Context& context, const Formulation& problem, const SolverOptions& options, double vectors,
                  Arguments&&... arguments)
      : context_(context),
        problem_(problem),
        schur_(std::forward<Arguments>(arguments)...),
        b_(schur_.space()),
        x_(schur_.space()),
        tolerance_(options.tolerance),
        krylov_(make_bicgstab<double>(schur_.space(), {.tolerance = schur_safety * options.tolerance,
                                                       .max_iterations = options.max_iterations,
                                                       .sums = options.sums})),
        vectors_(vectors) {}

  virtual const Operator<double>& product() const = 0;
  // Computes the red lines that belong to x_; collective.
  virtual void recover() = 0;
  // Residual of x_ relative to the right-hand side, computed anew; collective. Here that of the Schur complement.
  virtual double final_residual() {
    Vector<double> r(schur_.space());
    product().apply(x_, r);
    axpy(-1, b_, r);
    return norm(r) / norm(b_);
  }
  // What unknowns() gives, after recover().
  virtual void recovered_unknowns(int part, double* to) = 0;

  Context context_;
  const Formulation& problem_;
  Schur schur_;
  Vector<double> b_, x_;
  double scale_ = 1;  // the equations are divided by it

 private:
  // Compares what the iteration takes for converged with what x leaves of the equations.
  void confirm() {
    const SolveReport& report = krylov_->report();
    if (report.iterations == 0 || !(report.converged() || report.residual <= tolerance_)) return;
    const auto scope = context_.team.scope("confirm");
    const double residual = final_residual();
    if (residual <= std::max(1000 * tolerance_, largest_final_residual)) return;
    denied_ = report;
    denied_->status = SolveStatus::breakdown;
    denied_->residual = denied_->history.back() = residual;
  }

  double tolerance_;
  std::optional<SolveReport> denied_;  // in place of one that claims too much
  std::unique_ptr<KrylovSolver<double>> krylov_;
  double vectors_;
  bool recovered_ = false;
};

}  // namespace halocline::collocation
