// Zebra smoothers against block Gauss-Seidel on the dense matrix, on every executor and for any number of parts.

#include <gtest/gtest.h>

#include "lib/problems/collocation/multigrid/smoother.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/lines/lines_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

// One zebra sweep on the unknowns z of the dense system.
void zebra(const Dense& dense, bool along_y, const std::vector<double>& b, std::vector<double>& z) {
  for (int color = 0; color < 2; ++color) {
    std::vector<double> r = b;
    const auto product = reference::multiply(dense.a, z);
    for (std::size_t n = 0; n < r.size(); ++n) r[n] -= product[n];
    const auto correction = dense.solve_lines(along_y, r);
    for (std::size_t n = 0; n < r.size(); ++n) {
      const Index number = static_cast<Index>(n), across = along_y ? number / dense.rows() : number % dense.rows();
      if ((across + 1) / 2 % 2 == color) z[n] += correction[n];
    }
  }
}

class LineSmootherTest : public OnEveryExecutor {
 protected:
  // u after a sweep, all lines in a row.
  template <class T>
  std::vector<double> sweep(const Case& c, Smoothing smoothing, int parts, const std::vector<double>& f,
                            const std::vector<double>& start, bool from_zero) {
    const Formulation problem = formulation_of(c);
    const Index nx = problem.x.elements(), ny = problem.y.elements();
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    const Partition partition(nx + 1, 1, std::vector<double>(static_cast<std::size_t>(parts), 1.0), 1);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({partition.block(p).lo[0], partition.block(p).hi[0], nx, ny});
    const NodalSpace space(comm_, team, blocks, false);
    LevelMesh<T> mesh{&problem.x, &problem.y, &space, {}};
    std::vector<Equations<T>> equations;
    for (int p = 0; p < parts; ++p) {
      equations.emplace_back(problem, problem.x, problem.y, blocks[p], team.executor(p), 1);
      mesh.views.push_back(equations.back().view());
    }
    Vector<T> b(space.vectors()), u(space.vectors());
    for (int p = 0; p < parts; ++p) {
      b.assign(p, lines_of<T>(f, blocks[p]));
      u.assign(p, lines_of<T>(start, blocks[p]));
    }
    const auto smoother = make_line_smoother(mesh, smoothing);
    smoother->sweep(b, u, from_zero ? SweepStart::zero : SweepStart::own_lines);
    std::vector<double> all;
    for (int p = 0; p < parts; ++p) {
      const std::vector<T> own = u.to_host(p);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  template <class T>
  static std::vector<T> lines_of(const std::vector<double>& all, const NodalBlock& block) {
    const auto first = all.begin() + block.first_line * block.line_size();
    return std::vector<T>(first, first + block.size());
  }
  static void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance,
                          const std::string& what) {
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t n = 0; n < got.size(); ++n)
      ASSERT_NEAR(got[n], expected[n], tolerance * largest) << what << " at " << n;
  }
  Communicator comm_{MPI_COMM_SELF};
};

TEST_P(LineSmootherTest, SweepsAreBlockGaussSeidel) {
  for (const Case& c : all_cases(5, 6)) {
    if (GetParam() != TestDevice::omp_1 && c.name != "graded") continue;  // emulated launches are slow
    const Dense dense(c);
    const auto b = random_numbers(dense.a.size(), 1), z = random_numbers(dense.a.size(), 2);
    for (const Smoothing smoothing : {Smoothing::vline, Smoothing::hline, Smoothing::alt})
      for (const bool from_zero : {false, true}) {
        std::vector<double> expected = from_zero ? std::vector<double>(z.size(), 0.0) : z;
        if (smoothing != Smoothing::hline) zebra(dense, true, b, expected);
        if (smoothing != Smoothing::vline) zebra(dense, false, b, expected);
        const auto got = sweep<double>(c, smoothing, 1, dense.equations(b), dense.unknowns(z), from_zero);
        expect_near(got, dense.unknowns(expected), 1e-11, c.name);
        const auto rounded = sweep<float>(c, smoothing, 1, dense.equations(b), dense.unknowns(z), from_zero);
        expect_near(rounded, dense.unknowns(expected), 3e-3, c.name + " float");
      }
  }
}

TEST_P(LineSmootherTest, VerticalSweepsDoNotDependOnParts) {
  const Case c = all_cases(6, 5)[4];
  const Dense dense(c);
  const auto b = dense.equations(random_numbers(dense.a.size(), 1)),
             z = dense.unknowns(random_numbers(dense.a.size(), 2));
  const auto one = sweep<double>(c, Smoothing::vline, 1, b, z, false);
  for (const int parts : {2, 3, 4}) {
    EXPECT_EQ(sweep<double>(c, Smoothing::vline, parts, b, z, false), one) << parts << " parts";
    EXPECT_EQ(sweep<double>(c, Smoothing::vline, parts, b, z, true), sweep<double>(c, Smoothing::vline, 1, b, z, true));
  }
}

// Horizontal lines are cut: every part solves its piece with what the others hold from before the half-sweep.
TEST_P(LineSmootherTest, HorizontalLinesEndAtParts) {
  Case c = all_cases(5, 4)[2];
  const Dense dense(c);
  const auto b = random_numbers(dense.a.size(), 1);
  const auto got = sweep<double>(c, Smoothing::hline, 2, dense.equations(b), dense.unknowns(b), true);
  Dense cut(c);  // lines 0 .. 2 and 3 .. 5
  for (std::size_t n = 0; n < cut.a.size(); ++n)
    for (std::size_t m = 0; m < cut.a.size(); ++m) {
      const auto line = [&](std::size_t k) { return (static_cast<Index>(k) / dense.rows() + 1) / 2; };
      if ((line(n) < 3) != (line(m) < 3)) cut.a[n][m] = 0;
    }
  std::vector<double> expected(b.size(), 0.0);
  for (int color = 0; color < 2; ++color) {
    std::vector<double> r = b;
    const auto product = reference::multiply(dense.a, expected);
    for (std::size_t n = 0; n < r.size(); ++n) r[n] -= product[n];
    const auto correction = cut.solve_lines(false, r);
    for (std::size_t n = 0; n < r.size(); ++n)
      if ((static_cast<Index>(n) % dense.rows() + 1) / 2 % 2 == color) expected[n] += correction[n];
  }
  expect_near(got, dense.unknowns(expected), 1e-11, "cut");
}

INSTANTIATE_TEST_SUITE_P(Executors, LineSmootherTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
