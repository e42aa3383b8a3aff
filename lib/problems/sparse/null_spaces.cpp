#include "lib/problems/sparse/null_spaces.hpp"

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/linalg/sparse/constant_sets.hpp"
#include "lib/problems/sparse/values.hpp"

namespace halocline::sparse {

namespace {

constexpr Index most_sets = 256;
// Of products with constants, relative to others.
constexpr double rounding = 1e-10;
// Of a right side: more is no rounding.
constexpr double largest_removed = 1e-6;

// Whether the matrix maps constants to zero, and nothing to constants.
bool is_null_space(const DistMatrix& matrix, const NullSpace& space, const RowSpace& rows) {
  Vector<double> x(matrix.space()), product(matrix.space());
  matrix.enter(random_values(rows, 3), x);
  matrix.apply(x, product);
  const double size = norm(product);
  if (space.project(product) > rounding * size) return false;
  matrix.apply(space.sets(), product);
  return norm(product) * norm(x) <= rounding * size * norm(space.sets());
}

}  // namespace

FoundNullSpace find_null_space(const DistCrs& a, const DistMatrix& matrix) {
  const ConstantSets sets = constant_sets(a, most_sets);
  if (sets.count == 0) return {};
  if (sets.count > most_sets)
    throw DeckError(
        formatted("sparse.matrix: its graph has {} components on each of which the solution is known up to a "
                  "constant alone; {} are handled, solver.null_space: none takes the matrix as it is",
                  sets.count, most_sets));
  Vector<double> of_rows(matrix.space());
  matrix.enter(sets.of_rows, of_rows);
  auto space = std::make_unique<NullSpace>(std::move(of_rows), static_cast<int>(sets.count));
  if (!is_null_space(matrix, *space, a.rows()))
    return {nullptr, "rows have the sum 0 and columns have not: the matrix is singular, and taken as it is"};
  const std::string where = sets.count == 1 ? "one component" : std::to_string(sets.count) + " components";
  return {std::move(space), "constants on " + where +
                                " of the graph are mapped to 0: they are taken from right side, "
                                "iterates and solution"};
}

double project_rhs(const NullSpace& space, bool wanted, Vector<double>& b) {
  const double before = norm(b), removed = space.project(b);
  const double relative = before > 0 ? removed / before : 0;
  if (relative > largest_removed && !wanted)
    throw DeckError(
        formatted("sparse.rhs: {:.2g} of its norm are constants, which the singular matrix maps nothing to: "
                  "there is no solution; solver.project_rhs: true takes them away",
                  relative));
  return relative;
}

}  // namespace halocline::sparse
