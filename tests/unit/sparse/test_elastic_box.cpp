// The elastic box: one cube by integrals known in closed form, rigid-body modes, symmetry, on every executor.
#include <cmath>

#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"
#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {
namespace {

ElasticModel model_of(Index x, Index y, Index z) { return {{{x, y, z}}, 2.5, 0.3}; }

// Q1 hat functions are products, so entries are products of integrals over an edge: of f f, f g, g g.
double edge(bool a, bool b, int derivatives_a, int derivatives_b) {
  if (derivatives_a + derivatives_b == 0) return a == b ? 1.0 / 3 : 1.0 / 6;
  if (derivatives_a + derivatives_b == 2) return a == b ? 1 : -1;
  return (derivatives_a == 1 ? a : b) ? 0.5 : -0.5;
}

TEST(ElasticBox, OneCube) {
  const double young = 2.5, poisson = 0.3;
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  const auto cube = cube_matrix(young, poisson);
  const auto integral = [](int a, int c, int b, int d) {
    double value = 1;
    for (int axis = 0; axis < 3; ++axis)
      value *= edge((a >> axis & 1) != 0, (b >> axis & 1) != 0, axis == c ? 1 : 0, axis == d ? 1 : 0);
    return value;
  };
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d) {
          double expected = lambda * integral(a, c, b, d) + mu * integral(a, d, b, c);
          for (int e = 0; e < 3 && c == d; ++e) expected += mu * integral(a, e, b, e);
          EXPECT_NEAR(cube[static_cast<std::size_t>(((a * 3 + c) * 8 + b) * 3 + d)], expected, 1e-15);
        }
}

TEST(ElasticBox, EntriesSymmetryAndForce) {
  const HostMatrix matrix = whole(ElasticBoxSource(model_of(5, 3, 2)));
  EXPECT_EQ(matrix.rows(), 3 * 5 * 4 * 3);
  EXPECT_EQ(matrix.entries(), 9 * 13 * 10 * 7);
  EXPECT_EQ(model_of(16, 16, 16).layout.rows(), 13872);
  double force = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    force += matrix.rhs[static_cast<std::size_t>(i)];
    for (Index e = matrix.ptr[static_cast<std::size_t>(i)]; e < matrix.ptr[static_cast<std::size_t>(i) + 1]; ++e)
      EXPECT_EQ(matrix.val[static_cast<std::size_t>(e)], matrix.at(matrix.col[static_cast<std::size_t>(e)], i));
  }
  EXPECT_DOUBLE_EQ(force, -(5 * 3 * 2 - 3 * 2 / 2.0));  // but the half of the first cubes that clamped nodes take
}

// Where no clamped node is near.
TEST(ElasticBox, RigidBodyModesCostNoEnergy) {
  const ElasticModel model = model_of(6, 3, 4);
  const HostMatrix matrix = whole(ElasticBoxSource(model));
  const auto modes = rigid_body(make_omp_executor(1), model.layout, {{0}, {matrix.rows()}});
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    const std::vector<double> u = modes[mode].to_host(), Ku = matrix.times(u);
    double largest = 0;
    for (const double value : u) largest = std::max(largest, std::abs(value));
    EXPECT_GT(largest, 0);
    bool clamped = false;
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (i / 3 % 6 == 0)
        clamped |= std::abs(Ku[i]) > 0.01;
      else
        EXPECT_NEAR(Ku[i], 0, 1e-13) << "mode " << mode << ", row " << i;
    }
    EXPECT_TRUE(clamped) << mode;
  }
}

TEST(ElasticBox, Faults) {
  ElasticOptions options;
  options.elements = {2, 2};
  ThrownFaults faults;
  EXPECT_THROW(make_elastic_model(options, faults), DeckError);
  options.elements = {2, 2, 2.5};
  EXPECT_THROW(make_elastic_model(options, faults), DeckError);
  options.elements = {2, 2, 2};
  EXPECT_TRUE(make_elastic_model(options, faults));
}

using ElasticBoxParts = OnEveryExecutor;

TEST_P(ElasticBoxParts, BitsDoNotDependOnThePartitionNorOnTheDevice) {
  const ElasticBoxSource source(model_of(4, 3, 5));
  const Index n = source.rows();
  const HostMatrix reference = whole(source);
  expect_same(whole(source, executor(), {0, n}), reference);
  expect_same(whole(source, executor(), {0, 0, 1, n / 3, n / 3 + 1, n - 2, n, n}), reference);
  const auto all = rigid_body(make_omp_executor(1), source.model().layout, {{0}, {n}});
  const auto some = rigid_body(executor(), source.model().layout, {{7}, {n}});
  for (std::size_t mode = 0; mode < all.size(); ++mode) {
    std::vector<double> expected = all[mode].to_host();
    expected.erase(expected.begin(), expected.begin() + 7);
    EXPECT_EQ(some[mode].to_host(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, ElasticBoxParts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
