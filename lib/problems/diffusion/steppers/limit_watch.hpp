// LimitWatch: the limit of stability while a run goes on, where D or a reaction changes with time or with c.
//
// Euler steps with D up to D_max and reactions that decay at a rate up to r are stable up to 2 / (D_max max|symbol| +
// r), those of other methods to their reach in place of 2. Both are noted in the pass that evaluates the formulas, as
// largest values: equal bits on any layout.
#pragma once

#include "lib/base/log.hpp"
#include "lib/fields/slab_field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/steppers/wall_diffusivity.hpp"

namespace halocline::diffusion {

// A bound of -dS/dc where it depends on time and c alone: the largest of 257 values between the least and the largest
// c. A pass over all cells costs as much as the source itself; this one needs the extremes of c.
class DecayBound {
 public:
  explicit DecayBound(const Program& decay) : decay_(decay) {}
  double largest(double low, double high, double t);

 private:
  Program decay_;
  double low_ = 1, high_ = 0, bound_ = 0;  // for these c, where time does not matter
};

/// Throws NumericalError for a state with a cell that is not finite: no step from there has a limit. `suspect`: what
/// may have made it so; empty: nothing in particular.
[[noreturn]] void refuse_state(const UniformGrid& grid, Index bad, double t, const std::string& suspect = "");

class LimitWatch {
 public:
  /// Both outlive this.
  LimitWatch(const Formulation& formulation, Log& log) : f_(&formulation), log_(&log), limit_(formulation.limit) {}

  /// The largest D and the fastest decay from now on.
  void note(double largest_D, double reaction);
  /// The same of Cahn-Hilliard: the largest mobility, and the largest f''(c).
  void note_curvature(double mobility, double curvature);
  double limit() const { return limit_; }
  /// Whether a step of this size is stable.
  bool allows(double dt) const { return dt <= limit_ * (1 + limit_tolerance); }
  /// Whether D (the mobility) is negative or not finite somewhere.
  bool bad_D() const;
  /// Whether refuse() has something to say.
  bool tells() const;
  /// For a step that is not: tells when, where and why, once; or throws NumericalError, where the deck wants that, the
  /// limit has become useless, or D (the mobility) is bad. `D`, `decay`: values on cells, null where they do not vary;
  /// `walls`: D on walls. Collective, with the same arguments on all ranks.
  void refuse(double dt, double t, const SlabField<double>* D, const SlabField<double>* decay,
              const WallDiffusivity* walls = nullptr);

 private:
  bool useless() const;
  std::string cause(const SlabField<double>* D, const SlabField<double>* decay, const WallDiffusivity* walls) const;

  const Formulation* f_;
  Log* log_;
  double D_ = 0, reaction_ = 0, limit_;
  bool told_ = false;
};

}  // namespace halocline::diffusion
