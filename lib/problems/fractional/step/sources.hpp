// StepSources: F and dF/dc of a step, at t* and at the state extrapolated to it.
#pragma once

#include <memory>
#include <optional>

#include "lib/fields/formula_field.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/space/media_field.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"

namespace halocline::fractional {

class StepSources {
 public:
  /// `formulation` and `media` outlive this.
  StepSources(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const MediumField& media);

  /// From c and its last increment, which is used where n.ratio > 0 only. Numbers: a precision of precision_layout.hpp.
  template <class Numbers>
  void evaluate(const LevelNumbers& n, const SlabField<typename Numbers::Field>& c,
                const SlabField<typename Numbers::Slot>* last);
  NodeValue source(int part) const { return value(source_, formulation_->source, part); }
  NodeValue slope(int part) const { return value(slope_, formulation_->source_slope, part); }
  /// Whether dF/dc differs from node to node, so that it is new in every step.
  bool slope_varies() const { return slope_.formula.has_value(); }

 private:
  struct Source {
    std::optional<FormulaField> formula;        // its values at one time
    std::optional<SlabField<double>> by_media;  // at the time of each medium, where there are several
  };
  static NodeValue value(const Source& source, const Coefficient& of, int part) {
    if (source.by_media) return {source.by_media->data(part), 0};
    return source.formula ? NodeValue{source.formula->data(part), 0} : NodeValue{nullptr, of.number};
  }
  template <class Numbers>
  const double* extrapolate(const LevelNumbers& n, int part, const typename Numbers::Field* c,
                            const typename Numbers::Slot* last);
  void evaluate(Source& source, const LevelNumbers& n, int part, const double* state);

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const MediumField* media_;
  Source source_, slope_;
  std::optional<SlabField<double>> ahead_of_;  // the extrapolated state, where formulas use c
};

}  // namespace halocline::fractional
