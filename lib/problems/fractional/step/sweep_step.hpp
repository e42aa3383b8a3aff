// SweepStep: the solution of a step by three sweeps, with what the sides give to each.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/past.hpp"
#include "lib/problems/fractional/step/sweeps.hpp"

namespace halocline::fractional {

class SweepStep {
 public:
  /// All outlive this. Collective.
  SweepStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
            const Coefficients& coefficients, SideValues& sides, const StepFactors& factors);

  /// From R in the slot of the step that `past` has opened: the increment in the slot, and c of the next level, both
  /// but for Dirichlet nodes. Collective.
  void solve(const LevelNumbers& n, SlabField<double>& c, Past& past);
  Sweeps& sweeps() { return sweeps_; }
  Traffic traffic() const { return sweeps_.traffic(); }

 private:
  std::shared_ptr<Slabs<double>> slabs_;
  SideValues* sides_;
  const StepFactors* factors_;
  Sweeps sweeps_;
  std::vector<UpdateField> updates_;
  std::vector<NodeValue> nus_;
};

}  // namespace halocline::fractional
