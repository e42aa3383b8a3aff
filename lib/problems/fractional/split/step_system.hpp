// StepSystem: the operator of a step as a whole, I - nu Lambda, on the fields of all parts of a rank, and vectors that
// lie in memory like these fields.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/vector.hpp"
#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/step/factors.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// Node (0, 0, 0) of every part of the rank. T: double or float, here and below.
template <class T>
using PartValuesOf = std::vector<T*>;
using PartValues = PartValuesOf<double>;
template <class T>
PartValuesOf<T> values_of(SlabField<T>& field);
PartValues values_of(Vector<double>& vector);
/// The same of a vector that is read, but for its ghosts.
PartValues values_for_ghosts(const Vector<double>& vector);

class StepSystem {
 public:
  /// `coefficients` and `factors`, which are those of the step under way, outlive this.
  StepSystem(const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& coefficients, const StepFactors& factors);

  const std::shared_ptr<Slabs<double>>& slabs() const { return slabs_; }
  const Coefficients& coefficients() const { return *coefficients_; }
  const StepFactors& factors() const { return *factors_; }
  /// Of vectors with a value per node and room for ghosts, whose chunks are lines along x.
  const VectorSpacePtr& space() const { return space_; }
  /// From the neighbors' own planes. Collective.
  void exchange(const PartValues& values) const;
  /// Makes vectors out of them again that sums may be made of: ghosts that lie among their groups become 0.
  void forget_ghosts(const PartValues& values) const;

  /// Unknowns are all nodes but those of Dirichlet sides; results elsewhere are 0. u has its ghosts.
  /// out = right - (I - nu Lambda) u; right may be empty, for 0, and may be out.
  template <class T>
  void residual(const PartValues& right, const PartValues& u, const PartValuesOf<T>& out) const;
  /// y = w (u/nu - Lambda u), with w the share of a cell that belongs to a node.
  void apply(const PartValues& u, const PartValues& y) const;
  /// b = w (b/nu + Lambda u)
  template <class T>
  void make_right(const PartValuesOf<T>& u, const PartValues& b) const;
  /// y = x over the diagonal of apply()
  void precondition(const PartValues& x, const PartValues& y) const;
  /// to = from, with zeros behind the nodes of each row, and on nodes that are no unknowns where so asked.
  template <class From, class To>
  void take(const PartValuesOf<From>& from, const PartValuesOf<To>& to, bool unknowns_only) const;
  template <class T>
  void clear(const PartValuesOf<T>& to) const;
  /// Unknowns alone.
  template <class T>
  void put(const PartValues& from, const PartValuesOf<T>& to) const;
  /// Numbers in [-1, 1) by the global node and `stream`, 0 or 1.
  void randomize(int stream, const PartValues& to) const;
  /// C and increments from the solution W in their slots.
  template <class Numbers>
  void update(const std::vector<UpdateOf<Numbers>>& updates) const;

  /// The largest magnitude on all nodes of all parts. Collective.
  template <class T>
  double largest(const PartValuesOf<T>& u) const;
  /// The same of unknowns alone. Collective.
  template <class T>
  double largest_unknown(const PartValuesOf<T>& u) const;
  /// An upper bound of the magnitudes of (I - nu Lambda)^-1 r, from the rows' diagonal dominance; infinite where there
  /// is none. Varah, Linear Algebra Appl. 11 (1975) 3. Collective.
  template <class T>
  double error_bound(const PartValuesOf<T>& r) const;
  /// The largest magnitude on the diagonal of nu Lambda. Collective.
  double stiffness() const;
  /// The largest that precondition() makes of b - apply(u), with the ghosts of u. Collective.
  double largest_correction(const PartValues& b, const PartValues& u) const;
  /// The first global number of a node with that magnitude. Collective.
  Index place_of_largest(const PartValues& u) const;
  /// The largest magnitude of C before the step, and after it with W in the slots. Collective.
  template <class Numbers>
  double largest_state(const std::vector<UpdateOf<Numbers>>& updates) const;

 private:
  template <class Make>
  void each(const char* name, bool whole_rows, const Make& make) const;
  template <class T, class Value>
  void each_unknown(const char* name, const PartValuesOf<T>& out, const Value& value) const;
  template <class Make>
  double largest_of(const char* name, const Make& make) const;
  template <class Value>
  double largest_of_unknowns(const char* name, const Value& value) const;

  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  const StepFactors* factors_;
  VectorSpacePtr space_;
};

}  // namespace halocline::fractional
