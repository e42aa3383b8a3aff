// Separable inverses against dense LU on any executor, cut into any parts.
#pragma once

#include <gtest/gtest.h>

#include "lib/problems/collocation/direct/modes.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "mpi/partition.hpp"
#include "tests/unit/collocation/direct/direct_reference.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {

// The parts of a run on one or more ranks, with `each` parts per rank.
struct Layout {
  const Communicator& comm;
  Team team;
  std::vector<NodalBlock> blocks;
  VectorSpacePtr space;

  Layout(const Communicator& world, TestDevice device, int each, Index nx, Index ny, Index chunk)
      : comm(world), team(make_test_executors(device, each), world.rank() * each, world.size() * each) {
    const Partition partition(nx + 1, chunk, std::vector<double>(static_cast<std::size_t>(team.total_parts()), 1.0),
                              chunk);
    for (int p = 0; p < each; ++p) {
      const Range<1> lines = partition.block(team.first_part() + p);
      blocks.push_back({lines.lo[0], lines.hi[0], nx, ny});
    }
    space = nodal_vector_space(comm, team, blocks);
  }
};

using MakeInverse = std::function<std::unique_ptr<Operator<double>>(const Layout&)>;

inline std::vector<double> host_part(const Vector<double>& x, int part) {
  std::vector<double> values(static_cast<std::size_t>(x.part(part).size()));
  x.space().team().executor(part)->copy_out(values.data(), x.part(part).data, values.size() * sizeof(double));
  return values;
}

// Unknowns of all own lines, part by part.
inline std::vector<std::vector<double>> solve_on(const Layout& layout, const DirectReference& reference,
                                                 const std::vector<double>& f, const MakeInverse& make) {
  Vector<double> b(layout.space), x(layout.space);
  for (int p = 0; p < layout.team.parts(); ++p) {
    const auto lines = reference.to_lines(f, layout.blocks[p]);
    layout.team.executor(p)->copy_in(b.part(p).data, lines.data(), lines.size() * sizeof(double));
  }
  const auto inverse = make(layout);
  inverse->apply(b, x);
  inverse->apply(b, x);  // whatever the first left behind does not matter
  std::vector<std::vector<double>> result;
  for (int p = 0; p < layout.team.parts(); ++p) result.push_back(host_part(x, p));
  return result;
}

// Largest difference to the dense solution, relative to its largest number; checks that unused places hold 0.
inline double worst_difference(const Layout& layout, const DirectReference& reference, const std::vector<double>& u,
                               const std::vector<std::vector<double>>& found) {
  double worst = 0, largest = 0;
  for (const double value : u) largest = std::max(largest, std::abs(value));
  for (std::size_t p = 0; p < found.size(); ++p) {
    const NodalBlock& block = layout.blocks[p];
    std::vector<double> rest = found[p];
    for (Index i = 0; i < block.lines(); ++i)
      for (int c = 0; c < 4; ++c)
        for (Index j = 0; j <= block.ny; ++j) {
          double& value = rest[i * block.line_size() + block.place(c, j)];
          const double difference = std::abs(value - reference.unknown(u, block.first_line + i, j, c));
          worst = std::isnan(difference) ? difference : std::max(worst, difference);
          value = 0;
        }
    for (const double value : rest) EXPECT_EQ(value, 0);
  }
  return worst / largest;
}

}  // namespace halocline::collocation
