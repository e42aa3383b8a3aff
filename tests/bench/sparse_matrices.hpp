// Matrices of benchmarks, by their names: p7:N and p27:N, 7 and 27 points on a cube of N^3 unknowns; vent:H, the
// ventricle with distance H of nodes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/linalg/sparse/dist_crs.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

namespace halocline::sparse {

// Rows own.lo ... own.hi - 1 of the stencil of a cube: -1 for every neighbor, on the diagonal as many as there may be.
inline GlobalRows cube_rows(const ExecutorPtr& executor, Index n, bool corners, const Range<1>& own) {
  std::vector<Index> ptr{0}, col;
  std::vector<double> val;
  for (Index row = own.lo[0]; row < own.hi[0]; ++row) {
    const Index x = row % n, y = row / n % n, z = row / (n * n);
    for (Index c = std::max<Index>(z - 1, 0); c <= std::min(z + 1, n - 1); ++c)
      for (Index b = std::max<Index>(y - 1, 0); b <= std::min(y + 1, n - 1); ++b)
        for (Index a = std::max<Index>(x - 1, 0); a <= std::min(x + 1, n - 1); ++a) {
          const int away = (a != x ? 1 : 0) + (b != y ? 1 : 0) + (c != z ? 1 : 0);
          if (away > 1 && !corners) continue;
          col.push_back((c * n + b) * n + a);
          val.push_back(away > 0 ? -1.0 : corners ? 26.0 : 6.0);
        }
    ptr.push_back(static_cast<Index>(col.size()));
  }
  return {make_array(executor, ptr), make_array(executor, col), make_array(executor, val)};
}

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

inline DistCrs make_bench_matrix(const Communicator& comm, const Team& team, const std::string& name) {
  const std::string kind = name.substr(0, name.find(':')), size = name.substr(name.find(':') + 1);
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
  const auto space = [&](Index rows) {
    return std::make_shared<const RowSpace>(comm, team, Partition(rows, 1024, weights, 0));
  };
  std::vector<GlobalRows> parts;
  if (kind == "vent") {
    VentricleOptions options;
    options.h = std::stod(size);
    ThrownFaults faults;
    const VentricleSource source(*make_ventricle_model(options, faults));
    const RowSpacePtr rows = space(source.rows());
    for (int p = 0; p < team.parts(); ++p) parts.push_back(source.part(team.executor(p), rows->own(p), 0)->matrix());
    return {rows, rows, std::move(parts)};
  }
  require(kind == "p7" || kind == "p27", "bench_sparse_products: matrices p7:N, p27:N, vent:H");
  const Index n = std::stol(size);
  const RowSpacePtr rows = space(n * n * n);
  for (int p = 0; p < team.parts(); ++p) parts.push_back(cube_rows(team.executor(p), n, kind == "p27", rows->own(p)));
  return {rows, rows, std::move(parts)};
}

inline DistCrs make_bench_interpolation(const DistCrs& a) {
  const Team& team = a.team();
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
  const Index coarse = std::max<Index>(4, a.rows().size() / 5);
  const auto columns = std::make_shared<const RowSpace>(a.rows().comm(), team, Partition(coarse, 4096, weights, 0));
  std::vector<GlobalRows> parts;
  for (int p = 0; p < team.parts(); ++p) parts.push_back(interpolation_rows(team.executor(p), coarse, a.rows().own(p)));
  return {a.rows_pointer(), columns, std::move(parts)};
}

}  // namespace halocline::sparse
