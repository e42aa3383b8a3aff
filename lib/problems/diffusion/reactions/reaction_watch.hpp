// ReactionWatch: the limit of stability of several fields while a run goes on, where D or a reaction changes with time
// or with the fields. Rates of reactions are looked at before every 16th step, which costs a pass over the fields; they
// are the largest over all cells, so limits have equal bits on any layout.
#pragma once

#include <string>
#include <vector>

#include "lib/base/log.hpp"
#include "lib/base/publish.hpp"
#include "lib/problems/diffusion/reactions/formulation.hpp"

namespace halocline::diffusion {

class ReactionWatch {
 public:
  // Both outlive this.
  ReactionWatch(const Reactions& reactions, Log& log);

  // Whether the rates of reactions are to be looked at before the next step.
  bool due() const { return r_->moving_rates && steps_ % period == 0; }
  // What they are, of the entries that change.
  void note(const ReactionRates& moving);
  // The limit with these and the largest D of every field.
  void judge(const std::vector<double>& largest_D);
  void step_made() { ++steps_; }

  double limit() const { return limit_; }
  // Whether a step of this size is stable.
  bool allows(double dt) const { return dt <= limit_ * (1 + limit_tolerance); }
  // For a step that is not: tells when and why, once; or throws NumericalError, where the deck wants that, the limit
  // has become useless, or D is bad. With the same arguments on all ranks.
  void refuse(double dt, double t, const std::vector<double>& largest_D);

  // As it was, but for what has been told.
  void go_back(const ReactionWatch& before) {
    const bool told = told_;
    *this = before;
    told_ = told;
  }

  void archive(StateArchive& state);

 private:
  static constexpr Index period = 16;

  const Reactions* r_;
  Log* log_;
  ReactionRates rates_;
  double limit_;
  Index steps_ = 0;  // since t = 0
  bool told_ = false;
};

}  // namespace halocline::diffusion
