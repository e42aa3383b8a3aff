// NewtonSolver: damped Newton's method, its linear equations by preconditioned BiCGSTAB. Methods: step_control.hpp; the
// unknowns are those of linear equations, since the sides are linear.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/problems/collocation/newton/newton_system.hpp"

namespace halocline::collocation {

// A preconditioner of the linearized equations.
class Corrector {
 public:
  virtual ~Corrector() = default;
  virtual const Operator<double>& inverse() const = 0;
  // After the linearized equations have got new values. Collective.
  virtual void refresh() = 0;
  virtual Traffic sent() const = 0;
  virtual double bytes_per_iteration() const = 0;  // of itself, by its model
  virtual std::string describe() const = 0;        // "a multigrid cycle in fp32 ..."
};

class NewtonSolver final : public Solver {
 public:
  using MakeCorrector = std::unique_ptr<Corrector> (*)(const Context& context, const Formulation& problem,
                                                       const SolverOptions& options, const VectorSpacePtr& space,
                                                       const std::vector<const Equations<double>*>& equations);
  NewtonSolver(const Context& context, const Formulation& problem, const SolverOptions& options,
               MakeCorrector make_corrector);

  void begin() override;
  bool iterate(int n) override;  // iterations are those of BiCGSTAB, of all steps
  // Its residual: norm of the last step over that of the solution, and so its history, a number per step.
  const SolveReport& report() const override { return report_; }
  void archive(StateArchive& state) override;
  void unknowns(int part, double* to) override { copy_part(v_, part, to); }
  Range<1> lines(int part) const override { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }
  Traffic traffic() const override { return system_.sent() + corrector_->sent(); }
  double bytes_per_iteration() const override;
  std::string describe() const override;
  std::string advice() const override;
  std::string progress() const override;
  const NewtonHistory* newton() const override { return &history_; }
  std::optional<double> own_residual() override;

 private:
  void begin_first_step();  // to the solution of the equation linearized at the start
  void begin_step();        // with the residual at v_
  void solve_linear();      // begins the solution of the linear equations with minus_
  void end_step();          // with the step that BiCGSTAB has found
  // v_ += as much of a step of that norm as does good; false when none does.
  bool take(double size);
  void archive_history(StateArchive& state);

  const Context& context_;
  const Formulation& problem_;
  SolverOptions options_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  NewtonSystem system_;
  Vector<double> v_, step_, minus_;  // minus_: the residual's negative
  Vector<double> tried_;
  std::unique_ptr<Corrector> corrector_;
  std::unique_ptr<KrylovSolver<double>> krylov_;
  SolveReport report_;
  NewtonHistory history_;
  bool reopened_ = false;  // restored where it had converged by a larger tolerance
  double tolerance_;       // of the linear equations of this step
  int counted_ = 0;        // iterations of this step that the report has
};

}  // namespace halocline::collocation
