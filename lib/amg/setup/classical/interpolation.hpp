// Extended+i interpolation in products of matrices (De Sterck, Falgout, Nolting, Yang, NLAA 15, 2008; Li, Sjoegreen,
// Yang, SISC 43, 2021).
//
// An F-row i takes its value from C-points it depends on, and from those on which the F-points k depend that it depends
// on: W_i = -(FC_i + sum_k a_ik/(beta_k + a_ki) FC_k)/d~, FC_k the strong couplings of k to C-points, beta_k their sum.
// The largest of these weights are kept, scaled to the sum of all.
#pragma once

#include "lib/amg/setup/classical/pmis.hpp"

namespace halocline::amg {

inline constexpr int most_weights_of_row = 16;

struct InterpolationOptions {
  bool through_itself = true;  // "+i": couplings a_ki lead back to row i; without, they count as 0
  int entries = 4;             // kept in a row, most_weights_of_row at most
};

// Rows where the formula was left, because its denominator is small or of the wrong sign; of all parts.
struct Guards {
  Index without_itself = 0;  // a_ki left out
  Index direct = 0;          // only their own couplings to C-points
};

struct Interpolation {
  sparse::DistCrs matrix;  // rows of the level by rows of the next one
  Guards guards;
};

// `coarse`: rows of the next level, distributed unless those of `a` are replicated. `component`: see Strength.
// Collective.
Interpolation interpolate(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
                          const sparse::RowSpacePtr& coarse, const InterpolationOptions& options,
                          const LocalValues<LocalIndex>* component = nullptr);

}  // namespace halocline::amg
