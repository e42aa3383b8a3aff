// StepControl: how large the next step is, from the estimated errors of the last ones.
//
// For estimates of third order in the step, with the memory of one step: G. Soderlind's and B. P. Sommeijer, L. F.
// Shampine, J. G. Verwer's (J. Comput. Appl. Math. 88 (1997) 315) rule. Errors are relative to the tolerance.
#pragma once

#include "lib/base/publish.hpp"

namespace halocline {

class StepControl {
 public:
  explicit StepControl(double first) : next_(first) {}

  double next() const { return next_; }
  /// A step of this size, at most next(), has been made.
  void accepted(double dt, double error);
  /// It has not been made: its error, where above 1 or no number, or the limit `allowed` of steps was in the way.
  void refused(double dt, double error, double allowed);
  void archive(StateArchive& state);

 private:
  double next_;
  double last_ = 0, last_error_ = 0;  // of the last step of full size; 0: none
  bool after_refusal_ = false;
};

}  // namespace halocline
