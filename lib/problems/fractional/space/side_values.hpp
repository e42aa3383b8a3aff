// SideValues: what is given on the six sides, at the last three levels, and how it enters a step on every part.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/fields/slab_formula.hpp"
#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/space/side_kernels.hpp"

namespace halocline::fractional {

class SideValues {
 public:
  /// All three outlive this.
  SideValues(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& of);

  /// Level 0: initial values on Dirichlet sides, given values at t = 0 on others.
  void start(int part);
  /// Goes on to the next level, of time t.
  void next(int part, double t);
  /// Values of the last three levels as a run at time t_l had them, for a restart: times of levels l, l-1, l-2; where
  /// a level is below 0 its time is negative, and values are not used.
  void restore(int part, const std::array<double, 3>& times);

  /// Adds mu times the data of natural sides to R, extrapolated: q_{l-1} + ahead (q_{l-1} - q_{l-2}), by
  /// medium. T: double or float, here and below.
  template <class T>
  void add_data(int part, const NodeValue& mu, const MediumNumbers& ahead, T* w) const;
  /// Whether prepare() reads nu in ghosts: where parts cut sides of x along y. The same on all ranks.
  bool reads_neighbors() const;
  /// What sides gain over their extrapolation by r, and from it what Dirichlet sides of x and y give to their sweeps.
  void prepare(int part, const NodeValue& nu, double ratio);
  /// For the published LOD step, whose sides are all Dirichlet ones: each enters every sweep with its value at the
  /// level, or with what is consistent with the sweeps to come, given mu (F - sigma H) and the shares of it that sweeps
  /// take.
  void prepare_end_time(int part);
  void prepare_consistent(int part, const NodeValue& mu, const double* given, const std::array<double, 3>& shares);
  /// Puts the datum of an axis into the right-hand side of its sweep; `some`: of y or z, in rows along the other of
  /// these, counted within the part.
  template <class T>
  void enter(int part, int axis, const NodeValue& nu, T* w) const;
  template <class T>
  void enter(int part, int axis, const NodeValue& nu, T* w, const Range<1>& some) const;
  /// Whether a side of the part has one.
  bool enters(int part, int side) const {
    return parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)].has_value();
  }
  /// Adds to the right-hand side of a whole step what natural sides gain; gives Dirichlet nodes of W what theirs do.
  void add_gains(int part, const NodeValue& nu, double* w) const;
  template <class T>
  void give_gains(int part, T* w) const;
  /// The most that a datum of the sweeps, prepared, changes at its node of a side; 0 where all data are one number.
  double largest_gain(int part, int side, const NodeValue& nu) const;
  /// Dirichlet nodes of C and of the increment, after the last sweep. Numbers: a precision of precision_layout.hpp.
  template <class Numbers>
  void keep(int part, typename Numbers::Field* c, typename Numbers::Slot* slot) const;

 private:
  struct Plane {  // of one side on one part
    SidePlane plane;
    Array<double, 1> memory;  // levels, gain, two results of tangential rows
    double *levels[3] = {}, *gain = nullptr, *given[2] = {};
    std::optional<SlabFormula> formula, initial;
    double number = 0;
    const double* entering = nullptr;  // what Dirichlet gives to the sweep of its axis
    SideLevels q() const { return {levels[0], levels[1], levels[2]}; }
  };
  using Part = std::array<std::optional<Plane>, 6>;
  // Sides of numbers: once all levels are these, sides gain nothing, and every step leaves what they gave the last one.
  struct Rest {
    int levels = 0;        // of the last three, on end, that are the numbers
    bool reached = false;  // nothing is gained by any side
  };

  std::optional<Plane> make_plane(int part, int side) const;
  void evaluate(const Executor& executor, int side, Plane& plane, std::optional<SlabFormula>& formula, double t,
                double* to) const;
  // use(side, plane) for the sides of a part.
  template <class Use>
  void each_plane(int part, const Use& use) {
    for (int side = 0; side < 6; ++side)
      if (auto& plane = parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(side)]) use(side, *plane);
  }
  void take_share(int part, int side, const double* given, double share, double* out) const;
  const double* tangent(int part, int side, int axis, const NodeValue& nu, const double* in, double* out) const;
  EdgeData edge(int part, int side, int of) const;
  template <class T>
  void add_gain(int part, int side, const Plane& plane, const NodeValue& nu, T* w, const Range<1>& some) const;
  template <class Make>
  void launch_dirichlet(int part, int axis, const Range<1>& some, const Make& make) const;
  Range<1> all_rows(int part, int axis) const { return {{0}, {slabs_->layout(part).extent[axis == 2 ? 1 : 2]}}; }
  bool natural(int side) const { return end_of(formulation_->sides[static_cast<std::size_t>(side)]) == End::natural; }

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  bool numbers_;  // all sides are given by numbers
  std::vector<Part> parts_;
  std::vector<Rest> rests_;  // of parts
};

}  // namespace halocline::fractional
