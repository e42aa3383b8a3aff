// An independent reference for the collocation equations: dense matrices assembled by Kronecker products from Hermite
// polynomials evaluated at the Gauss points, and Gaussian elimination. Shares no code with the solver.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace halocline::reference {

using Matrix = std::vector<std::vector<double>>;

inline std::array<double, 4> hermite(int order, double t) {
  if (order == 0)
    return {1 - 3 * t * t + 2 * t * t * t, t - 2 * t * t + t * t * t, 3 * t * t - 2 * t * t * t, t * t * t - t * t};
  if (order == 1) return {-6 * t + 6 * t * t, 1 - 4 * t + 3 * t * t, 6 * t - 6 * t * t, 3 * t * t - 2 * t};
  return {-6 + 12 * t, -4 + 6 * t, 6 - 12 * t, 6 * t - 2};
}

// Coordinates of the Gauss points of a mesh.
inline std::vector<double> gauss_points(const std::vector<double>& nodes) {
  std::vector<double> points;
  for (std::size_t e = 0; e + 1 < nodes.size(); ++e)
    for (double t : {0.5 - std::sqrt(3.0) / 6, 0.5 + std::sqrt(3.0) / 6})
      points.push_back(nodes[e] + t * (nodes[e + 1] - nodes[e]));
  return points;
}

inline double local_length(const std::vector<double>& nodes, std::size_t i) {
  const std::size_t n = nodes.size() - 1;
  if (i == 0) return nodes[1] - nodes[0];
  if (i == n) return nodes[n] - nodes[n - 1];
  return (nodes[i + 1] - nodes[i - 1]) / 2;
}

// 2n x (2n+2): derivative `order` at every Gauss point from (u, s u') at every node.
inline Matrix full_axis(const std::vector<double>& nodes, int order) {
  const std::size_t n = nodes.size() - 1;
  Matrix f(2 * n, std::vector<double>(2 * n + 2, 0.0));
  for (std::size_t e = 0; e < n; ++e)
    for (int q = 0; q < 2; ++q) {
      const double h = nodes[e + 1] - nodes[e];
      auto s = hermite(order, 0.5 + (q == 0 ? -1 : 1) * std::sqrt(3.0) / 6);
      for (int m = 0; m < 4; ++m) {
        s[m] /= std::pow(h, order);
        if (m % 2 == 1) s[m] *= h / local_length(nodes, e + (m == 3));
        f[2 * e + q][2 * e + m] = s[m];
      }
    }
  return f;
}

// Drops the columns of u at both ends.
inline Matrix eliminated_axis(const std::vector<double>& nodes, int order) {
  Matrix full = full_axis(nodes, order);
  for (auto& row : full) {
    row.erase(row.end() - 2);
    row.erase(row.begin());
  }
  return full;
}

// The same where the last node is the first one: 2n x 2n, for (u, u') at nodes 0 .. n - 1.
inline Matrix periodic_axis(const std::vector<double>& nodes, int order) {
  const std::size_t n = nodes.size() - 1;
  Matrix full = full_axis(nodes, order);
  for (auto& row : full) {
    for (std::size_t i = 0; i <= n; ++i) row[2 * i + 1] *= local_length(nodes, i);
    row[0] += row[2 * n];
    row[1] += row[2 * n + 1];
    row.resize(2 * n);
  }
  return full;
}

inline Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix k(a.size() * b.size(), std::vector<double>(a[0].size() * b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j)
      for (std::size_t r = 0; r < b.size(); ++r)
        for (std::size_t c = 0; c < b[0].size(); ++c) k[i * b.size() + r][j * b[0].size() + c] = a[i][j] * b[r][c];
  return k;
}

inline void add(Matrix& sum, double factor, const Matrix& term) {
  for (std::size_t i = 0; i < sum.size(); ++i)
    for (std::size_t j = 0; j < sum[i].size(); ++j) sum[i][j] += factor * term[i][j];
}

inline std::vector<double> multiply(const Matrix& a, const std::vector<double>& x) {
  std::vector<double> y(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

// a u_xx + c u_yy + e u_y + eta u with u = 0 on the sides: unknowns and equations by x, then y.
inline Matrix assemble(const std::vector<double>& x, const std::vector<double>& y, double a, double c, double e,
                       double eta) {
  Matrix kx[3], ky[3];
  for (int p = 0; p < 3; ++p) {
    kx[p] = eliminated_axis(x, p);
    ky[p] = eliminated_axis(y, p);
  }
  Matrix sum = kronecker(kx[2], ky[0]);
  for (auto& row : sum)
    for (double& value : row) value *= a;
  add(sum, c, kronecker(kx[0], ky[2]));
  add(sum, e, kronecker(kx[0], ky[1]));
  add(sum, eta, kronecker(kx[0], ky[0]));
  return sum;
}

}  // namespace halocline::reference
