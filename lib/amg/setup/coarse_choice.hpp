// CoarseChoice: the rows of the next level as a way of coarsening has found them, and how they give values to a level.
#pragma once

#include "lib/amg/setup/facts.hpp"

namespace halocline::amg {

struct Stage;

class CoarseChoice {
 public:
  virtual ~CoarseChoice() = default;

  virtual Index rows() const = 0;  // of the next level
  virtual int rounds() const = 0;  // that it took to find them
  // Of own rows of a part, those that are `isolated` have no part in coarser levels. Null: there are none.
  virtual const PointKind* own_kinds(int part) const = 0;

  // From the rows of the next level, distributed unless those of the level are replicated. `entries`: of a row, at
  // most, where they can be chosen. Collective, as pass_on() is.
  virtual Interpolation interpolation(const Stage& stage, const sparse::RowSpacePtr& coarse, int entries) = 0;
  virtual bool may_be_cut() const = 0;
  // What is told of rows beside the matrix, to the next level, which has its matrix.
  virtual void pass_on(const Stage& stage, Stage& next) const = 0;
};

}  // namespace halocline::amg
