// Prolongation and restriction: exactness for bicubic and bilinear functions, along axes and as kernels.
#include "lib/problems/collocation/multigrid/transfers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// Vanishes at both ends of [0, 1].
double bump(double t) { return t * (1 - t) * (1 + 2 * t); }
double bump_slope(double t) { return 1 + 2 * t - 6 * t * t; }

TEST(Prolongation, ReproducesCubicsOnAnyMesh) {
  for (const Axis& fine : {Axis(uniform_nodes(0, 1, 8)), Axis(random_nodes(16, 4, 2)), Axis(random_nodes(8, 5, 9))}) {
    const Axis coarse = fine.coarsened();
    const auto at = [](const Axis& axis, Index node, int m) {
      const double t = axis.nodes()[node];
      return m == 0 ? bump(t) : axis.scale(node) * bump_slope(t);
    };
    for (Index i = 0; i <= fine.elements(); ++i) {
      const auto rows = prolongation_rows(fine, coarse, i);
      for (int out = 0; out < 2; ++out) {
        double sum = 0;
        for (int m = 0; m < 4; ++m)
          if (i / 2 + m / 2 <= coarse.elements()) sum += rows[out][m] * at(coarse, i / 2 + m / 2, m % 2);
        EXPECT_NEAR(sum, at(fine, i, out), 1e-14) << "node " << i << ", component " << out;
      }
    }
  }
}

TEST(Restriction, ReproducesLinearsOnAnyMesh) {
  const auto linear = [](double t) { return 3 - 5 * t; };
  for (const Axis& fine : {Axis(uniform_nodes(-1, 2, 8)), Axis(random_nodes(16, 4, 2))}) {
    const Axis coarse = fine.coarsened();
    for (Index node = 0; node <= coarse.elements(); ++node)
      for (int q = 0; q < 2; ++q) {
        const Index g = 2 * node - 1 + q;
        if (g < 0 || g >= coarse.unknowns()) continue;
        const auto row = restriction_row(fine, coarse, node, q);
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += row[k] * linear(fine.gauss()[4 * (g / 2) + k]);
        EXPECT_NEAR(sum, linear(coarse.gauss()[g]), 1e-13) << "node " << node << ", equation " << q;
      }
  }
}

// Uniform weights of the specification: 1/4 + (xi - 1/2)(t_k - 1/2) / sum (t_k - 1/2)^2.
TEST(Restriction, HasTheWeightsOfTheSpecification) {
  const Axis fine(uniform_nodes(0, 1, 8)), coarse = fine.coarsened();
  const double s = 0.5 - std::sqrt(3.0) / 6;
  const std::array<double, 4> t{s / 2, (1 - s) / 2, 0.5 + s / 2, 1 - s / 2};
  double square = 0;
  for (const double k : t) square += (k - 0.5) * (k - 0.5);
  const auto row = restriction_row(fine, coarse, 1, 1);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(row[k], 0.25 + (s - 0.5) * (t[k] - 0.5) / square, 1e-15);
}

using TransferTest = OnEveryExecutor;

// Fills every node of a block, or every equation, from value(i, j, component).
template <class Value>
std::vector<double> filled(const NodalBlock& block, const Value& value) {
  std::vector<double> all(static_cast<std::size_t>((block.lines() + 4) * block.line_size()), 0.0);
  for (Index i = 0; i < block.lines(); ++i)
    for (Index j = 0; j <= block.ny; ++j)
      for (int c = 0; c < 4; ++c) all[(i + 2) * block.line_size() + block.place(c, j)] = value(i, j, c);
  return all;
}

TEST_P(TransferTest, ProlongsBicubicsAndRestrictsBilinears) {
  for (const Index ny : {8, 16, 264}) {
    const Axis x(random_nodes(8, 4, 5)), y(random_nodes(ny, 3, 7), neumann, dirichlet);
    const Axis coarse_x = x.coarsened(), coarse_y = y.coarsened();
    const NodalBlock fine{0, 9, 8, ny}, coarse{0, 5, 4, ny / 2};
    const Transfers<double> transfers(x, y, coarse_x, coarse_y, executor());
    const auto u_of = [&](const Axis& ax, const Axis& ay) {
      return [&](Index i, Index j, int c) {
        const double s = ax.nodes()[i], t = 1 - ay.nodes()[j];  // slope 0 at t = 1: t^2 (3 - 2 t) - 1 + ...
        const double along_x = c % 2 == 0 ? bump(s) : ax.scale(i) * bump_slope(s);
        const double along_y = c / 2 == 0 ? t * (t - 1) * (t - 1) + t : ay.scale(j) * -((t - 1) * (3 * t - 1) + 1);
        return along_x * (along_y - (c / 2 == 0 ? t : ay.scale(j) * -1.0));
      };
    };
    const auto e = make_array(executor(), filled(coarse, u_of(coarse_x, coarse_y)));
    auto u = make_array(executor(), filled(fine, [](Index, Index, int) { return 1.0; }));
    const double* first = e.view().data + 2 * coarse.line_size();
    const NodalLines<double> lines{first, first - coarse.line_size(), first + coarse.size(), 5, coarse.line_size()};
    for (const Range<1> some : {Range<1>{{1}, {8}}, Range<1>{{0}, {1}}, Range<1>{{8}, {9}}})  // as beside halos
      prolong_and_add(*executor(), transfers.view(), fine, coarse, some, lines, u.view().data + 2 * fine.line_size());
    const auto got = u.to_host();
    const auto expected = filled(fine, [&](Index i, Index j, int c) { return 1 + u_of(x, y)(i, j, c); });
    for (std::size_t n = 0; n < got.size(); ++n) ASSERT_NEAR(got[n], expected[n], 1e-13) << ny << ", place " << n;

    const auto r_of = [](const Axis& ax, const Axis& ay) {
      return [&](Index i, Index j, int c) {
        const Index gx = 2 * i - 1 + c % 2, gy = 2 * j - 1 + c / 2;
        if (gx < 0 || gy < 0 || gx >= ax.unknowns() || gy >= ay.unknowns()) return 0.0;
        return (2 - ax.gauss()[gx]) * (1 + 3 * ay.gauss()[gy]);
      };
    };
    const auto r = make_array(executor(), filled(fine, r_of(x, y)));
    auto f = make_array(executor(), std::vector<double>(static_cast<std::size_t>(9 * coarse.line_size()), 0.0));
    restrict_residual(*executor(), transfers.view(), fine, coarse, 0, 5, r.view().data + 2 * fine.line_size(),
                      f.view().data + 2 * coarse.line_size());
    const auto restricted = f.to_host();
    const auto wanted = filled(coarse, r_of(coarse_x, coarse_y));
    for (std::size_t n = 0; n < restricted.size(); ++n)
      ASSERT_NEAR(restricted[n], wanted[n], 1e-13) << ny << ", place " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, TransferTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
