// No memory is allocated inside the Schur-BiCGSTAB iteration, on one part and on several with exchange between them.
#include <gtest/gtest.h>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/schur/schur.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/count_allocations.hpp"

namespace halocline::collocation {
namespace {

long allocations_of_twenty_iterations(int devices) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<ExecutorPtr> executors;
  for (int i = 0; i < devices; ++i) executors.push_back(make_omp_executor(1));
  const Team team(executors, comm.rank() * devices, comm.size() * devices);
  const Index nx = 128, ny = 8;
  std::vector<double> nodes;
  for (Index i = 0; i <= ny; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(ny));
  const Axis y(nodes);
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
  const Partition partition(nx + 1, 2, weights, 2);
  std::vector<LineBlock> blocks;
  std::vector<PartRightHandSide> b;
  for (int p = 0; p < devices; ++p) {
    const Range<1> lines = partition.block(team.first_part() + p);
    blocks.push_back({lines.lo[0], lines.hi[0], nx, y.unknowns()});
    const Index groups = blocks.back().groups(), size = blocks.back().group_size();
    b.push_back({std::vector<double>((groups + 1) * size, 0.0), std::vector<double>(groups * size, 0.0)});
    for (Index pair = 0; pair < blocks.back().pairs() - 1; ++pair)
      b.back().black[blocks.back().offset(pair) + 5 * lanes] = static_cast<double>(pair % 13) - 6;
  }
  SchurOperator schur(comm, team, blocks, {1, 1, 0, -1}, 1.0 / static_cast<double>(nx), y);
  Vector<double> rhs(schur.space()), x(schur.space());
  schur.reduce(b, rhs);
  const auto solver = make_bicgstab<double>(schur.space(), {1e-300, 1000});
  solver->begin(schur, nullptr, rhs, x);
  solver->iterate(2);  // the first iteration fills caches of the halo and of MPI
  const long before = allocation_count();
  solver->iterate(20);
  const long after = allocation_count();
  EXPECT_EQ(solver->report().iterations, 22);
  return after - before;
}

TEST(IterationAllocations, AreNone) {
  EXPECT_EQ(allocations_of_twenty_iterations(1), 0);
  EXPECT_EQ(allocations_of_twenty_iterations(3), 0);
}

}  // namespace
}  // namespace halocline::collocation
