// Pieces of sides: where each begins and ends, and its factors alpha and beta. For formulate().
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lib/expression/formula_reader.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/options.hpp"

namespace halocline::collocation {

struct Piece {
  const PieceOptions* options = nullptr;
  std::string path;          // of its keys
  Index begin = 0, end = 0;  // nodes along the side, both included
  Expression alpha = 1, beta = 0;

  bool constant() const { return alpha.is_constant() && beta.is_constant(); }
};
using Pieces = std::vector<Piece>;  // of a side, from low to high coordinates; none where it is periodic

// Of the four sides, on the mesh of two axes, whose end conditions do not matter. Nothing, with faults reported, when
// something is wrong; where the mesh is, the axis is null.
std::optional<std::array<Pieces, 4>> read_pieces(const CollocationOptions& options, FormulaReader& reader,
                                                 const Axis* x, const Axis* y);
// Whether one pair of constant factors holds along the side.
bool of_one_condition(const Pieces& pieces);
// What an axis gets to know of its end: the factors of such a side; of others, whether u or its derivative or both
// enter.
EndCondition end_condition(const Pieces& pieces);

// Values of an expression on a side, at the given points along it; `at`: the coordinate of the side.
std::vector<double> values_along(const Expression& expression, bool x_side, double at,
                                 const std::vector<double>& points);

}  // namespace halocline::collocation
