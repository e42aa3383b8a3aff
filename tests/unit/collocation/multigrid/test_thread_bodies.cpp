// What a GPU's threads do node by node against what the host does line by line: the same bodies called both ways.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/problems/collocation/discretization/equations.hpp"
#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/split_samples.hpp"
#include "lib/problems/collocation/multigrid/halves.hpp"
#include "lib/problems/collocation/multigrid/node_kernels.hpp"
#include "lib/problems/collocation/multigrid/node_sweep.cu"
#include "lib/problems/collocation/multigrid/transfer_kernels.hpp"
#include "lib/problems/collocation/multigrid/transfers.hpp"
#include "tests/unit/collocation/multigrid/solve_case.hpp"

namespace halocline::collocation {
namespace {

constexpr Index nx = 6, ny = 138;

// Lines with random numbers at all nodes and equations, two lines of zeros on either side.
template <class T>
struct Lines {
  Lines(const NodalBlock& block, unsigned seed, bool equations)
      : block(block), values(static_cast<std::size_t>((block.lines() + 4) * block.line_size())) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index i = 0; i <= block.nx && seed > 0; ++i)
      for (Index j = 0; j <= block.ny; ++j)
        for (int c = 0; c < 4; ++c) {
          const bool missing = (i == 0 && c % 2 == 0) || (i == block.nx && c % 2 == 1) || (j == 0 && c / 2 == 0) ||
                               (j == block.ny && c / 2 == 1);
          const double value = uniform(random);
          own()[i * block.line_size() + block.place(c, j)] = static_cast<T>(equations && missing ? 0 : value);
        }
  }
  T* own() { return values.data() + 2 * block.line_size(); }
  NodalLines<T> view() {
    return {own(), own() - block.line_size(), own() + block.size(), block.lines(), block.line_size()};
  }
  NodalBlock block;
  std::vector<T> values;
};

// Runs bodies both ways, from the same start, and compares what they have written.
template <class T, class Rows, class Threads>
void compare(Lines<T>& target, Index lines, Index columns, double tolerance, const Rows& rows, const Threads& threads) {
  const std::vector<T> before = target.values;
  for (Index i = 0; i < lines; ++i) rows.row(i, 0, columns);
  const std::vector<T> by_rows = target.values;
  target.values = before;
  for (Index i = 0; i < lines; ++i)
    for (Index j = 0; j < columns; ++j) threads(i, j);
  double largest = 0;
  for (const T value : by_rows) largest = std::max(largest, static_cast<double>(std::abs(value)));
  EXPECT_GT(largest, 0);
  for (std::size_t n = 0; n < by_rows.size(); ++n)
    ASSERT_NEAR(target.values[n], by_rows[n], tolerance * largest) << "place " << n;
}

template <class T, class Body>
void compare(Lines<T>& target, Index lines, Index columns, double tolerance, const Body& body) {
  compare(target, lines, columns, tolerance, body, body);
}

// Both colors in one pass by blocks of threads, run on the host, against two half-sweeps: the same bits.
void compare_whole_sweeps(HalfSweepBody<float> half) {
  const NodalBlock& block = half.problem.view.block;
  Lines<float> first(block, 0, false), second(block, 0, false), whole(block, 0, false);
  for (const bool zero : {true, false}) {
    with_kind(half.problem, [&](auto stored, auto uniform) {
      const NodeHalfSweepBody<float, stored(), uniform()> red{
          {half.problem, half.inverses, half.f, 0, zero, half.u, first.own()}};
      const NodeHalfSweepBody<float, stored(), uniform()> black{
          {half.problem, half.inverses, half.f, 1, false, first.view(), second.own()}};
      for (Index i = 0; i < block.lines(); ++i)
        for (Index pair = 0; pair <= block.ny / 2; ++pair) red(i, pair);
      for (Index i = 0; i < block.lines(); ++i)
        for (Index pair = 0; pair <= block.ny / 2; ++pair) black(i, pair);
    });
    half.from_zero = zero;
    half.to = whole.own();
    for (const SweepTile tile : {SweepTile{126, 3}, SweepTile{20, 1}, SweepTile{7, 4}, SweepTile{35, 100}}) {
      std::fill(whole.values.begin(), whole.values.end(), 0.0F);
      sweep_in_one_pass(*make_omp_executor(1), "sweep", tile, half);
      ASSERT_EQ(whole.values, second.values) << tile.pairs << " pairs, " << tile.lines << " lines, zero " << zero;
    }
  }
}

