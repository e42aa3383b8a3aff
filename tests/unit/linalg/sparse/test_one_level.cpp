// Jacobi and Chebyshev against the same on the host, with equal bits on any partition.
#include <cmath>

#include "lib/linalg/sparse/one_level.hpp"
#include "tests/unit/linalg/sparse/sparse_cases.hpp"

namespace halocline::sparse {
namespace {

// Symmetric, with entries of both signs and diagonals of different size.
WholeMatrix symmetric_matrix(Index n) {
  WholeMatrix whole = random_matrix(n, n, 9, 7);
  const WholeMatrix other = transposed(whole);
  for (Index i = 0; i < n; ++i) {
    auto& row = whole.rows[static_cast<std::size_t>(i)];
    for (const auto& [column, value] : other.rows[static_cast<std::size_t>(i)]) row[column] += value;
    row[i] = i % 3 == 0 ? 20 : 9;
  }
  for (Index i = 0; i < n; ++i)  // sums of both orders differ by rounding
    for (auto& [column, value] : whole.rows[static_cast<std::size_t>(i)])
      if (column < i) value = whole.rows[static_cast<std::size_t>(column)].at(i);
  return whole;
}

std::vector<double> weights_of(const WholeMatrix& a, const RowWeights& weights) {
  std::vector<double> made;
  for (Index i = 0; i < a.size(); ++i) {
    double sum = 0, diagonal = 0;
    for (const auto& [column, value] : a.rows[static_cast<std::size_t>(i)]) {
      sum += std::abs(value);
      if (column == i) diagonal = value;
    }
    const double most = weights.bound > 0 ? weights.bound * std::abs(diagonal) / sum : weights.omega;
    made.push_back(std::min(weights.omega, most) / diagonal);
  }
  return made;
}

std::vector<double> times(const WholeMatrix& a, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (const auto& [column, value] : a.rows[i]) y[i] += value * x[static_cast<std::size_t>(column)];
  return y;
}

double number(Index row) { return std::sin(static_cast<double>(row * row % 1000)); }

class OneLevel : public testing::TestWithParam<TestDevice> {
 protected:
  Devices devices{MPI_COMM_WORLD, GetParam(), 2};

  // The operator applied to number(row), on every rank.
  template <class Make>
  std::vector<double> applied(const WholeMatrix& whole, unsigned seed, const Make& make) const {
    const auto rows = devices.space(whole.size(), 1024, seed);
    const DistCrs a = distribute(whole, rows, rows);
    const DistMatrix matrix(a);
    const auto M = make(a, matrix);
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < devices.team.parts(); ++p) {
      std::vector<double> values;
      for (Index i = rows->own(p).lo[0]; i < rows->own(p).hi[0]; ++i) values.push_back(number(i));
      natural.push_back(make_array(devices.team.executor(p), values));
    }
    Vector<double> x(matrix.space()), y(matrix.space());
    fill(y, 77);
    matrix.enter(natural, x);
    M->apply(x, y);
    matrix.leave(y, natural);
    std::vector<double> own;
    for (const auto& part : natural) {
      const auto values = part.to_host();
      own.insert(own.end(), values.begin(), values.end());
    }
    return gather_lists(devices.comm, own).values;
  }
};

TEST_P(OneLevel, Jacobi) {
  const WholeMatrix whole = symmetric_matrix(5000);
  for (const RowWeights& weights : {RowWeights{1, 0}, RowWeights{1, 1}, RowWeights{0.8, 1.9}}) {
    const auto w = weights_of(whole, weights);
    const auto y = applied(whole, 3, [&](const DistCrs& a, const DistMatrix& m) { return make_jacobi(a, m, weights); });
    ASSERT_EQ(y.size(), w.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_NEAR(y[i], w[i] * number(static_cast<Index>(i)), 1e-15 * std::abs(y[i])) << i;
  }
}

TEST_P(OneLevel, Chebyshev) {
  const WholeMatrix whole = symmetric_matrix(5000);
  const RowWeights weights{0.8, 1.9};
  const auto w = weights_of(whole, weights);
  double largest = 0;
  for (Index i = 0; i < whole.size(); ++i) {
    double sum = 0;
    for (const auto& entry : whole.rows[static_cast<std::size_t>(i)]) sum += std::abs(entry.second);
    largest = std::max(largest, w[static_cast<std::size_t>(i)] * sum);
  }
  for (const int degree : {1, 2, 5}) {
    std::vector<double> r, d(w.size(), 0.0), y(w.size(), 0.0);
    for (Index i = 0; i < whole.size(); ++i) r.push_back(number(i));
    for (int j = 1; j <= degree; ++j) {
      if (j > 1) {
        const auto product = times(whole, d);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= product[i];
      }
      const double b = j == 1 ? 0 : (2.0 * j - 3) / (2 * j + 1);
      const double c = j == 1 ? 4 / (3 * largest) : (8.0 * j - 4) / ((2 * j + 1) * largest);
      for (std::size_t i = 0; i < r.size(); ++i) y[i] += d[i] = b * d[i] + c * w[i] * r[i];
    }
    const auto make = [&](const DistCrs& a, const DistMatrix& m) { return make_chebyshev(a, m, weights, degree); };
    const auto found = applied(whole, 3, make);
    ASSERT_EQ(found.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(found[i], y[i], 1e-13) << i;
    EXPECT_EQ(applied(whole, 11, make), found);  // another partition
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, OneLevel, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
