// The matrix-free operator against dense Kronecker rows made from Axis::row, on every executor and 1 to 4 parts.
#include "lib/problems/collocation/discretization/nodal_operator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gpu/devices.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

const std::array<std::string, 6> variable{"2+sin(37*x+51*y)", "0.4*cos(29*x-y)", "1.5+0.5*cos(x*y*40)",
                                          "5*cos(33*y)",      "-3*sin(40*x)",    "-(1+x^2+y^2)"};
const std::array<std::string, 6> constant{"2", "0.4", "1.5", "5", "-3", "-1"};

// (A u) at the equation of every node: sum of coefficient times x row times y row over the 16 unknowns of the element.
Nodes dense_product(const Formulation& problem, const Nodes& u) {
  const Axis &x = problem.x, &y = problem.y;
  Nodes result(x.elements(), y.elements());
  for_each_equation(x.elements(), y.elements(), [&](const EquationPlace& at) {
    std::array<std::vector<double>, 6> coefficient;
    CoefficientColumn column;
    evaluate_coefficients(problem, x.gauss()[at.gx], y, column);
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
      const auto row_x = x.row(x_order[k], at.gx), row_y = y.row(y_order[k], at.gy);
      double term = 0;
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 4; ++n)
          term += row_x[m] * row_y[n] * u(at.gx / 2 + m / 2, at.gy / 2 + n / 2, m % 2 + 2 * (n % 2));
      sum += term_factor[k] * column[k][at.gy] * term;
    }
    result(at.i, at.j, at.component) = sum;
  });
  return result;
}

class NodalOperatorTest : public OnEveryExecutor {
 protected:
  void compare(const Formulation& problem, int parts) {
    const Index nx = problem.x.elements(), ny = problem.y.elements();
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    const Partition partition(nx + 1, 1, std::vector<double>(static_cast<std::size_t>(parts), 1.0), 1);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], nx, ny});
    std::vector<Equations<double>> equations;
    std::vector<const Equations<double>*> pointers;
    for (int p = 0; p < parts; ++p)
      equations.emplace_back(problem, problem.x, problem.y, blocks[p], team.executor(p), 2);
    for (const auto& part : equations) pointers.push_back(&part);
    const auto space = nodal_vector_space(comm_, team, blocks);
    const NodalOperator op(space, pointers, problem.x, problem.y);

    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Nodes u(nx, ny), b(nx, ny);
    for (double& value : u.values) value = uniform(random);
    for_each_equation(nx, ny, [&](const EquationPlace& at) { b(at.i, at.j, at.component) = uniform(random); });
    const Nodes expected = dense_product(problem, u);
    double largest = 0;
    for (const double value : expected.values) largest = std::max(largest, std::abs(value));

    Vector<double> x(space), y(space), given(space), r(space);
    put(u, blocks, x);
    put(b, blocks, given);
    op.apply(x, y);
    op.residual(given, x, r);
    for (int p = 0; p < parts; ++p) {
      const auto product = host(y, p), residual = host(r, p);
      std::vector<double> want(product.size(), 0.0), left(product.size(), 0.0);
      place(expected, blocks[p], want);
      place(b, blocks[p], left);
      for (std::size_t n = 0; n < want.size(); ++n) {
        ASSERT_NEAR(product[n], want[n], 1e-12 * largest) << nx << " x " << ny << ", part " << p << ", place " << n;
        ASSERT_NEAR(residual[n], left[n] - want[n], 1e-12 * largest) << "part " << p << ", place " << n;
      }
    }
  }

 private:
  static void place(const Nodes& from, const NodalBlock& block, std::vector<double>& to) {
    for (Index i = 0; i < block.lines(); ++i)
      for (Index j = 0; j <= block.ny; ++j)
        for (int c = 0; c < 4; ++c) to[i * block.line_size() + block.place(c, j)] = from(block.first_line + i, j, c);
  }
  static void put(const Nodes& from, const std::vector<NodalBlock>& blocks, Vector<double>& to) {
    for (std::size_t p = 0; p < blocks.size(); ++p) {
      const auto part = to.part(static_cast<int>(p));
      std::vector<double> values(static_cast<std::size_t>(part.size()), 0.0);
      place(from, blocks[p], values);
      to.space().team().executor(static_cast<int>(p))->copy_in(part.data, values.data(), 8 * values.size());
    }
  }
  static std::vector<double> host(const Vector<double>& x, int p) {
    std::vector<double> values(static_cast<std::size_t>(x.part(p).size()));
    x.space().team().executor(p)->copy_out(values.data(), x.part(p).data, 8 * values.size());
    return values;
  }
  Communicator comm_{MPI_COMM_SELF};
};

TEST_P(NodalOperatorTest, EqualsDenseRows) {
  for (const Index n : {4, 8})
    for (const int parts : {1, 2, 3, 4})
      for (const auto& coefficients : {variable, constant}) {
        const Axis uniform(uniform_nodes(-1, 2, n)), random(random_nodes(n, 4, 3), robin_low, neumann);
        compare(make_formulation(uniform, uniform, coefficients), parts);
        compare(make_formulation(random, uniform, coefficients), parts);
        compare(make_formulation(uniform, random, coefficients), parts);
      }
}

// Lines of several tiles, with a last one of few nodes.
TEST_P(NodalOperatorTest, EqualsDenseRowsOnLongLines) {
  for (const Index ny : {127, 128, 300}) {
    compare(make_formulation(Axis(uniform_nodes(0, 1, 4)), Axis(uniform_nodes(0, 1, ny)), variable), 2);
    compare(make_formulation(Axis(uniform_nodes(0, 1, 4)), Axis(random_nodes(ny, 3, 8)), constant), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, NodalOperatorTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
