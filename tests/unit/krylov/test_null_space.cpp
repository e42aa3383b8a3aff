// Constants on sets of unknowns: means as a loop on the host has them, equal bits on any number of parts, and CG for a
// singular matrix.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/krylov/null_space.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/chunk_matrix.hpp"

namespace halocline {
namespace {

constexpr Index total = 29 * chunk_rows + 17;

double number(Index row) { return std::sin(static_cast<double>(row * row % 1000)) + 0.3; }
// A set of one chunk, others of three; the unknowns behind the last belong to none.
Index set_of(Index row, Index sets) {
  const Index set = (row / chunk_rows + 2) / 3 + 1;
  return set <= sets ? set : 0;
}

class NullSpaces : public testing::TestWithParam<TestDevice> {
 protected:
  // All unknowns of all ranks, in their order.
  static std::vector<double> values_of(const ChunkRows& rows, const Vector<double>& x) {
    std::vector<double> own;
    for (int p = 0; p < rows.space->team().parts(); ++p) {
      const std::vector<double> part = x.to_host(p);
      own.insert(own.end(), part.begin(), part.begin() + rows.space->layout().used_size(p));
    }
    return own;
  }

  static std::vector<double> projected(const Communicator& comm, TestDevice device, int parts, int sets,
                                       double& taken) {
    const Team team(make_test_executors(device, parts), 0, parts);
    const ChunkRows rows(comm, team, total);
    Vector<double> set(rows.space), x(rows.space);
    rows.set(set, [&](Index row) { return set_of(row, sets); });
    rows.set(x, number);
    const NullSpace space(std::move(set), sets);
    taken = space.project(x);
    return values_of(rows, x);
  }
};

TEST_P(NullSpaces, MeansOfEverySet) {
  const Communicator comm(MPI_COMM_SELF);
  for (const int sets : {1, 2, 8, 9}) {
    std::vector<double> sum(static_cast<std::size_t>(sets) + 1, 0), size(sum);
    for (Index row = 0; row < total; ++row) {
      sum[static_cast<std::size_t>(set_of(row, sets))] += number(row);
      size[static_cast<std::size_t>(set_of(row, sets))] += 1;
    }
    double squares = 0;
    for (std::size_t n = 1; n < sum.size(); ++n) squares += sum[n] * sum[n] / size[n];
    double taken = 0, again = 0;
    const std::vector<double> found = projected(comm, GetParam(), 1, sets, taken);
    ASSERT_EQ(static_cast<Index>(found.size()), total);
    EXPECT_NEAR(taken, std::sqrt(squares), 1e-12);
    for (Index row = 0; row < total; ++row) {
      const auto n = static_cast<std::size_t>(set_of(row, sets));
      const double mean = n == 0 ? 0 : sum[n] / size[n];
      EXPECT_NEAR(found[static_cast<std::size_t>(row)], number(row) - mean, 1e-14) << row;
    }
    EXPECT_EQ(projected(comm, GetParam(), 3, sets, again), found);
    EXPECT_EQ(again, taken);
  }
}

// Without shift and wave, and with the ends of chunks mended, constants on a chunk are mapped to zero.
class Neumann final : public Operator<double> {
 public:
  explicit Neumann(const ChunkRows& rows) : rows_(rows), A_(rows, {.skew = 0, .shift = 0, .wave = 0}) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    A_.apply(x, y);
    for (int p = 0; p < rows_.space->team().parts(); ++p) {
      std::vector<double> from = x.to_host(p), to = y.to_host(p);
      for (Index i = 0; i < rows_.space->layout().used_size(p); ++i) {
        const Index row = rows_.first[static_cast<std::size_t>(p)] + i;
        const int ends = int{row % chunk_rows == 0} + int{(row + 1) % chunk_rows == 0 || row + 1 == rows_.total};
        to[static_cast<std::size_t>(i)] -= ends * from[static_cast<std::size_t>(i)];
      }
      y.assign(p, to);
    }
  }

 private:
  const ChunkRows& rows_;
  ChunkMatrix<double> A_;
};

TEST_P(NullSpaces, SingularSystem) {
  const Communicator comm(MPI_COMM_SELF);
  const Team team(make_test_executors(GetParam(), 2), 0, 2);
  const ChunkRows rows(comm, team, 9 * chunk_rows);
  const Neumann A(rows);
  Vector<double> set(rows.space), exact(rows.space), b(rows.space), x(rows.space);
  rows.set(set, [](Index row) { return row / chunk_rows + 1; });
  const NullSpace space(std::move(set), 9);
  rows.set(exact, number);
  space.project(exact);
  A.apply(exact, b);
  EXPECT_LT(space.project(b), 1e-13 * norm(b));
  const ProjectedOperator M(nullptr, space);
  for (const char* method : {"cg", "gmres"}) {
    fill(x, 0);
    KrylovOptions options;
    options.tolerance = 1e-12;
    options.restart = 80;
    const auto solver = make_krylov<double>(method, rows.space, options);
    solver->begin(A, &M, b, x);
    solver->iterate(1000);
    EXPECT_TRUE(solver->report().converged()) << method;
    space.project(x);
    axpy(-1, exact, x);
    EXPECT_LT(norm(x), 1e-8 * norm(exact)) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, NullSpaces, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
