// The sine and cosine transforms of the closed form against their sums.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "lib/problems/collocation/direct/closed_basis.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// Powers of two, factors 3 and 5, all of them, and lengths with other factors.
const std::vector<Index> lengths{2, 3, 4, 5, 7, 8, 11, 13, 15, 16, 22, 30, 49, 64, 97, 100};

Axis axis_of(Index n, bool neumann) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(n));
  const EndCondition end = neumann ? EndCondition{0, 1} : EndCondition{1, 0};
  return Axis(std::move(nodes), end, end);
}

// Lines as nodal_layout.hpp lays them out, random numbers at the nodes, zeros elsewhere.
struct Lines {
  NodalBlock block;
  std::vector<double> values;
  Lines(Index lines, Index ny) : block{0, lines, lines - 1, ny}, values(static_cast<std::size_t>(block.size()), 0.0) {
    std::mt19937 generator(static_cast<unsigned>(ny));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index i = 0; i < lines; ++i)
      for (int c = 0; c < 4; ++c)
        for (Index j = 0; j <= ny; ++j) at(i, c, j) = uniform(generator);
  }
  double& at(Index i, int c, Index j) { return values[i * block.line_size() + block.place(c, j)]; }
};

// pi numerator / denominator, less than two turns: many turns would cost digits.
double angle(Index numerator, Index denominator) {
  return std::numbers::pi * static_cast<double>(numerator % (2 * denominator)) / static_cast<double>(denominator);
}

// Tables with which coefficients are the sine and cosine sums (p, q) of the equations, and unknowns the sums of type I
// of (al, be): closed_kernels.hpp tells what bins are.
ClosedTables transforms_alone(const Axis& axis) {
  const Index n = axis.elements();
  ClosedTables tables;
  for (Index k = 0; k <= n; ++k) {
    const bool end = k == 0 || k == n;
    const double norm = (end ? 0.5 : 1.0) / static_cast<double>(n), real = end ? 1 : 0.5, imaginary = end ? 0 : 0.5;
    const double c = norm * std::cos(angle(k, 2 * n)), s = norm * std::sin(angle(k, 2 * n));
    const bool neumann = axis.condition(End::low).neumann();
    const auto into = neumann ? std::array{c, s, -s, c} : std::array{s, -c, c, s};
    const auto out = neumann ? std::array{real, 0.0, 0.0, imaginary} : std::array{0.0, real, -imaginary, 0.0};
    tables.value.insert(tables.value.end(), {1, 1});
    tables.into.insert(tables.into.end(), into.begin(), into.end());
    tables.out.insert(tables.out.end(), out.begin(), out.end());
  }
  return tables;
}

// (sum S_e sin or cos, sum T_e cos or sin) with their factors: p_k and q_k of section 6a.
std::array<double, 2> sums(const std::vector<double>& r, Index k, bool neumann) {
  const auto n = static_cast<Index>(r.size() / 2);
  double p = 0, q = 0;
  for (Index e = 0; e < n; ++e) {
    const double s = (r[2 * e + 1] + r[2 * e]) / 2, t = (r[2 * e + 1] - r[2 * e]) / 2;
    const double phi = angle((2 * e + 1) * k, 2 * n);
    p += s * (neumann ? std::cos(phi) : std::sin(phi));
    q += t * (neumann ? -std::sin(phi) : std::cos(phi));
  }
  const double norm = (k == 0 || k == n ? 1.0 : 2.0) / n;
  return {norm * p, norm * q};
}

// (u_j, w_j) from (al_k, be_k).
std::array<double, 2> series(const std::vector<std::array<double, 2>>& c, Index j, bool neumann) {
  const auto n = static_cast<Index>(c.size()) - 1;
  double u = 0, w = 0;
  for (Index k = 0; k <= n; ++k) {
    const double phi = angle(j * k, n);
    const bool inner = k > 0 && k < n;
    if (neumann || inner) u += c[k][0] * (neumann ? std::cos(phi) : std::sin(phi));
    if (!neumann || inner) w += c[k][1] * (neumann ? -std::sin(phi) : std::cos(phi));
  }
  return {u, w};
}

class Transforms : public OnEveryExecutor {};

