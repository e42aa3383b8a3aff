// Looks: at which steps the error of sweeps is to be bounded.
#pragma once

#include <array>

#include "lib/base/publish.hpp"

namespace halocline::fractional {

/// What the error of the sweeps of a step grows with.
struct Demand {
  /// What drives the step, over the largest c before it: the right-hand side R, and what data change at the nodes of
  /// each side; of a run whose data do not change, the length of the step alone.
  std::array<double, 7> drives{};
  double nu = 0;  // the largest (1 - theta)/A
};

class Looks {
 public:
  /// `limit`: of the error over the largest c. `slight`: a drive that is too weak to matter.
  Looks(double limit, double slight) : limit_(limit), slight_(slight) {}

  /// Whether the sweeps of a step may be trusted from what the last two bounds were. Looks are 1, 2, 4, .. 256 steps
  /// apart for as long as bounds are small, and next to each other again where one is not, or drives have grown much
  /// since the last look, from any size that they have had since: what begins to grow has a shape of its own.
  bool trust(Index level, const Demand& now);
  /// The bound of the step that was not to be trusted.
  void note(Index level, const Demand& now, double error);
  /// Of errors that need no closer bound, and two in a row no look at the next step.
  double enough() const;

  void archive(StateArchive& archive);

 private:
  bool look_closely();

  double limit_, slight_;
  double error_ = 0, before_ = 0;  // the last bound, and the one before it
  Index level_ = 0, apart_ = 1;    // of the last look, and from there to the next one
  Demand looked_;                  // of the step of the last bound
  Demand least_;                   // its drives, and the least since then
};

}  // namespace halocline::fractional
