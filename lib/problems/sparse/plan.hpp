// What `check` tells about a deck: rules across keys, the sharing out of rows, memory, and what a restart must have in
// common.
#pragma once

#include "lib/problems/problem.hpp"
#include "lib/problems/sparse/formulation.hpp"

namespace halocline::sparse {

Plan plan(const Options& options, const Shape& shape, Faults& faults);

// Entries and rows of all levels of multigrid over those of the first, as they are for matrices of this kind.
struct Complexities {
  double entries, rows;
};
Complexities expected_complexities(const BlockOptions& block);

// Ghosts of a part: two planes of a box, or the surface of a cube of its rows where these are bisected; else that of a
// ball of its rows.
double ghosts_of(const Formulation& formulation, Index rows);

}  // namespace halocline::sparse
