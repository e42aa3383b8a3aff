#include "lib/linalg/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/linalg/elimination_kernels.hpp"

namespace halocline {
namespace {

constexpr Index vectors = 4;
constexpr double most_condition =
    1e13;  // beyond, whether the matrix is singular is for elimination with pivoting to say

// The largest sum of sizes of a column: what v A may be larger than v.
double largest_column(Index n, const std::vector<double>& a) {
  std::vector<double> sums(static_cast<std::size_t>(n), 0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) sums[j] += std::abs(a[i * n + j]);
  return *std::max_element(sums.begin(), sums.end());
}

// Not where anything is not finite.
bool is_inverse(const ExecutorPtr& executor, Index n, const Array<double, 1>& inverse, const std::vector<double>& a) {
  const Array<double, 1> matrix = make_array(executor, a);
  Array<double, 1> signs(executor, {vectors * n}), solved(executor, {vectors * n}), again(executor, {vectors * n});
  const Range<2> all{{0, 0}, {vectors, n}};
  launch(*executor, "signs", Range<1>{{0}, {vectors * n}}, SignsBody{signs.view().data});
  launch_rows(*executor, "test of an inverse", all,
              FromLeftBody{signs.view().data, inverse.view().data, solved.view().data, n});
  launch_rows(*executor, "test of an inverse", all,
              FromLeftBody{solved.view().data, matrix.view().data, again.view().data, n});
  const std::vector<double> v = signs.to_host(), y = solved.to_host(), w = again.to_host();
  const double norm = largest_column(n, a), unit = 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  for (Index first = 0; first < vectors * n; first += n) {
    double size = 0;
    for (Index i = first; i < first + n; ++i) size = std::max(size, std::abs(y[i]));
    if (!(norm * size <= most_condition)) return false;
    for (Index i = first; i < first + n; ++i)
      if (!(std::abs(w[i] - v[i]) <= unit * norm * size)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<double>> invert_by_elimination(const ExecutorPtr& executor, Index n,
                                                         const std::vector<double>& a) {
  require(static_cast<Index>(a.size()) == n * n, "invert_by_elimination: an n x n matrix");
  if (n == 0) return a;
  Array<double, 1> one = make_array(executor, a);
  {
    Array<double, 1> other(executor, {n * n});
    const double bytes = 16.0 * static_cast<double>(n * n);
    for (Index pivot = 0; pivot < n; ++pivot) {
      launch_rows(*executor, {"elimination", bytes}, Range<2>{{0, 0}, {n, n}},
                  EliminationBody{one.view().data, other.view().data, n, pivot});
      std::swap(one, other);
    }
    executor->synchronize();  // the other one is in use until then
  }
  if (!is_inverse(executor, n, one, a)) return {};
  return one.to_host();
}

}  // namespace halocline
