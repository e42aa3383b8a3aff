// Node smoothing against half-sweeps made from dense rows, on every executor and 1 to 3 parts.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/problems/collocation/multigrid/smoother.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/dense_reference.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"
#include "tests/unit/dense_solve.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

class Reference {
 public:
  explicit Reference(const Formulation& problem)
      : x_(problem.x), y_(problem.y), coefficients_(static_cast<std::size_t>(x_.unknowns())) {
    for (Index g = 0; g < x_.unknowns(); ++g) evaluate_coefficients(problem, x_.gauss()[g], y_, coefficients_[g]);
  }

  // Coefficient of unknown `component` of node (i, j) in an equation.
  double entry(const EquationPlace& at, Index i, Index j, int component) const {
    const Index m = 2 * (i - at.gx / 2) + component % 2, n = 2 * (j - at.gy / 2) + component / 2;
    if (m < 0 || m > 3 || n < 0 || n > 3) return 0;
    double sum = 0;
    for (int k = 0; k < 6; ++k)
      sum +=
          term_factor[k] * coefficients_[at.gx][k][at.gy] * x_.row(x_order[k], at.gx)[m] * y_.row(y_order[k], at.gy)[n];
    return sum;
  }

  // Corrects the nodes of a color; residuals before the half-sweep.
  void half_sweep(const Nodes& f, Nodes& u, int color) const {
    const Nodes before = u;
    std::vector<std::vector<EquationPlace>> of_node(before.values.size() / 4);
    for_each_equation(x_.elements(), y_.elements(),
                      [&](const EquationPlace& at) { of_node[at.i * (y_.elements() + 1) + at.j].push_back(at); });
    for (Index i = 0; i <= x_.elements(); ++i)
      for (Index j = 0; j <= y_.elements(); ++j)
        if ((i + j) % 2 == color) correct(of_node[i * (y_.elements() + 1) + j], i, j, f, before, u);
  }

 private:
  static std::vector<std::array<double, 2>> basis(const Axis& axis, Index i) {
    if (i == 0) return {axis.tangent(End::low)};
    if (i == axis.elements()) return {axis.tangent(End::high)};
    return {{1, 0}, {0, 1}};
  }
  void correct(const std::vector<EquationPlace>& equations, Index i, Index j, const Nodes& f, const Nodes& before,
               Nodes& u) const {
    std::vector<std::array<double, 4>> directions;
    for (const auto& y : basis(y_, j))
      for (const auto& x : basis(x_, i)) directions.push_back({x[0] * y[0], x[1] * y[0], x[0] * y[1], x[1] * y[1]});
    std::vector<std::vector<double>> a;
    std::vector<double> r;
    for (const EquationPlace& at : equations) {
      a.emplace_back();
      for (const auto& d : directions) {
        double sum = 0;
        for (int c = 0; c < 4; ++c) sum += d[c] * entry(at, i, j, c);
        a.back().push_back(sum);
      }
      double residual = f(i, j, at.component);
      for (Index m = at.gx / 2; m <= at.gx / 2 + 1; ++m)
        for (Index n = at.gy / 2; n <= at.gy / 2 + 1; ++n)
          for (int c = 0; c < 4; ++c) residual -= entry(at, m, n, c) * before(m, n, c);
      r.push_back(residual);
    }
    const auto z = solve_dense(a, r);
    for (std::size_t k = 0; k < z.size(); ++k)
      for (int c = 0; c < 4; ++c) u(i, j, c) += z[k] * directions[k][c];
  }
  const Axis &x_, &y_;
  std::vector<CoefficientColumn> coefficients_;
};

class NodeSmootherTest : public OnEveryExecutor {
 protected:
  template <class T>
  void compare(const Formulation& problem, int parts, bool from_zero, double tolerance) {
    const Index nx = problem.x.elements(), ny = problem.y.elements();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Nodes f(nx, ny), u(nx, ny);
    for_each_equation(nx, ny, [&](const EquationPlace& at) { f(at.i, at.j, at.component) = uniform(random); });
    for (Index i = 1; i < nx; ++i)
      for (Index j = 1; j < ny; ++j)
        for (int c = 0; c < 4; ++c) u(i, j, c) = 1e-3 * uniform(random);
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    const Partition partition(nx + 1, 1, std::vector<double>(static_cast<std::size_t>(parts), 1.0), 2);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], nx, ny});
    const NodalSpace space(comm_, team, blocks, false);
    std::vector<Equations<T>> equations;
    LevelMesh<T> mesh{&problem.x, &problem.y, &space, {}};
    for (int p = 0; p < parts; ++p) {
      equations.emplace_back(problem, problem.x, problem.y, blocks[p], team.executor(p), 1);
      mesh.views.push_back(equations.back().view());
    }
    const auto smoother = make_node_smoother(mesh);
    Vector<T> b(space.vectors()), x(space.vectors());
    put(f, space, b);
    put(u, space, x);
    smoother->sweep(b, x, from_zero ? SweepStart::zero : SweepStart::own_lines);
    smoother->sweep(b, x, SweepStart::own_lines);
    const Reference reference(problem);
    if (from_zero) u = Nodes(nx, ny);
    for (int half = 0; half < 4; ++half) reference.half_sweep(f, u, half % 2);
    double largest = 0;
    for (const double value : u.values) largest = std::max(largest, std::abs(value));
    for (int p = 0; p < parts; ++p) {
      const std::vector<T> host = x.to_host(p);
      for (Index i = 0; i < blocks[p].lines(); ++i)
        for (Index j = 0; j <= ny; ++j)
          for (int c = 0; c < 4; ++c)
            ASSERT_NEAR(host[i * blocks[p].line_size() + blocks[p].place(c, j)], u(blocks[p].first_line + i, j, c),
                        tolerance * largest)
                << "node " << blocks[p].first_line + i << ", " << j << ", component " << c << ", parts " << parts;
    }
  }

 private:
  template <class T>
  void put(const Nodes& from, const NodalSpace& space, Vector<T>& to) {
    for (int p = 0; p < space.team().parts(); ++p) {
      const NodalBlock& block = space.block(p);
      std::vector<T> host(static_cast<std::size_t>(block.size()), T{0});
      for (Index i = 0; i < block.lines(); ++i)
        for (Index j = 0; j <= block.ny; ++j)
          for (int c = 0; c < 4; ++c)
            host[i * block.line_size() + block.place(c, j)] = static_cast<T>(from(block.first_line + i, j, c));
      to.assign(p, host);
    }
  }
  Communicator comm_{MPI_COMM_SELF};
};

TEST_P(NodeSmootherTest, EqualsDenseHalfSweeps) {
  const Axis x(uniform_nodes(0, 1, 8), robin_low, neumann), y(random_nodes(9, 3, 6), dirichlet, robin_high);
  const Axis uniform(uniform_nodes(0, 1, 8), robin_low, neumann);
  for (const int parts : {1, 2, 3})
    for (const bool from_zero : {true, false}) {
      compare<double>(make_formulation(x, y, p2), parts, from_zero, 1e-12);
      compare<double>(make_formulation(x, y, p1), parts, from_zero, 1e-12);
      compare<double>(make_formulation(uniform, uniform, p7), parts, from_zero, 1e-12);
      compare<float>(make_formulation(uniform, uniform, p2), parts, from_zero, 3e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, NodeSmootherTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
