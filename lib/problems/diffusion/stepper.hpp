// Stepper: one kind of equation, advanced step by step on all parts. The problem (problem.cpp) counts time, writes and
// verifies; a stepper holds the state. Each kind of equation is a class in a file of its own, made by make_stepper.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/fields/formula_errors.hpp"
#include "lib/problems/diffusion/exact.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/problem.hpp"
#include "lib/time/stepping.hpp"

namespace halocline::diffusion {

struct Measures {
  double mass = 0;  // sum of c times the volume of a cell
  double low = 0, high = 0;
  std::array<double, 6> uptake{};  // through each side since t = 0, times the volume of a cell; 0 if not recorded
  double total_uptake = 0;         // their exact sum
  std::optional<double> source;    // what the source has added since t = 0, where that is kept
  std::optional<double> energy;    // free energy, where the equation has one
};

// Of a state; `volume` of a cell. Collective.
template <class T>
Measures measures_of(const Field<T>& field, double volume);

class Stepper : public TimeStepper {
 public:
  // The state at t = 0: values of a formula of the five variables. Collective.
  virtual void set(const Program& initial) = 0;
  // The state of a part on the host, (z, y, x) without gaps.
  virtual std::vector<double> state(int part) const = 0;
  // The same on the device, rows perhaps with gaps; no data where the state is not of doubles.
  virtual View<const double, 3> view(int part) const = 0;
  virtual Range<3> box(int part) const = 0;  // global box of a part, axes x, y, z
  // Collective. `bad`: number of the first cell that is not finite, x fastest; -1: none.
  virtual Measures measure() const = 0;
  virtual Index first_bad() const = 0;
  // Of the state against a known one. Collective.
  virtual ErrorSums errors(const KnownSolution& known) const = 0;
  virtual void archive(StateArchive& archive) = 0;
  virtual Traffic traffic() const = 0;
  virtual std::string summary() const = 0;  // kernels and steps per sweep, for the log
  // Passes over all cells that a step takes, on average.
  virtual double passes_per_step() const { return 1; }
  // What else the result table tells of the steps.
  virtual void report(Findings& /*findings*/) const {}
};

// For formulation.equation, with a state of doubles or (`single`) floats. Throws DeckError when the kernel asked for
// does not exist for a device.
std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation, bool single);

// The same for EquationKind::diffusion: constant D by a mask (convolve_stepper.cpp).
std::unique_ptr<Stepper> make_convolve_stepper(const Context& context, const Formulation& formulation, bool single);

// Variable diffusivity and sources (flux_stepper.cpp), Cahn-Hilliard (spinodal_stepper.cpp); doubles only.
std::unique_ptr<Stepper> make_flux_stepper(const Context& context, const Formulation& formulation);
std::unique_ptr<Stepper> make_spinodal_stepper(const Context& context, const Formulation& formulation);

// Any equation by a stabilized method (stabilized/stabilized_stepper.cpp).
std::unique_ptr<Stepper> make_stabilized_stepper(const Context& context, const Formulation& formulation);

// Rows (planes) of halo that sweeps of so many steps need.
int halo_rows(const Formulation& formulation, int steps_per_sweep);

}  // namespace halocline::diffusion
