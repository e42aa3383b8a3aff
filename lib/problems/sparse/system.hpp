// System: the matrix of a run on its parts, checked, and the right sides that come with it.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"
#include "lib/linalg/sparse/row_checks.hpp"
#include "lib/problems/problem.hpp"
#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/sources/file/renumbered.hpp"
#include "lib/problems/sparse/sources/near_null.hpp"

namespace halocline::sparse {

constexpr Index rows_per_chunk = 1024;  // where parts may begin

// Where all diagonals are negative the matrix is -A, and so are right sides: see sign.
struct System {
  RowSpacePtr rows;
  std::unique_ptr<DistCrs> A;
  PartValues natural;  // right side of the source, times `sign`; none for files
  RowFindings findings;
  RowNumbers numbers;                     // where the rows are not in the order of the input
  Index repeated = 0;                     // entries of a file that were added to others at the same place
  std::vector<std::vector<Index>> empty;  // rows without entries that got a 1 on their diagonal, counted in each part
  double sign = 1;
  Index repeated_in_pairs = 0, repeated_in_triples = 0;  // rows; of a file with many positive entries off the diagonal
  // For multigrid, as rows are numbered here; empty where nothing is told.
  std::vector<Array<Index, 1>> components;  // which unknown of a system each own row is
  std::vector<PartValues> coordinates;      // of own rows, per axis
  NearNull near_null;                       // for aggregation
};

// Rows of all parts at time t of a sequence. `rows`: of an earlier system of the same source, whose vectors will serve;
// null: new ones. Throws DeckError where the input cannot be solved, the same on all ranks.
// Collective.
System make_system(const Context& context, const Formulation& formulation, const BlockOptions& options, double t,
                   RowSpacePtr rows = nullptr);

// A row or a column by the number that it has in the input.
Index named(const System& system, Index row);

// Throws DeckError where a row without entries has a right side other than 0, and so no solution. Collective.
void check_empty_rows(const System& system, const PartValues& rhs);

// The right side of a source at another time, for the same matrix.
PartValues natural_rhs(const RowSpace& rows, const RowSource& source, double sign, double t);

}  // namespace halocline::sparse
