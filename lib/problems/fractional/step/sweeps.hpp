// Sweeps: solves (I - nu Lambda_a) along the lines of an axis, in place, on every part.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "lib/linalg/strips/chunked_exchange.hpp"
#include "lib/linalg/strips/field_kernels.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/fractional/space/coefficients.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

/// What sweeps of one axis have on a part.
template <class T>
struct SweepAxis {
  std::optional<strips::StripTables<T>> tables;  // of common coefficients
  Array<strips::JoinStep, 1> steps;              // of own ones
  Array<T, 1> ends;                              // where lines are not solved at once
  Array<double, 1> own_ends;                     // of own ones, solved in double
  Index lines = 0;
  bool in_blocks = false;  // by the kernels of sweep_path.hpp
  bool ahead = false;      // strips are reduced by the sweep before; where y is cut
};
/// Of lines along an axis that is cut.
template <class T>
struct SharedLines {
  std::optional<strips::ChunkedExchange<T, strips::CommonLine<T>>> common;
  std::optional<strips::ChunkedExchange<double, strips::OwnLine>> own;
  std::vector<strips::CommonLine<T>> common_lines;
  std::vector<strips::OwnLine> own_lines;
};

/// T: of the right-hand sides, double or float, and of line solves with common coefficients.
template <class T>
class Sweeps {
 public:
  /// Both outlive this. Collective.
  Sweeps(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& of);

  /// nu of the step to come: a number, of which tables are made where rows have their coefficients in common.
  void set(double nu);
  /// Whether lines along an axis are cut between parts: y (1) of boxes, z (2) where there are several layers of parts.
  bool cut(int axis) const { return shared_[static_cast<std::size_t>(axis)].has_value(); }
  /// Along an axis of a part that is not cut; `nu` as given to set(), or a field.
  void solve(int part, int axis, const NodeValue& nu, T* w);
  /// Along x and y of all parts, where y is cut, in place; sides enter before each, and at the end those of z. Returns
  /// what solve_across() along z then takes as `ahead`. Collective.
  const SideValues* solve_first_two(const std::vector<NodeValue>& nu, const std::vector<T*>& w,
                                    const SideValues& sides);
  /// Along z of all parts; updates[part] takes the solution. `ahead`: strips are reduced where the sweep before does
  /// that, but for those into which these sides have entered since; null: none are. Collective.
  template <class Numbers>
  void solve_across(const std::vector<NodeValue>& nu, const std::vector<UpdateOf<Numbers>>& updates,
                    const SideValues* ahead = nullptr);
  /// Along any axis in place. Collective.
  void solve_across(int axis, const std::vector<NodeValue>& nu, const std::vector<T*>& w,
                    const SideValues* ahead = nullptr);
  Traffic traffic() const;

 private:
  using Axis = SweepAxis<T>;
  using Part = std::array<Axis, 3>;
  using Shared = SharedLines<T>;
  // right(part) is where right-hand sides lie, results(part) takes the solution.
  template <class Right, class Results>
  void solve_all(int which, const std::vector<NodeValue>& nu, const Right& right, const Results& results,
                 const SideValues* ahead);
  template <class Right, class Result>
  void solve_whole(int part, int which, const NodeValue& nu, const Right& right, const Result& result);
  // reduced(part, chunk), resolved(part, chunk): do what there is to do by other means, and say so.
  template <class Line, class Exchange, class Rows, class Results, class Reduced, class Resolved>
  void solve_shared(int which, Exchange& exchange, const std::vector<Line>& lines, const Rows& rows,
                    const Results& results, const Reduced& reduced, const Resolved& resolved);
  using Chunk = strips::LineChunk<T>;
  void solve_rows_ahead(int part, const Chunk& chunk, T* w);     // along x, and strips along y
  void solve_columns_ahead(int part, const Chunk& chunk, T* w);  // along y, and strips along z
  void reduce_at_sides(int part, int which, const Chunk& chunk, T* w, const SideValues& sides);
  Axis& axis(int part, int which) { return parts_[static_cast<std::size_t>(part)][static_cast<std::size_t>(which)]; }
  Shared& shared(int which) { return *shared_[static_cast<std::size_t>(which)]; }
  strips::LineField field(int part, int axis) const;
  strips::LineField field(int part, int axis, const Range<1>& columns) const;
  strips::OwnLine own_line(const Axis& axis, int which) const;
  void make(Axis& axis, int which, int part) const;
  void share(int which);
  bool plans_ahead(int part, int which) const;
  std::vector<strips::CommonLine<T>>& set_common_lines(int which);

  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  const Coefficients* coefficients_;
  bool common_;  // all rows of a line are known on the host
  std::vector<Part> parts_;
  std::array<std::optional<Shared>, 3> shared_;
  double nu_ = -1;
};

}  // namespace halocline::fractional
