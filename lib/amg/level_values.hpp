// What the matrices of a scaled level are filled with: entries in fp64, and the factors of their rows and columns.
#pragma once

#include <optional>
#include <vector>

#include "lib/amg/ends.hpp"
#include "lib/amg/setup/coarsening.hpp"

namespace halocline::amg {

// The entries of a matrix and its factors. To be kept until the devices have read them.
class ScaledValues {
 public:
  // `m` outlives it. Factors of own rows and own columns, of every part. Collective.
  ScaledValues(const sparse::DistCrs& m, const std::vector<const double*>& left,
               const std::vector<const double*>& right);
  ScaledValues(sparse::DistCrs&& m, const std::vector<const double*>& left, const std::vector<const double*>& right);
  // The same for rows of others as well, which are ghosts of `square`.
  ScaledValues(const sparse::HeldRows& held, const sparse::DistCrs& square, const std::vector<const double*>& left,
               const std::vector<const double*>& right);

  const sparse::DistCrs& matrix() const { return own_ ? *own_ : *given_; }
  const std::vector<sparse::Scaling>& factors() const { return factors_; }

 private:
  std::optional<sparse::DistCrs> own_;
  const sparse::DistCrs* given_ = nullptr;
  std::vector<Array<double, 1>> left_;  // where rows of others are held
  LocalValues<double> of_columns_;
  std::vector<sparse::Scaling> factors_;
};

// Scaling of a level, and what `facts` tells of it. `inverted`: the level is, so that all weights are 1. Collective.
void set_scaling(Stage& stage, const RowSizes& sizes, bool inverted, const WeightOptions& weights);

// The level's matrix, with rows of others where it holds any.
const sparse::DistCrs& matrix_of(const Stage& stage);

// Of scaled levels. Collective.
ScaledValues matrix_values(const Stage& stage);
ScaledValues restriction_values(const Stage& stage, const Stage& next);
ScaledValues prolongation_values(const Stage& stage, const Stage& next);

// Where in the next level's right side, for every part, its rows of the restriction begin.
std::vector<Index> first_restricted(const Team& team, const Stage& next);

// Factors of the finest level in the order of its vectors. Waits for the device.
void fill_ends(const Stage& finest, Ends& ends);

}  // namespace halocline::amg
