// Matrices for tests of algebraic multigrid.
#pragma once

#include <array>
#include <cmath>
#include <random>

#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::amg {

using sparse::WholeMatrix;

// Tests on one to three devices a rank, each with `seeds` partitions, on every kind of device.
template <unsigned seeds>
class OnPartitions : public OnEveryExecutor {
 protected:
  template <class Work>
  void on_partitions(const Work& work) {
    for (int each = 1; each <= 3; ++each) {
      const sparse::Devices devices(MPI_COMM_WORLD, this->GetParam(), each);
      for (unsigned seed = 0; seed < seeds; ++seed) work(devices, seed);
    }
  }
};

// 7 points on n x n x n inner points: 2 (1 + 1 + z) and -1, -z along the last axis.
inline WholeMatrix seven_points(Index n, double z = 1) {
  WholeMatrix a{n * n * n, std::vector<std::map<Index, double>>(static_cast<std::size_t>(n * n * n))};
  const std::array<Index, 3> step{1, n, n * n};
  for (Index row = 0; row < a.columns; ++row) {
    auto& entries = a.rows[static_cast<std::size_t>(row)];
    entries[row] = 4 + 2 * z;
    for (std::size_t d = 0; d < 3; ++d) {
      const Index place = row / step[d] % n;
      const double value = d == 2 ? -z : -1;
      if (place > 0) entries[row - step[d]] = value;
      if (place + 1 < n) entries[row + step[d]] = value;
    }
  }
  return a;
}

// 26 and -1 on 27 points.
inline WholeMatrix twenty_seven_points(Index n) {
  WholeMatrix a{n * n * n, std::vector<std::map<Index, double>>(static_cast<std::size_t>(n * n * n))};
  for (Index row = 0; row < a.columns; ++row) {
    const Index x = row % n, y = row / n % n, z = row / (n * n);
    for (Index k = std::max<Index>(z - 1, 0); k <= std::min(z + 1, n - 1); ++k)
      for (Index j = std::max<Index>(y - 1, 0); j <= std::min(y + 1, n - 1); ++j)
        for (Index i = std::max<Index>(x - 1, 0); i <= std::min(x + 1, n - 1); ++i) {
          const Index column = i + n * (j + n * k);
          a.rows[static_cast<std::size_t>(row)][column] = column == row ? 26 : -1;
        }
  }
  return a;
}

// Neither symmetric nor of one sign: couplings of three sizes, a fifth of them positive, some rows dominated by their
// diagonal, some by themselves, some with too small a diagonal, some with a negative one where `signs`.
inline WholeMatrix irregular(Index rows, unsigned seed, bool signs = false) {
  std::mt19937 random(seed);
  WholeMatrix a{rows, std::vector<std::map<Index, double>>(static_cast<std::size_t>(rows))};
  std::uniform_real_distribution<double> value(0.2, 1);
  for (Index i = 0; i < rows; ++i) {
    auto& entries = a.rows[static_cast<std::size_t>(i)];
    const bool alone = random() % 23 == 0, thin = random() % 7 == 0;
    for (int e = alone ? 6 : 0; e < 6; ++e) {
      const Index far = static_cast<Index>(random()) % rows, near = i + static_cast<Index>(random() % 9) - 4;
      const Index column = random() % 8 == 0 ? far : near;
      if (column < 0 || column >= rows || column == i) continue;
      entries[column] = -value(random) * (random() % 3 == 0 ? 0.05 : 1) * (random() % 5 == 0 ? -1 : 1);
      if (thin) entries[column] = random() % 2 == 0 ? -1 : -0.24;
    }
    double sum = 0;
    for (const auto& [column, entry] : entries) sum += std::abs(entry);
    entries[i] = sum == 0 ? 1 : sum * (thin ? 0.56 : random() % 17 == 0 ? 20 : 1);
    if (!signs || random() % 11 != 0) continue;
    for (auto& [column, entry] : entries) entry = -entry;
  }
  return a;
}

// Pairs of rows that are coupled strongly to each other and less to a third: of their interpolation no more than the
// diagonal is left when it leads back to them.
inline WholeMatrix pairs(Index count) {
  WholeMatrix a{3 * count, {}};
  for (Index row = 0; row < 3 * count; row += 3) {
    a.rows.push_back({{row, 2}});
    a.rows.push_back({{row, -0.3}, {row + 1, 0.7}, {row + 2, -1}});
    a.rows.push_back({{row, -0.3}, {row + 1, -1}, {row + 2, 0.7}});
  }
  return a;
}

// Numbers of own rows as they are on the finest level.
inline std::vector<Array<Index, 1>> natural_numbers(const sparse::RowSpace& rows) {
  std::vector<Array<Index, 1>> numbers;
  for (int p = 0; p < rows.team().parts(); ++p) {
    std::vector<Index> own;
    for (Index i = rows.own(p).lo[0]; i < rows.own(p).hi[0]; ++i) own.push_back(i);
    numbers.push_back(make_array(rows.team().executor(p), own));
  }
  return numbers;
}

// What every part holds of its own rows, joined over all parts and ranks.
template <class T>
std::vector<T> joined(const sparse::DistCrs& a, const std::vector<std::vector<T>>& of_parts) {
  if (a.rows().replicated()) return of_parts.front();
  std::vector<T> own;
  for (const std::vector<T>& part : of_parts) own.insert(own.end(), part.begin(), part.end());
  return gather_lists(a.rows().comm(), own).values;
}
// Values of local columns without those of ghosts.
template <class T>
std::vector<T> own_values(const sparse::DistCrs& a, int part, const std::vector<T>& local) {
  const auto first = local.begin() + a.ghosts(part).below;
  return {first, first + a.rows().own_size(part)};
}

}  // namespace halocline::amg
