// General collocation problems for the tests of line solvers, and their dense matrices: assembled by Kronecker products
// of Hermite polynomials (dense_reference.hpp), solved by LAPACK. Shares no code with the solvers.
#pragma once

#include <functional>
#include <string>

#include "lib/expression/scope.hpp"
#include "lib/linalg/lapack.hpp"
#include "lib/problems/collocation/discretization/equations.hpp"
#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/collocation/dense_reference.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::collocation {

using Function = std::function<double(double, double)>;

struct Case {
  std::string name;
  std::vector<double> x, y;
  EndCondition x_low{}, x_high{}, y_low{}, y_high{};
  std::array<std::string, 6> text{"1", "0", "1", "0", "0", "-1"};
  std::array<Function, 6> value{};  // of the same; constants when empty
};

inline std::vector<double> nodes_of(Index n, const std::function<double(double)>& map = {}) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n);
    nodes.push_back(map ? map(t) : t);
  }
  return nodes;
}

// Coefficients of P2 of the specification, all of them variable.
inline void set_variable(Case& c) {
  c.text = {"2+sin(pi*x)*cos(pi*y)", "0.4*cos(x-y)", "1.5+0.5*cos(x*y)", "5*cos(y)", "-3*x", "-(1+x^2+y^2)"};
  c.value = {[](double x, double y) { return 2 + std::sin(M_PI * x) * std::cos(M_PI * y); },
             [](double x, double y) { return 0.4 * std::cos(x - y); },
             [](double x, double y) { return 1.5 + 0.5 * std::cos(x * y); },
             [](double, double y) { return 5 * std::cos(y); },
             [](double x, double) { return -3 * x; },
             [](double x, double y) { return -(1 + x * x + y * y); }};
}
inline void set_constant(Case& c, const std::array<double, 6>& values) {
  for (int k = 0; k < 6; ++k) {
    c.text[k] = std::to_string(values[k]);
    c.value[k] = [v = values[k]](double, double) { return v; };
  }
}

// Side types and meshes in turn, n x m elements.
inline std::vector<Case> all_cases(Index n, Index m) {
  const EndCondition neumann{0, 1}, robin{2, 1}, other{1, 3};
  const auto graded_x = [](double t) { return t + 0.15 * std::sin(2 * M_PI * t) / M_PI; };
  const auto graded_y = [](double t) { return 0.7 * std::pow(t, 1.5) + 0.3 * t; };
  std::vector<Case> cases{{"dirichlet", nodes_of(n), nodes_of(m)},
                          {"neumann", nodes_of(n), nodes_of(m), neumann, neumann, neumann, neumann},
                          {"robin", nodes_of(n), nodes_of(m), robin, other, robin, other},
                          {"mixed",
                           nodes_of(n, [](double t) { return 3 * t - 1; }),
                           nodes_of(m, [](double t) { return 0.5 + 1.5 * t; }),
                           {},
                           neumann,
                           robin,
                           other},
                          {"graded", nodes_of(n, graded_x), nodes_of(m, graded_y), robin, other, {}, neumann}};
  for (Case& c : cases) set_variable(c);
  cases.push_back({"constant", nodes_of(n), nodes_of(m)});
  set_constant(cases.back(), {1, 0, 1, 0, 0, -1});
  cases.push_back({"strong", nodes_of(n), nodes_of(m), {}, neumann});
  set_constant(cases.back(), {1, 0, 0.01, 8, 0.5, 0});
  return cases;
}

// Right-hand side of all cases; on the sides everything is zero.
constexpr const char* source_text = "exp(x)*sin(3*y+1)";
inline double source(double x, double y) { return std::exp(x) * std::sin(3 * y + 1); }

inline Formulation formulation_of(const Case& c) {
  const Axis x(c.x, c.x_low, c.x_high), y(c.y, c.y_low, c.y_high);
  const Scope scope(variables);
  std::array<Expression, 6> coefficients;
  std::array<double, 6> constants{};
  bool constant = true;
  for (int k = 0; k < 6; ++k) {
    coefficients[k] = scope.parse(Formula{c.text[k], {"test", 1, 1}});
    constant = constant && c.text[k].find_first_of("xy") == std::string::npos;
    if (constant) constants[k] = std::stod(c.text[k]);
  }
  std::array<SideData, 4> sides;
  for (int s = 0; s < 4; ++s) sides[s].assign(2 * (s < 2 ? c.y.size() : c.x.size()), 0.0);
  const Expression f = scope.parse(Formula{source_text, {"test", 1, 1}});
  Formulation made = formulate(thesis(4));
  made.x = x;
  made.y = y;
  made.coefficients = Program(coefficients, 2);
  made.constants.reset();
  if (constant) made.constants = constants;
  made.f = Program({&f, 1}, 2);
  made.boundary = Boundary(sides, x, y);
  made.has_exact = false;
  return made;
}

