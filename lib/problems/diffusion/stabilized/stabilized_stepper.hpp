// StabilizedStepper: steps of a stabilized method (stage_table.hpp) for any equation (rate_operator.hpp).
//
// The number of stages follows from the step and the spectral radius, which is bounded for the state before the step
// and, where it changes, judged again for the state after it: a step that had too few stages is made again. With a
// tolerance the error of a step is estimated, and one above it is given back (Stepping chooses its size). The state
// before a step is kept for that; everything else is computed from it, so that a restart has the same bits.
//
// Memory: Y_0, Y_{j-1}, Y_{j-2}, F_0, and what the equation needs. Within a step the old state of the field is Y_{j-1}
// and its new one Y_{j-2}, which Y_j takes the place of.
#pragma once

#include <array>

#include "lib/problems/diffusion/stabilized/rate_operator.hpp"
#include "lib/problems/diffusion/stabilized/stage_table.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"

namespace halocline::diffusion {

class StabilizedStepper final : public FieldStepper {
 public:
  StabilizedStepper(const Context& context, const Formulation& formulation);

  void set(const Program& initial) override;
  Index advance(const Clock& clock, Index steps) override;
  void mark(bool judged) override {
    marked_ = {stages_, tried_, again_};
    errors_count_ = judged;
  }
  void undo(bool made) override;
  double allowed() const override { return allowed_; }
  double error() const override { return error_; }
  std::string trouble() const override { return trouble_; }
  Measures measure() const override;
  double passes_per_step() const override { return tried_ > 0 ? static_cast<double>(stages_) / tried_ : 1; }
  void report(Findings& findings) const override;
  void archive(StateArchive& archive) override;
  std::string summary() const override;

 private:
  // Several stages in one pass over memory: rows of a band, how far each stage lies behind the one before, stages; 0
  // rows: each stage by itself.
  struct Bands {
    Index rows = 0, lag = 0;
    int stages = 1;
  };
  Bands choose_bands() const;
  bool make_step(double t, double dt, double end);
  bool within_reach(double radius, double dt, double t);
  bool good_enough(double dt, double end);
  void judge(double t);
  void run_stages(double t, double dt);
  void blame(double t, double dt, double end);
  void first_stage(double t, double dt);
  void stage(int j, double t, double dt);
  NextStage use(int j, int part, double dt) const;
  void begin();
  void stages_in_bands(double dt);
  double estimate(double dt);
  void restore();

  StageTable table_;
  SlabField<double> start_, rate_;  // Y_0 and F_0
  std::unique_ptr<RateOperator> operator_;
  bool records_;
  double most_reach_;
  Bands bands_;
  FieldRange range_;                          // of the old state
  double radius_ = 0;                         // bound for it
  bool judged_ = false, known_ = false;       // the old state; rate_, of the old state
  double judged_at_ = 0, known_at_ = 0;       // times
  double error_ = 0, allowed_ = 0;            // of the last step
  const char* trouble_ = "";                  // what would make error_ infinite
  Index stages_ = 0, tried_ = 0, again_ = 0;  // of all steps; steps, and those made again
  std::array<Index, 3> marked_{};             // these, before a step that does not count
  bool errors_count_ = true;                  // whether a step is refused for its error
};

}  // namespace halocline::diffusion
