// Multigrid: a symmetric preconditioner for unsplit steps, one V cycle in floats on the symmetric part of their matrix.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "lib/multigrid/precision_shell.hpp"
#include "lib/problems/fractional/multigrid/grid_level.hpp"
#include "lib/problems/fractional/multigrid/multigrid_plan.hpp"
#include "lib/problems/fractional/step/factors.hpp"

namespace halocline::fractional {

class Multigrid {
 public:
  /// `coefficients` and `factors`, which are those of the step under way, outlive this. Collective.
  Multigrid(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
            const Coefficients& coefficients, const StepFactors& factors);

  /// Takes nu of the step. Allocates nothing. Collective.
  void refresh();
  /// y = M^-1 x, up to a factor, for vectors of StepSystem::space().
  const Operator<double>& cycle() const { return *shell_; }
  int levels() const { return static_cast<int>(levels_.size()); }
  Traffic traffic() const { return hierarchy_->sent(); }

 private:
  void make_levels(std::array<AxisEntries, 3> entries);
  LevelGrid grid_of(int number, int part, const Partition& planes) const;
  std::array<AxisEntries, 3> first_entries() const;

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  const StepFactors* factors_;
  MultigridPlan plan_;
  bool common_;
  double scale_ = 1;  // of the matrix, a power of two that takes its largest edge to about 1
  std::vector<FirstEntries> first_;
  std::vector<NodeValue> nu_;
  std::vector<GridLevel*> levels_;
  std::unique_ptr<multigrid::Hierarchy<Real>> hierarchy_;
  std::optional<multigrid::PrecisionShell<Real>> shell_;
};

}  // namespace halocline::fractional
