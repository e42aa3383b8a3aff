// RateOperator: dc/dt of one kind of equation, as stabilized methods ask for it: at times within a step, for the state
// in the field, and in one pass with what a stage makes of it.
//
// A new equation derives from RateOperator and gets its line in make_rate_operator().
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "lib/base/array.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/stabilized/stage_kernels.hpp"

namespace halocline::diffusion {

using StageUse = std::variant<FirstStage, NextStage, RateAlone>;
/// Values of a cell that a pass reads and writes, besides those of the equation.
inline int arrays_of(const StageUse& use) { return use.index() == 0 ? 2 : use.index() == 1 ? 4 : 1; }

class RateOperator {
 public:
  virtual ~RateOperator() = default;
  /// Walls and formulas at time t, for the state in the field with its halos. Collective; on the compute queues.
  virtual void prepare(double t) = 0;
  /// A bound of the spectral radius there, `range` being that of the state; infinite where the state is out of bounds.
  /// Waits for the devices; collective.
  virtual double radius(const FieldRange& range) = 0;
  /// Whether radius() changes.
  virtual bool moving() const = 0;
  /// Whether prepare() has nothing to do but once: walls and formulas do not change.
  virtual bool steady() const = 0;
  /// How many rows beyond those that apply() gets, along y too where there are neighbors, begin() must have had, both
  /// for the same state.
  virtual int ahead() const { return 0; }
  virtual void begin(int /*part*/, Rows /*rows*/) {}
  /// Rates of a box of a part's cells, for block(part).c and what has been prepared; walls record `share` times what
  /// they let in. On the compute queue.
  virtual void apply(int part, const SlabBox& cells, const StageUse& use, double share) = 0;
  /// A step from time t is not stable with the stages that the deck allows: tells so, or throws NumericalError.
  virtual void refuse(double dt, double t) = 0;
  virtual std::optional<double> energy() const { return std::nullopt; }
  virtual std::string summary() const = 0;
};

/// Rows (planes) of halo that the operator reads.
Index halo_of_rates(const Formulation& formulation);

/// What of the arguments an operator keeps outlives it.
std::unique_ptr<RateOperator> make_rate_operator(const Context& context, const Formulation& formulation,
                                                 Field<double>& field);

/// The same by kind of equation: constant D by a mask; variable D and sources; Cahn-Hilliard.
std::unique_ptr<RateOperator> make_mask_rate(const Context& context, const Formulation& formulation,
                                             Field<double>& field);
std::unique_ptr<RateOperator> make_flux_rate(const Context& context, const Formulation& formulation,
                                             Field<double>& field);
std::unique_ptr<RateOperator> make_spinodal_rate(const Context& context, const Formulation& formulation,
                                                 Field<double>& field);

}  // namespace halocline::diffusion