// E of the specification: (2n + 2) x 2n.
inline reference::Matrix elimination_of(const std::vector<double>& nodes, const EndCondition& low,
                                        const EndCondition& high) {
  const std::size_t n = nodes.size() - 1;
  reference::Matrix e(2 * n + 2, std::vector<double>(2 * n, 0.0));
  for (std::size_t k = 1; k + 1 < 2 * n; ++k) e[k + 1][k] = 1;
  for (int end = 0; end < 2; ++end) {
    const EndCondition& c = end == 0 ? low : high;
    const double s = reference::local_length(nodes, end == 0 ? 0 : n), slope = (end == 0 ? -1 : 1) * c.beta / s;
    double v = -slope, w = c.alpha;  // orthogonal to (alpha, slope)
    const double length = std::hypot(v, w) * ((std::abs(v) > std::abs(w) ? v : w) < 0 ? -1 : 1);
    e[end == 0 ? 0 : 2 * n][end == 0 ? 0 : 2 * n - 1] = v / length;
    e[end == 0 ? 1 : 2 * n + 1][end == 0 ? 0 : 2 * n - 1] = w / length;
  }
  return e;
}

inline reference::Matrix product(const reference::Matrix& a, const reference::Matrix& b) {
  reference::Matrix c(a.size(), std::vector<double>(b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      if (a[i][k] != 0)
        for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

inline std::vector<double> lapack_solve(const reference::Matrix& a, std::vector<double> b) {
  std::vector<double> rows;
  for (const auto& row : a) rows.insert(rows.end(), row.begin(), row.end());
  DenseLu(static_cast<Index>(b.size()), std::move(rows)).solve(b.data());
  return b;
}

// The whole system. Unknown (or equation) a along x and b along y has number a * rows + b; both belong to line
// (a + 1) / 2 and node (b + 1) / 2 along it.
struct Dense {
  explicit Dense(const Case& c) : nx(static_cast<Index>(c.x.size()) - 1), ny(static_cast<Index>(c.y.size()) - 1) {
    ex = elimination_of(c.x, c.x_low, c.x_high);
    ey = elimination_of(c.y, c.y_low, c.y_high);
    const int order[6][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    const auto gx = reference::gauss_points(c.x), gy = reference::gauss_points(c.y);
    a.assign(gx.size() * gy.size(), std::vector<double>(gx.size() * gy.size(), 0.0));
    for (int k = 0; k < 6; ++k) {
      const auto term = reference::kronecker(product(reference::full_axis(c.x, order[k][0]), ex),
                                             product(reference::full_axis(c.y, order[k][1]), ey));
      for (std::size_t p = 0; p < gx.size(); ++p)
        for (std::size_t q = 0; q < gy.size(); ++q) {
          const double factor = (k == 1 ? 2 : 1) * c.value[k](gx[p], gy[q]);
          const std::size_t row = p * gy.size() + q;
          for (std::size_t m = 0; m < term[row].size(); ++m) a[row][m] += factor * term[row][m];
        }
    }
  }
  Index rows() const { return 2 * ny; }
  // D^-1 b for the blocks of the lines of one direction.
  std::vector<double> solve_lines(bool along_y, const std::vector<double>& b) const {
    std::vector<double> x(b.size());
    for (Index line = 0; line <= (along_y ? nx : ny); ++line) {
      std::vector<Index> own;
      for (Index n = 0; n < static_cast<Index>(b.size()); ++n)
        if (((along_y ? n / rows() : n % rows()) + 1) / 2 == line) own.push_back(n);
      reference::Matrix block;
      std::vector<double> part;
      for (Index n : own) {
        block.emplace_back();
        for (Index m : own) block.back().push_back(a[n][m]);
        part.push_back(b[n]);
      }
      part = lapack_solve(block, part);
      for (std::size_t k = 0; k < own.size(); ++k) x[own[k]] = part[k];
    }
    return x;
  }
  // Equations into the layout of nodal_layout.hpp, of all lines.
  std::vector<double> equations(const std::vector<double>& b) const {
    const NodalBlock block{0, nx + 1, nx, ny};
    std::vector<double> nodal(static_cast<std::size_t>(block.size()), 0.0);
    for (Index n = 0; n < static_cast<Index>(b.size()); ++n) {
      const Index g = n / rows(), h = n % rows(), i = (g + 1) / 2, j = (h + 1) / 2;
      nodal[i * block.line_size() + block.place(static_cast<int>((g + 1) % 2 + 2 * ((h + 1) % 2)), j)] = b[n];
    }
    return nodal;
  }
  // Unknowns into the layout of nodal_layout.hpp: (v, w) on sides.
  std::vector<double> unknowns(const std::vector<double>& z) const {
    const NodalBlock block{0, nx + 1, nx, ny};
    std::vector<double> nodal(static_cast<std::size_t>(block.size()), 0.0);
    for (Index n = 0; n < static_cast<Index>(z.size()); ++n)
      for (Index fx = 0; fx < 2 * nx + 2; ++fx)
        for (Index fy = 0; fy < 2 * ny + 2; ++fy) {
          const double factor = ex[fx][n / rows()] * ey[fy][n % rows()];
          if (factor != 0)
            nodal[fx / 2 * block.line_size() + block.place(static_cast<int>(fx % 2 + 2 * (fy % 2)), fy / 2)] +=
                factor * z[n];
        }
    return nodal;
  }
  // f at the Gauss points, equation by equation.
  static std::vector<double> right_hand_side(const Case& c) {
    std::vector<double> b;
    for (const double x : reference::gauss_points(c.x))
      for (const double y : reference::gauss_points(c.y)) b.push_back(source(x, y));
    return b;
  }
  Index nx, ny;
  reference::Matrix ex, ey, a;
};

}  // namespace halocline::collocation