template <class T>
void compare_all(const Axis& x, const Axis& y, const Coefficients& coefficients, double tolerance) {
  const Formulation problem = make_formulation(x, y, coefficients);
  const ExecutorPtr host = make_omp_executor(1);
  const NodalBlock block{0, nx + 1, nx, ny}, coarse{0, nx / 2 + 1, nx / 2, ny / 2};
  const Equations<T> equations(problem, x, y, block, host, 1);
  const NodalProblem<T> nodal = nodal_problem(equations.view(), x, y);
  // Threads read coefficients of even nodes before those of odd ones.
  const Equations<T> split(problem, x, y, block, host, split_samples<T>(host, equations.view()), split_of(block));
  const NodalProblem<T> parted = nodal_problem(split.view(), x, y);
  Lines<T> u(block, 1, false), f(block, 2, true), r(block, 0, false), e(coarse, 3, false), g(coarse, 0, false);
  with_kind(nodal, [&](auto stored, auto uniform) {
    for (const T* given : {static_cast<const T*>(f.own()), static_cast<const T*>(nullptr)})
      compare(r, nx + 1, ny + 1, tolerance, NodeResidualBody<T, stored(), uniform()>{{nodal, u.view(), given, r.own()}},
              NodeResidualBody<T, stored(), uniform()>{{parted, u.view(), given, r.own()}});
  });

  const bool same = equations.view().sampled == nullptr && x.uniform() && y.uniform();
  Lines<T> kept(NodalBlock{0, 4 * (nx + 1), 4 * nx + 3, ny}, 0, false);  // room for 16 numbers per node
  const NodeInverses<T> inverses{kept.own(), nx, ny, 0, block.stride(), false, same};
  compare(kept, same ? 3 : nx + 1, same ? 3 : ny + 1, tolerance, InvertNodesBody<T>{equations.view(), inverses},
          InvertNodesBody<T>{split.view(), inverses});
  with_kind(nodal, [&](auto stored, auto uniform) {
    for (const int color : {0, 1})
      for (const bool zero : {true, false})
        compare(r, nx + 1, ny / 2 + 1, tolerance,
                NodeHalfSweepBody<T, stored(), uniform()>{{nodal, inverses, f.own(), color, zero, u.view(), r.own()}},
                NodeHalfSweepBody<T, stored(), uniform()>{{parted, inverses, f.own(), color, zero, u.view(), r.own()}});
  });

  const Transfers<T> transfers(x, y, x.coarsened(), y.coarsened(), host);
  if constexpr (std::is_same_v<T, float>)
    if (same) compare_whole_sweeps({nodal, inverses, f.own(), 0, false, u.view(), nullptr});

  compare(u, nx + 1, ny / 2 + 1, tolerance, ProlongBody<T>{transfers.view(), block, coarse, e.view(), u.own()});
  compare(g, nx / 2 + 1, ny / 2 + 1, tolerance, RestrictBody<T>{transfers.view(), block, coarse, f.own(), g.own()});
}

// The coefficients of `halves` as floats, whose nodes stand in order; they differ from those of `exact` by rounding.
Array<float, 1> rounded(const EquationView<float>& halves, const EquationView<float>& exact, const ExecutorPtr& host) {
  const NodalBlock& block = exact.block;
  std::vector<float> all(static_cast<std::size_t>(6 * block.size()), 0.0F);
  for (Index i = 0; i <= block.nx; ++i)
    for (Index j = 0; j <= block.ny; ++j)
      for (int k = 0; k < 6; ++k)
        for (int c = 0; c < 4; ++c) {
          const float given = exact.coefficient(k, i, c, j), kept = halves.coefficient(k, i, c, j);
          EXPECT_LE(std::abs(kept - given), std::abs(given) * 0x1p-11F)
              << "coefficient " << k << " at " << i << ", " << j;
          all[static_cast<std::size_t>((6 * i + k) * block.line_size() + block.place(c, j))] = kept;
        }
  return make_array(host, all);
}

