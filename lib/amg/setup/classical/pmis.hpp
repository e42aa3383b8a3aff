// Splitting: which rows of a level become rows of the next one, by PMIS (De Sterck, Yang, Heys, SIMAX 27, 2006).
//
// C-points are a maximal set of rows none of which depends on another, rows on which many depend first. Ties are
// decided by a hash of the number that a row had on the finest level: the result is the same on any partition.
#pragma once

#include <optional>
#include <vector>

#include "lib/amg/setup/coarse_rows.hpp"
#include "lib/amg/setup/point_layout.hpp"
#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

class Splitting {
 public:
  // `numbers`: for every part, of own rows: the number of each on the finest level. They ascend. Collective.
  Splitting(const sparse::DistCrs& a, const Strength& strength, const std::vector<Array<Index, 1>>& numbers);

  // Of a part, counted within the rank, for local columns, ghosts included: the kind, and the number of coarse rows in
  // the order of the C-points; -1 elsewhere.
  const PointKind* kind(int part) const { return kind_.data(part); }
  const Index* coarse(int part) const { return numbers_->of_rows(part); }
  std::vector<PointKind> kinds_on_host(int part) const { return kind_.to_host(part); }

  const CoarseNumbers& numbers() const { return *numbers_; }
  Index coarse_rows() const { return numbers_->rows(); }
  int rounds() const { return rounds_; }

 private:
  class Rounds;

  LocalValues<PointKind> kind_;
  std::optional<CoarseNumbers> numbers_;
  int rounds_ = 0;
};

}  // namespace halocline::amg
