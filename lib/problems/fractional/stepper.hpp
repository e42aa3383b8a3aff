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
  // Parts are slabs of z planes that begin where strips of lines along z begin: the plan's partition counts planes.
  Stepper(const Context& context, const Formulation& formulation);
  ~Stepper();

  // Level 0; first_bad() tells whether the initial state is finite.
  void set_initial();
  // Of level 0: whether sweeps are stable; a restart knows. Collective.
  void choose_split();
  // From level() to the next. No allocation once steps are equal, and no wait for devices but to send, except in steps
  // that SplitControl looks at.
  void step();
  void wait();  // until all steps are done on all devices
  Index level() const;

  // Shows the field between levels: at the level before, plus `fraction` of the last increment; 1: the level itself.
  void show(double fraction);
  const ShownField& shown() const;
  View<const double, 3> view(int part) const;  // (z, y, x) of a part, as shown
  Range<1> planes(int part) const;             // of the grid

  // Global number of the first node that is not finite; -1: none. Collective.
  Index first_bad() const;

  void archive(StateArchive& archive);  // collective
  Traffic traffic() const;
  HistoryFigures history() const;
  const SplitFigures& split() const;
  std::string summary() const;  // a line for the log: scheme, history, terms

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline::fractional
