// RightSide: R of a step on all parts, see right_side_kernels.hpp.
#pragma once

#include <memory>

#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/level_numbers.hpp"
#include "lib/problems/fractional/step/past.hpp"
#include "lib/problems/fractional/step/sources.hpp"

namespace halocline::fractional {

/// Nodes of a part: those of the box that reads no ghosts, and the others.
enum class Nodes { inner, outer };

/// Numbers: a precision of precision_layout.hpp.
template <class Numbers>
class RightSide {
 public:
  using Field = typename Numbers::Field;

  /// All outlive this.
  RightSide(const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& coefficients, const StepSources& sources,
            const StepFactors& factors)
      : slabs_(slabs), coefficients_(&coefficients), sources_(&sources), factors_(&factors) {}

  /// R, without what natural sides give, on some nodes of the slot of the step that `past` has opened. For the outer
  /// ones ghosts of c and, where n.ratio > 0, of its last increment are those of the level.
  void set(const LevelNumbers& n, const SlabField<Field>& c, Past<Numbers>& past, Nodes which) const;

 private:
  template <class Axis>
  RightSideBody<Axis, Numbers> body(const LevelNumbers& n, const SlabField<Field>& c, Past<Numbers>& past, int part,
                                    const Axis& x, const Axis& y, const Axis& z) const;
  template <class Axis>
  void launch(int part, RightSideBody<Axis, Numbers> body, const SlabBox& box) const;

  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  const StepSources* sources_;
  const StepFactors* factors_;
};

}  // namespace halocline::fractional
