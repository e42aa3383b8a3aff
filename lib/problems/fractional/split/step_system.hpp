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

/// Node (0, 0, 0) of every part of the rank.
using PartValues = std::vector<double*>;
PartValues values_of(SlabField<double>& field);
PartValues values_of(Vector<double>& vector);
/// The same of a vector that is read, but for its ghosts.
PartValues values_for_ghosts(const Vector<double>& vector);

class StepSystem {
 public:
  /// `coefficients` and `factors`, which are those of the step under way, outlive this.
  StepSystem(const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& coefficients, const StepFactors& factors);

  const std::shared_ptr<Slabs<double>>& slabs() const { return slabs_; }
  const StepFactors& factors() const { return *factors_; }
  /// Of vectors with a value per node and room for ghosts, whose chunks are lines along x.
  const VectorSpacePtr& space() const { return space_; }
  /// From the neighbors' own planes. Collective.
  void exchange(const PartValues& values) const;

  /// Unknowns are all nodes but those of Dirichlet sides; results elsewhere are 0. u has its ghosts.
  /// out = right - (I - nu Lambda) u; right may be empty, for 0, and may be out.
  void residual(const PartValues& right, const PartValues& u, const PartValues& out) const;
  /// y = w (u/nu - Lambda u), with w the share of a cell that belongs to a node.
  void apply(const PartValues& u, const PartValues& y) const;
  /// b = w (b/nu + Lambda u)
  void make_right(const PartValues& u, const PartValues& b) const;
  /// y = x over the diagonal of apply()
  void precondition(const PartValues& x, const PartValues& y) const;
  /// to = from, with zeros behind the nodes of each row, and on nodes that are no unknowns where so asked.
  void take(const PartValues& from, const PartValues& to, bool unknowns_only) const;
  void clear(const PartValues& to) const;
  /// Unknowns alone.
  void put(const PartValues& from, const PartValues& to) const;
  /// Numbers in [-1, 1) by the global node and `stream`, 0 or 1.
  void randomize(int stream, const PartValues& to) const;
  /// C and increments from the solution W in their slots.
  void update(const std::vector<UpdateField>& updates) const;

  /// The largest magnitude on all nodes of all parts. Collective.
  double largest(const PartValues& u) const;
  /// The first global number of a node with that magnitude. Collective.
  Index place_of_largest(const PartValues& u) const;
  /// The largest magnitude of C before the step, and after it with W in the slots. Collective.
  double largest_state(const std::vector<UpdateField>& updates) const;

 private:
  template <class Make>
  void each(const char* name, bool whole_rows, const Make& make) const;
  template <class Value>
  void each_unknown(const char* name, const PartValues& out, const Value& value) const;
  template <class Make>
  double largest_of(const char* name, const Make& make) const;

  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  const StepFactors* factors_;
  VectorSpacePtr space_;
};

}  // namespace halocline::fractional
