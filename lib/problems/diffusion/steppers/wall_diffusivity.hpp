// WallDiffusivity: D on the walls themselves, where it varies and something passes through them.
//
// Where a derivative is given (neumann, robin) the flux through a wall is D at the wall times that derivative; D of the
// cell inside would be off by half a cell. Between a wall held at a value (dirichlet) and the cell beside it counts the
// mean of D at both, as between cells. c at a wall is the mean of the cell inside and its ghost. A flux that is given
// is in the ghost (walls.cpp), for a D of 1.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/fields/point_program.hpp"
#include "lib/fields/row_program.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

/// A value that is looked for, and where it is; an empty place: there is none.
struct FoundValue {
  std::string place;
  double value = 0;
};
/// Whether a value is the one that is looked for: `wanted`, or where that is infinite one that D must not have.
bool is_wanted(double value, double wanted);
/// Text and value of the first of all ranks by number; `none`: of ranks that have found nothing. Collective.
FoundValue first_found(const Communicator& comm, Index number, Index none, double value,
                       const std::function<std::string(Index)>& place);

class WallDiffusivity {
 public:
  /// Of a formulation whose D is a formula, on the walls of a field.
  WallDiffusivity(const Context& context, const Formulation& formulation, const Field<double>& field);

  /// Evaluates D on the walls of a part at time t, for the state in the field and the values set on its walls;
  /// `largest`: where the largest is noted, null: nowhere. On the compute queue.
  void evaluate(int part, double t, Bits* largest);
  /// See is_wanted(). Collective.
  FoundValue find(double wanted) const;
  /// Tells the terms of a part where D on its walls lies.
  void put(int part, FluxTerms& terms) const;

 private:
  // Points of all walls of a part in one list, in lines of `width`; side after side, as [slow][fast], and copies of the
  // last point at the end.
  struct Part {
    Index count = 0, width = 1;
    Array<double, 1> at[3], c, D;
    std::vector<Array<double, 1>> looked_up;  // by points: what rasters have there
    Array<WallPoint, 1> points;
    Array<Index, 1> fluxes;       // numbers of the points where D counts as 1
    Array<double, 1> all_fluxes;  // values of sides where that holds everywhere, or nothing passes
    std::optional<PointProgram> by_points;
    std::optional<RowProgram> by_rows;
    WallD walls[3][2];
  };
  struct List;
  void list_side(int part, int axis, int which, const Formulation& f, List& list);

  const Context& context_;
  const Field<double>& field_;
  bool uses_c_;
  std::vector<Part> parts_;
};

}  // namespace halocline::diffusion
