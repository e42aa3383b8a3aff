// Ghosts: what a step reads of c and its last increment beyond its part. One exchange a step brings the increment's;
// those of c grow by it, as c does.
#pragma once

#include "lib/problems/fractional/step/level_numbers.hpp"
#include "lib/problems/fractional/step/past.hpp"

namespace halocline::fractional {

template <class Numbers>
class Ghosts {
 public:
  using Field = typename Numbers::Field;

  /// Before the step is opened, and before anything reads ghosts of c or, with a ratio, of past.last(), which may be
  /// another field by then. Collective.
  void start(const LevelNumbers& n, SlabField<Field>& c, Past<Numbers>& past);
  void finish(const LevelNumbers& n, SlabField<Field>& c, Past<Numbers>& past);
  /// c is another one now: its ghosts will be exchanged as well.
  void forget() { known_ = false; }

 private:
  bool grow(const LevelNumbers& n) const { return known_ && n.ratio > 0; }

  bool known_ = false;  // ghosts of c are those of the level before the last increment
};

}  // namespace halocline::fractional
