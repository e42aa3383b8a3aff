// SweepStep: the solution of a step by three sweeps, with what the sides give to each.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"
#include "lib/problems/fractional/step/sweeps.hpp"

namespace halocline::fractional {

/// T: of the line solves, double or float.
template <class T>
class SweepStep {
 public:
  /// All outlive this. Collective.
  SweepStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
            const Coefficients& coefficients, SideValues& sides, const StepFactors& factors);

  /// Before a step is solved, sides and factors being those of it.
  void prepare(const LevelNumbers& n);
  /// From R in the slot: W, the difference from the prediction, which goes to `updates`, one of each part, or to the
  /// slot where there are none. Collective.
  template <class Numbers = std::conditional_t<std::is_same_v<T, double>, Fp64, Mixed>>
  void solve(SlabField<T>& slot, const std::vector<UpdateOf<Numbers>>& updates);
  /// The most that a datum of each side changes at its node, prepared. Collective.
  std::array<double, 6> largest_gains();
  /// values = P^-1 values, with nothing given on the sides: 0 on Dirichlet nodes. Collective.
  void invert(const std::vector<T*>& values);
  /// The same with the factor of one axis. Collective.
  void invert_along(int axis, const std::vector<T*>& values);
  Sweeps<T>& sweeps() { return sweeps_; }
  Traffic traffic() const { return sweeps_.traffic(); }

 private:
  std::shared_ptr<Slabs<double>> slabs_;
  SideValues* sides_;
  const StepFactors* factors_;
  Sweeps<T> sweeps_;
  std::vector<T*> values_;
  std::vector<NodeValue> nus_;
  std::vector<std::array<double, 6>> gains_;
};

}  // namespace halocline::fractional
