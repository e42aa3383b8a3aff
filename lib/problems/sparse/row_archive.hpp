// RowArchive: vectors saved and restored by rows in their natural order, on any partition and in any format.
#pragma once

#include "lib/krylov/krylov.hpp"
#include "lib/linalg/sparse/dist_matrix.hpp"
#include "lib/problems/sparse/values.hpp"

namespace halocline::sparse {

class RowArchive final : public VectorArchive<double> {
 public:
  RowArchive(StateArchive& state, const RowSpace& rows, const DistMatrix& matrix)
      : state_(state), rows_(rows), matrix_(matrix) {}

  void vector(const char* name, Vector<double>& x) const override {
    PartValues natural = constant_values(rows_, 0);
    if (!state_.restoring()) matrix_.leave(x, natural);
    for (std::size_t p = 0; p < natural.size(); ++p)
      state_.block(name, rows_.size(), 1, rows_.own(static_cast<int>(p)), natural[p].view(), *natural[p].executor());
    if (state_.restoring()) matrix_.enter(natural, x);
  }

 private:
  StateArchive& state_;
  const RowSpace& rows_;
  const DistMatrix& matrix_;
};

}  // namespace halocline::sparse
