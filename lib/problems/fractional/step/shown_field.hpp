// ShownField: the field that a run shows, a level or a state between two of them, and what is measured on it.
#pragma once

#include <memory>
#include <optional>

#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"

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
  /// Both outlive this.
  ShownField(const Formulation& formulation, const Coefficients& coefficients)
      : formulation_(&formulation), coefficients_(&coefficients) {}

  /// The field c of a level; where it is of double, as it is from now on. Numbers: a precision of precision_layout.hpp.
  template <class Numbers>
  void show_level(const SlabField<typename Numbers::Field>& c);
  /// c + factor times its last increment, as they are now.
  template <class Numbers>
  void show_between(const SlabField<typename Numbers::Field>& c, double factor,
                    const SlabField<typename Numbers::Slot>& last);

  const SlabField<double>& field() const { return *field_; }
  Measures measure() const;                                    // collective
  ErrorMeasures errors(const Program& exact, double t) const;  // collective; against a formula of (x, y, z, t)

 private:
  template <class Numbers>
  void make(const SlabField<typename Numbers::Field>& c, double factor,
            const SlabField<typename Numbers::Slot>* increment);

  const Formulation* formulation_;
  const Coefficients* coefficients_;
  std::optional<SlabField<double>> made_;
  const SlabField<double>* field_ = nullptr;  // of the level, or made
};

}  // namespace halocline::fractional
