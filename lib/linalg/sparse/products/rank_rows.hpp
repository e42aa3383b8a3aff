// rank_rows: sorts the entries of rows by their columns, with many threads for long rows.
#pragma once

#include "lib/linalg/sparse/crs.hpp"

namespace halocline::sparse {

// Entries of every row of `from`, whose columns are distinct, to `col` and `val` by ascending columns.
void rank_rows(const ExecutorPtr& executor, const CrsView<double>& from, LocalIndex* col, double* val);

}  // namespace halocline::sparse
