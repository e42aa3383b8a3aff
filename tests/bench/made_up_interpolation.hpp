// An interpolation of benchmarks, where only its shape counts.
#pragma once

#include <algorithm>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

// Something like an interpolation: four columns a row, near each other as rows are, a fifth as many columns.
inline GlobalRows interpolation_rows(const ExecutorPtr& executor, Index columns, const Range<1>& own) {
  std::vector<Index> ptr{0}, col;
  std::vector<double> val;
  for (Index row = own.lo[0]; row < own.hi[0]; ++row) {
    const Index first = std::min(row / 5, columns - 4);
    for (Index k = 0; k < std::min<Index>(4, columns); ++k) {
      col.push_back(std::max<Index>(first, 0) + k);
      val.push_back(0.25);
    }
    ptr.push_back(static_cast<Index>(col.size()));
  }
  return {make_array(executor, ptr), make_array(executor, col), make_array(executor, val)};
}

inline DistCrs made_up_interpolation(const DistCrs& a) {
  const Team& team = a.team();
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
  const Index coarse = std::max<Index>(4, a.rows().size() / 5);
  const auto columns = std::make_shared<const RowSpace>(a.rows().comm(), team, Partition(coarse, 4096, weights, 0));
  std::vector<GlobalRows> parts;
  for (int p = 0; p < team.parts(); ++p) parts.push_back(interpolation_rows(team.executor(p), coarse, a.rows().own(p)));
  return {a.rows_pointer(), columns, std::move(parts)};
}

}  // namespace halocline::sparse
