// ResidualInFloat: r = b - A x in single precision, as cycles of multigrid compute it.
#pragma once

#include "lib/linalg/sparse/formats/column_space.hpp"
#include "lib/linalg/sparse/formats/product_rows.hpp"

namespace halocline::sparse {

class ResidualInFloat {
 public:
  ResidualInFloat(const DistCrs& a, const ChosenFormat& format, const ColumnSpace& columns);
  void apply() const;

 private:
  Rows<float> rows_;
  const ColumnSpace& columns_;
  Vector<float> x_, b_;
  mutable Vector<float> r_;
  mutable VectorHalo<float> halo_;
};

}  // namespace halocline::sparse
