// Coarsening and interpolation of a matrix known whole, one row after the other, written from the formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "lib/amg/setup/ghost_exchange.hpp"
#include "lib/amg/setup/point_layout.hpp"
#include "tests/unit/amg/amg_cases.hpp"

namespace halocline::amg::oracle {

using Row = std::map<Index, double>;
using Components = std::vector<LocalIndex>;  // of every row; empty: all the same

inline bool same(const Components& component, Index i, Index j) {
  return component.empty() || component[static_cast<std::size_t>(i)] == component[static_cast<std::size_t>(j)];
}

// Of every row those it depends on.
inline std::vector<std::set<Index>> strong(const WholeMatrix& a, double theta, const Components& component = {}) {
  std::vector<std::set<Index>> depends(a.rows.size());
  for (Index i = 0; i < a.size(); ++i) {
    const Row& row = a.rows[static_cast<std::size_t>(i)];
    const double center = row.at(i), sign = center < 0 ? -1 : 1;
    double most = 0, sum = 0;
    for (const auto& [j, value] : row) {
      if (!same(component, i, j)) continue;
      sum += value;
      if (j != i) most = std::max(most, -sign * value);
    }
    if (std::abs(sum) > 0.9 * std::abs(center)) continue;
    for (const auto& [j, value] : row)
      if (j != i && same(component, i, j) && -sign * value > 0 && -sign * value >= theta * most)
        depends[static_cast<std::size_t>(i)].insert(j);
  }
  return depends;
}

inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

inline std::vector<PointKind> split(const std::vector<std::set<Index>>& depends) {
  const std::size_t rows = depends.size();
  std::vector<std::uint64_t> dependents(rows, 0);
  for (const auto& row : depends)
    for (const Index j : row) ++dependents[static_cast<std::size_t>(j)];
  std::vector<std::pair<std::uint64_t, std::size_t>> key;
  std::vector<PointKind> kind;
  for (std::size_t i = 0; i < rows; ++i) {
    key.emplace_back(std::min<std::uint64_t>(dependents[i], 65535) << 48 | mixed(i ^ 12345) >> 16, i);
    kind.push_back(dependents[i] > 0 ? points::undecided : depends[i].empty() ? points::isolated : points::fine);
  }
  while (std::find(kind.begin(), kind.end(), points::undecided) != kind.end()) {
    std::vector<bool> beaten(rows, false);
    for (std::size_t i = 0; i < rows; ++i)
      for (const Index other : depends[i]) {
        const auto j = static_cast<std::size_t>(other);
        if (kind[i] != points::undecided || kind[j] != points::undecided) continue;
        beaten[key[i] < key[j] ? i : j] = true;
      }
    for (std::size_t i = 0; i < rows; ++i)
      if (kind[i] == points::undecided && !beaten[i]) kind[i] = points::coarse;
    for (std::size_t i = 0; i < rows; ++i)
      for (const Index j : depends[i])
        if (kind[i] == points::undecided && kind[static_cast<std::size_t>(j)] == points::coarse) kind[i] = points::fine;
  }
  return kind;
}

// The number of every C-point on the next level.
inline std::vector<Index> numbers(const std::vector<PointKind>& kind) {
  std::vector<Index> number;
  Index next = 0;
  for (const PointKind k : kind) number.push_back(k == points::coarse ? next++ : -1);
  return number;
}

}  // namespace halocline::amg::oracle

namespace halocline::amg {

// Components of the local columns of every part.
inline LocalValues<LocalIndex> local_components(const sparse::DistCrs& a, const oracle::Components& components) {
  LocalValues<LocalIndex> result(a);
  for (int p = 0; p < a.team().parts() && !components.empty(); ++p) {
    std::vector<LocalIndex> local;
    for (Index n = 0; n < a.local_columns(p); ++n)
      local.push_back(components[static_cast<std::size_t>(global_column(a.ghosts(p), a.columns().own(p), n))]);
    if (local.empty()) continue;
    a.team().executor(p)->copy_in(result.data(p), local.data(), local.size() * sizeof(LocalIndex));
  }
  return result;
}

}  // namespace halocline::amg
