#include "lib/linalg/sparse/formats/product_rows.hpp"

#include <utility>

#include "lib/base/error.hpp"
#include "lib/linalg/sparse/formats/fill_rows.hpp"

namespace halocline::sparse {

template <class T>
Rows<T>::Rows(RowPatternPtr pattern, const DistCrs& a, const std::vector<Scaling>& scaling)
    : pattern_(std::move(pattern)), parts_(static_cast<std::size_t>(a.team().parts())) {
  for (int p = 0; p < team().parts(); ++p) {
    const ExecutorPtr& executor = team().executor(p);
    const RowPattern::Part& shape = pattern_->part(p);
    parts_[p].values = Array<T, 1>(executor, {shape.stored()});
    if (shape.longs.count == 0) continue;
    parts_[p].long_values = Array<T, 1>(executor, {shape.longs.col.size()});
    parts_[p].piece_sums = Array<double, 1>(executor, {shape.longs.pieces()});
    parts_[p].long_sums = Array<T, 1>(executor, {shape.longs.count});
  }
  fill(a, scaling);
}

template <class T>
void Rows<T>::fill(const DistCrs& a, const std::vector<Scaling>& scaling) {
  require(scaling.empty() || static_cast<int>(scaling.size()) == team().parts(), "Rows: factors for every part");
  team().each([&](int p) {
    const Executor& executor = *team().executor(p);
    const RowPattern::Part& shape = pattern_->part(p);
    require(shape.rows == a.rows().own_size(p), "Rows: the pattern of another matrix");
    const CrsView<double> rows = a.view(p);
    const Scaling factors = scaling.empty() ? Scaling{} : scaling[p];
    PutValue<T> put{rows.val.data, rows.col.data, factors.left, factors.right, parts_[p].values.view().data};
    const double bytes = (sizeof(double) + sizeof(T)) * static_cast<double>(shape.stored());
    fill_rows(executor, {"values of rows", bytes}, pattern_->kind(), shape, stored_rows(a, pattern_->orders(), p), put);
    put.to = parts_[p].long_values.view().data;
    fill_long_rows(executor, "values of long rows", shape.longs, rows.ptr.data, put);
  });
}

template class Rows<double>;
template class Rows<float>;

}  // namespace halocline::sparse