// Threads that read numbers of 16 bits against rows that read the same numbers in 32.
void compare_halves(const Axis& x, const Axis& y, const Coefficients& coefficients) {
  const Formulation problem = make_formulation(x, y, coefficients);
  const ExecutorPtr host = make_omp_executor(1);
  const NodalBlock block{0, nx + 1, nx, ny};
  const Equations<float> exact(problem, x, y, block, host, 1);
  const Equations<float> short_ones(problem, x, y, block, host, halved_samples(host, exact.view()), split_of(block));
  const Equations<float> plain(problem, x, y, block, host, rounded(short_ones.view(), exact.view(), host));
  const NodalProblem<float> halves = nodal_problem(short_ones.view(), x, y), rows = nodal_problem(plain.view(), x, y);
  Lines<float> u(block, 1, false), f(block, 2, true), r(block, 0, false);

  const Index width = (ny + 1 + 31) / 32 * 32, stride = block.stride();
  std::vector<float> of_threads(static_cast<std::size_t>((nx + 1) * 16 * width)), of_rows((nx + 1) * 16 * stride);
  NodeInverses<float> inverses{of_threads.data(), nx, ny, 0, width, true, false};
  const InvertNodesBody<float> invert{short_ones.view(), inverses};
  for (Index i = 0; i <= nx; ++i)
    for (Index j = 0; j <= ny; ++j) invert(i, j);
  const HalfGroups kept = halved(host, {nx + 1, 4, width, ny + 1}, of_threads.data());
  inverses.halves = kept.values.view().data;
  inverses.scales = kept.scales.view().data;
  const NodeInverses<float> in_order{of_rows.data(), nx, ny, 0, stride, false, false};
  for (Index i = 0; i <= nx; ++i)
    for (Index j = 0; j <= ny; ++j) {
      float m[16];
      NodeInverse<float, Stored::halves> read;
      read.read(inverses, i, j);
      read.get(inverses, i, m);
      for (int n = 0; n < 16; ++n) {
        EXPECT_LE(std::abs(m[n] - inverses.at(i, j, n)), std::abs(inverses.at(i, j, n)) * 0x1p-11F);
        in_order.at(i, j, n) = m[n];
      }
    }

  with_kind(halves, [&](auto stored, auto uniform) {
    if constexpr (stored() == Stored::halves) {
      compare(r, nx + 1, ny + 1, 1e-5,
              NodeResidualBody<float, Stored::sampled, uniform()>{{rows, u.view(), f.own(), r.own()}},
              NodeResidualBody<float, stored(), uniform()>{{halves, u.view(), f.own(), r.own()}});
      for (const int color : {0, 1})
        for (const bool zero : {true, false})
          compare(r, nx + 1, ny / 2 + 1, 1e-5,
                  NodeHalfSweepBody<float, Stored::sampled, uniform()>{
                      {rows, in_order, f.own(), color, zero, u.view(), r.own()}},
                  NodeHalfSweepBody<float, stored(), uniform()>{
                      {halves, inverses, f.own(), color, zero, u.view(), r.own()}});
      compare_whole_sweeps(HalfSweepBody<float>{halves, inverses, f.own(), 0, false, u.view(), nullptr});
    } else {
      ADD_FAILURE() << "coefficients in 16 bits are taken for others";
    }
  });
}

TEST(ThreadBodies, ReadHalves) {
  const Axis uniform_x(uniform_nodes(0, 1, nx), robin_low, dirichlet), uniform_y(uniform_nodes(0, 1, ny));
  const Axis random_x(random_nodes(nx, 3, 1)), random_y(random_nodes(ny, 3, 2), neumann, robin_high);
  compare_halves(uniform_x, uniform_y, p2);
  compare_halves(random_x, random_y, p2);
}

// Powers of two make room for numbers of any unit, and 11 bits for those that differ by 10^7 along a line.
TEST(ThreadBodies, HalvesKeepRange) {
  const ExecutorPtr host = make_omp_executor(1);
  constexpr Index groups = 3, nodes = 5, width = 32;
  for (const float unit : {1e-30F, 1.0F, 1e30F}) {
    std::vector<float> from(groups * 4 * width, 7e37F);  // room beyond the nodes holds anything
    const auto place = [](Index group, int c, Index j) {
      return (4 * group + c) * width + j % 2 * (width / 2) + j / 2;
    };
    const auto value = [&](Index group, int c, Index j) {
      return group == 1 ? 0
                        : (c % 2 == 0 ? unit : -unit) * 1.2345F * std::pow(10.0F, static_cast<float>(c - 4 + j) / 2);
    };
    for (Index group = 0; group < groups; ++group)
      for (int c = 0; c < 4; ++c)
        for (Index j = 0; j < nodes; ++j) from[place(group, c, j)] = value(group, c, j) * (j == 0 && c > 0 ? 1e-5F : 1);
    const HalfGroups halves = halved(host, {groups, 1, width, nodes}, from.data());
    for (Index group = 0; group < groups; ++group)
      for (int c = 0; c < 4; ++c)
        for (Index j = 0; j < nodes; ++j) {
          const float given = from[place(group, c, j)];
          const FourHalves& four = halves.values.view().data[group * width + j % 2 * (width / 2) + j / 2];
          EXPECT_NEAR(halves.scales.view().data[group] * to_float(four.of[c]), given, std::abs(given) * 0x1p-11F);
        }
  }
}

TEST(ThreadBodies, EqualRows) {
  const Axis uniform_x(uniform_nodes(0, 1, nx), robin_low, dirichlet), uniform_y(uniform_nodes(0, 1, ny));
  const Axis random_x(random_nodes(nx, 3, 1)), random_y(random_nodes(ny, 3, 2), neumann, robin_high);
  for (const auto* coefficients : {&p1, &p2}) {
    compare_all<double>(uniform_x, uniform_y, *coefficients, 1e-12);
    compare_all<double>(random_x, random_y, *coefficients, 1e-12);
    compare_all<float>(uniform_x, uniform_y, *coefficients, 1e-4);
    compare_all<float>(uniform_x, random_y, *coefficients, 1e-4);
  }
}

}  // namespace
}  // namespace halocline::collocation
