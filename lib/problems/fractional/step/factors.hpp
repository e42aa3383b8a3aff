// StepFactors: mu = 1 / (sigma A + (1 - theta)(k - dF/dc)) and nu = (1 - theta) mu of a step, as numbers or as fields.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"
#include "lib/problems/fractional/step/sources.hpp"

namespace halocline::fractional {

class StepFactors {
 public:
  /// All outlive this.
  StepFactors(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& of,
              const StepSources& sources);

  /// Of the step to come, its sources evaluated. Throws NumericalError where mu is not positive. Collective.
  void set(const LevelNumbers& n);
  /// The same without what of dF/dc differs from node to node, which needs no sources.
  void set_linear(const LevelNumbers& n);
  /// Fills the ghosts of nu, where that is a field. Collective.
  void exchange_nu();
  /// nu times a number, until the next set().
  void scale_nu(double factor);
  NodeValue mu(int part) const { return mu_ ? NodeValue{mu_->data(part), 0} : NodeValue{nullptr, number_}; }
  NodeValue nu(int part) const { return nu_ ? NodeValue{nu_->data(part), 0} : NodeValue{nullptr, nu_number_}; }
  /// nu where it is a number.
  double nu_number() const { return nu_number_; }

 private:
  void set_number(const LevelNumbers& n);
  void set_fields(const LevelNumbers& n, bool with_slope, bool look);

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  const StepSources* sources_;
  std::optional<SlabField<double>> mu_, nu_;
  double number_ = 0, nu_number_ = 0;
  std::vector<double> least_;  // denominators of parts
};

}  // namespace halocline::fractional
