// Dense collocation equations assembled from Hermite polynomials (dense_reference.hpp), solved by LAPACK, and their
// vectors in the layout of nodal_layout.hpp.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "lib/linalg/lapack.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "tests/unit/collocation/dense_reference.hpp"

namespace halocline::collocation {

using Coefficient = std::function<double(double x, double y)>;
struct DirectCase {
  std::vector<double> x, y;  // nodes
  EndCondition x_low, x_high, y_low, y_high;
  Coefficient a, b, c, d, e, eta;

  Axis axis_x() const { return Axis(x, x_low, x_high); }
  Axis axis_y() const { return Axis(y, y_low, y_high); }
};

inline Coefficient constant(double value) {
  return [value](double, double) { return value; };
}

inline std::vector<double> equal_nodes(Index n, double from = 0, double to = 1) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(n));
  return nodes;
}
inline std::vector<double> graded_nodes(Index n) {
  std::vector<double> nodes;
  for (const double t : equal_nodes(n)) nodes.push_back(0.7 * std::pow(t, 1.5) + 0.3 * t);
  return nodes;
}

// The unit vector that alpha v -+ beta w / s maps to 0.
inline std::array<double, 2> reference_tangent(const EndCondition& end, double outward, double s) {
  const double v = end.beta * outward / s, w = -end.alpha, length = std::hypot(v, w);
  const bool flip = std::abs(v) > std::abs(w) ? v < 0 : w < 0;
  return {(flip ? -v : v) / length, (flip ? -w : w) / length};
}

struct ReferenceAxis {
  reference::Matrix k[3];
  std::array<double, 2> low, high;
  std::size_t n;
  ReferenceAxis(const std::vector<double>& nodes, const EndCondition& a, const EndCondition& b)
      : low(reference_tangent(a, -1, reference::local_length(nodes, 0))),
        high(reference_tangent(b, 1, reference::local_length(nodes, nodes.size() - 1))),
        n(nodes.size() - 1) {
    for (int p = 0; p < 3; ++p)
      for (const auto& row : reference::full_axis(nodes, p)) {
        std::vector<double> out{row[0] * low[0] + row[1] * low[1]};
        out.insert(out.end(), row.begin() + 2, row.end() - 2);
        out.push_back(row[2 * n] * high[0] + row[2 * n + 1] * high[1]);
        k[p].push_back(out);
      }
  }
  // (v, w) of node i from the unknowns.
  double expanded(std::size_t i, int slope, const std::function<double(std::size_t)>& unknown) const {
    if (i == 0) return low[slope] * unknown(0);
    if (i == n) return high[slope] * unknown(2 * n - 1);
    return unknown(2 * i - 1 + slope);
  }
};

class DirectReference {
 public:
  explicit DirectReference(const DirectCase& given)
      : x_(given.x, given.x_low, given.x_high),
        y_(given.y, given.y_low, given.y_high),
        rows_(2 * x_.n),
        columns_(2 * y_.n) {
    const auto gx = reference::gauss_points(given.x), gy = reference::gauss_points(given.y);
    const Coefficient* coefficient[6] = {&given.a, &given.b, &given.c, &given.d, &given.e, &given.eta};
    constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
    const std::size_t size = rows_ * columns_;
    matrix_.assign(size * size, 0.0);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j)
        for (int term = 0; term < 6; ++term) {
          const double value = (term == 1 ? 2 : 1) * (*coefficient[term])(gx[i], gy[j]);
          if (value == 0) continue;
          for (std::size_t r = 0; r < rows_; ++r)
            for (std::size_t s = 0; s < columns_; ++s)
              matrix_[(i * columns_ + j) * size + r * columns_ + s] +=
                  value * x_.k[px[term]][i][r] * y_.k[py[term]][j][s];
        }
  }

  std::vector<double> random_equations(unsigned seed) const {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> f(rows_ * columns_);
    for (double& value : f) value = uniform(generator);
    return f;
  }
  std::vector<double> solve(std::vector<double> f) const {
    DenseLu(static_cast<Index>(f.size()), matrix_).solve(f.data());
    return f;
  }

  // Equations of the lines of a block.
  std::vector<double> to_lines(const std::vector<double>& f, const NodalBlock& block) const {
    std::vector<double> lines(static_cast<std::size_t>(block.size()), 0.0);
    for (std::size_t gx = 0; gx < rows_; ++gx)
      for (std::size_t gy = 0; gy < columns_; ++gy) {
        const auto i = static_cast<Index>((gx + 1) / 2), j = static_cast<Index>((gy + 1) / 2);
        if (i < block.first_line || i >= block.end_line) continue;
        const int c = static_cast<int>((gx + 1) % 2 + 2 * ((gy + 1) % 2));
        lines[(i - block.first_line) * block.line_size() + block.place(c, j)] = f[gx * columns_ + gy];
      }
    return lines;
  }
  // Unknown c of node (i, j), values and slopes on the sides included.
  double unknown(const std::vector<double>& u, Index i, Index j, int c) const {
    return x_.expanded(static_cast<std::size_t>(i), c % 2, [&](std::size_t r) {
      return y_.expanded(static_cast<std::size_t>(j), c / 2, [&](std::size_t s) { return u[r * columns_ + s]; });
    });
  }

 private:
  ReferenceAxis x_, y_;
  std::size_t rows_, columns_;
  std::vector<double> matrix_;
};

}  // namespace halocline::collocation