TEST_P(Transforms, AlongLinesAreTheSums) {
  for (const bool neumann : {false, true})
    for (const Index n : lengths) {
      const Axis axis = axis_of(n, neumann);
      Lines lines(11, n);
      const NodalBlock& block = lines.block;
      ClosedBasis basis(axis, transforms_alone(axis), 1, 0, executor());
      auto f = make_array(executor(), lines.values), x = make_array(executor(), std::vector<double>(f.size(), 7.0));
      double* start = x.view().data + NodalBlock::margin;
      basis.analyze(block.lines(), block.line_size(), block.stride(), f.view().data + NodalBlock::margin, start);
      Lines sums_found(11, n);
      sums_found.values = x.to_host();
      basis.synthesize(block.lines(), block.line_size(), block.stride(), start);
      Lines series_found(11, n);
      series_found.values = x.to_host();
      for (Index i = 0; i < block.lines(); ++i)
        for (int qx = 0; qx < 2; ++qx) {
          std::vector<double> r;
          for (Index e = 0; e < n; ++e) {
            r.push_back(lines.at(i, qx + 2, e));
            r.push_back(lines.at(i, qx, e + 1));
          }
          std::vector<std::array<double, 2>> c;
          for (Index k = 0; k <= n; ++k) {
            c.push_back(sums(r, k, neumann));
            for (int s = 0; s < 2; ++s) ASSERT_NEAR(sums_found.at(i, qx + 2 * s, k), c[k][s], 2e-15) << n << " " << k;
          }
          for (Index j = 0; j <= n; ++j) {
            const auto expected = series(c, j, neumann);
            for (int s = 0; s < 2; ++s)
              ASSERT_NEAR(series_found.at(i, qx + 2 * s, j), expected[s], 1e-14) << n << " " << j;
          }
        }
      EXPECT_EQ(x.to_host()[block.place(0, n) + 1], 7);  // nothing beyond the nodes is written
    }
}

// Columns shift the eigenvalue 1 by their own number.
TEST_P(Transforms, AcrossLinesAreTheSumsToo) {
  for (const bool neumann : {false, true})
    for (const Index n : {2, 3, 7, 8, 30, 97}) {
      const Axis axis = axis_of(n, neumann);
      const Index ny = 9, columns = ny + 1;
      Lines lines(n + 1, ny);
      const NodalBlock& block = lines.block;
      ClosedBasis basis(axis, transforms_alone(axis), 1, 0, executor());
      std::vector<double> shift(32, 1.0);
      for (Index l = 0; l < 32; ++l) shift[l] = 0.25 * static_cast<double>(l);
      const auto shifts = make_array(executor(), shift);
      auto x = make_array(executor(), lines.values);
      basis.solve_across(columns, block.line_size(), block.stride(), x.view().data + NodalBlock::margin,
                         shifts.view().data, 16);
      Lines found(n + 1, ny);
      found.values = x.to_host();
      for (Index j = 0; j < columns; ++j)
        for (int h = 0; h < 2; ++h) {
          std::vector<double> r;
          for (Index e = 0; e < n; ++e) {
            r.push_back(lines.at(e, 1 + 2 * h, j));
            r.push_back(lines.at(e + 1, 2 * h, j));
          }
          std::vector<std::array<double, 2>> c;
          for (Index k = 0; k <= n; ++k) {
            c.push_back(sums(r, k, neumann));
            for (double& value : c[k]) value /= 1 + shift[16 * h + j];
          }
          for (Index i = 0; i <= n; ++i) {
            const auto expected = series(c, i, neumann);
            for (int s = 0; s < 2; ++s) ASSERT_NEAR(found.at(i, s + 2 * h, j), expected[s], 1e-14) << n << " " << i;
          }
        }
    }
}

// At a large length, against the one sum that is cheap: a single frequency comes out alone.
TEST_P(Transforms, LongLinesKeepTheirDigits) {
  for (const Index n : {1021, 1024, 1500, 9000}) {  // the last one is longer than a block of threads holds
    const Axis axis = axis_of(n, false);
    Lines lines(1, n);
    const NodalBlock& block = lines.block;
    const Index frequency = n / 3;
    for (Index e = 0; e < n; ++e) {
      const double phi = angle((2 * e + 1) * frequency, 2 * n);
      lines.at(0, 2, e) = std::sin(phi) - std::cos(phi);
      lines.at(0, 0, e + 1) = std::sin(phi) + std::cos(phi);
    }
    ClosedBasis basis(axis, transforms_alone(axis), 1, 0, executor());
    auto x = make_array(executor(), lines.values);
    double* start = x.view().data + NodalBlock::margin;
    basis.analyze(1, block.line_size(), block.stride(), start, start);
    Lines found(1, n);
    found.values = x.to_host();
    for (Index k = 0; k <= n; ++k)
      for (int s = 0; s < 2; ++s)
        ASSERT_NEAR(found.at(0, 2 * s, k), k == frequency ? 1 : 0, n == 1021 ? 3e-14 : 5e-15) << n << " " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, Transforms, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
