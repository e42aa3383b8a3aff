// LodStep: the step of the psi-Caputo CUDA paper, locally one-dimensional (LOD), for comparison:
//   (I - mu Lambda_a) C^(a+1) = C^(a) + w_a mu (F(t_l) - sigma H^l),  a = x, y, z;  C^(0) = C of the level before
// with mu = 1/(sigma A_{l,l}) and weights w that share the source and the history out to the sweeps. Dirichlet sides of
// a sweep have their values at t_l, as published, or what the sweeps behind it would need.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/past.hpp"
#include "lib/problems/fractional/step/sweeps.hpp"

namespace halocline::fractional {

class LodStep {
 public:
  /// For a formulation that read_published.cpp accepts; all outlive this.
  LodStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& coefficients,
          SideValues& sides, const StepSources& sources, const StepFactors& factors, Sweeps<double>& sweeps);

  /// Of the step that `past` has opened: the increment in the slot, and c of the next level, both but for Dirichlet
  /// nodes. Collective.
  void solve(SlabField<double>& c, Past<Fp64>& past);

 private:
  void begin(int part, const SlabField<double>& c, Past<Fp64>& past);
  void add(int part, double weight, double* slot) const;

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  SideValues* sides_;
  const StepSources* sources_;
  const StepFactors* factors_;
  Sweeps<double>* sweeps_;
  SlabField<double> given_;  // mu (F - sigma H)
  std::array<double, 3> weights_;
  std::vector<UpdateField> updates_;
  std::vector<NodeValue> mu_;
};

}  // namespace halocline::fractional
