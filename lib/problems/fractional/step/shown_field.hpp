// ShownField: the field that a run shows, a level or a state between two of them, and what is measured on it.
#pragma once

#include <memory>
#include <optional>

#include "lib/problems/fractional/space/coefficients.hpp"

namespace halocline::fractional {

struct Measures {
  double mass = 0;  // sum of w sigma c times the volume of a cell
  double low = 0, high = 0;
};
struct ErrorMeasures {
  double largest = 0, square = 0;  // square: sum over all nodes
};

class ShownField {
 public:
  /// All outlive this; c is the field of the level.
  ShownField(const Formulation& formulation, const Coefficients& coefficients, const SlabField<double>& c)
      : formulation_(&formulation), coefficients_(&coefficients), c_(&c) {}

  /// The level itself.
  void show_level() { between_ = false; }
  /// c + factor times its last increment.
  void show_between(double factor, const SlabField<double>& last);

  const SlabField<double>& field() const { return between_ ? *shown_ : *c_; }
  Measures measure() const;                                    // collective
  ErrorMeasures errors(const Program& exact, double t) const;  // collective; against a formula of (x, y, z, t)

 private:
  const Formulation* formulation_;
  const Coefficients* coefficients_;
  const SlabField<double>* c_;
  std::optional<SlabField<double>> shown_;
  bool between_ = false;  // `shown_` is what is shown
};

}  // namespace halocline::fractional
