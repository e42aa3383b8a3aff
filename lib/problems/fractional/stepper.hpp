// Stepper: the field on the parts of a rank, and one step from level to level.
#pragma once

#include <memory>

#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/split/split_figures.hpp"
#include "lib/problems/fractional/step/shown_field.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::fractional {

// Exponentials of the history, and the largest relative error measured of their kernel; zeros for other engines.
struct HistoryFigures {
  int terms = 0;
  double kernel_error = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // Level 0; first_bad() tells whether the initial state is finite.
  virtual void set_initial() = 0;
  // Of level 0: whether sweeps are stable; a restart knows. Collective.
  virtual void choose_split() = 0;
  // From level() to the next. No allocation once steps are equal, and no wait for devices but to send, except where
  // SplitControl looks: at some steps or, where `auto` finds source or sides that change, at what every one of them
  // does; and for the largest increment of every sub-block that becomes halves.
  virtual void step() = 0;
  virtual void wait() = 0;  // until all steps are done on all devices
  virtual Index level() const = 0;

  // Shows the field between levels: at the level before, plus `fraction` of the last increment; 1: the level itself.
  virtual void show(double fraction) = 0;
  // What was shown last.
  virtual const ShownField& shown() const = 0;
  virtual Range<3> block(int part) const = 0;  // of the grid

  // Global number of the first node of the level that is not finite; -1: none. Collective.
  virtual Index first_bad() const = 0;

  virtual void archive(StateArchive& archive) = 0;  // collective
  virtual Traffic traffic() const = 0;
  virtual HistoryFigures history() const = 0;
  virtual const SplitFigures& split() const = 0;
  virtual std::string summary() const = 0;  // a line for the log: scheme, history, terms
};

// In the precision of the formulation, which outlives it. Parts are those of boxes/part_boxes.hpp.
std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation);

}  // namespace halocline::fractional
