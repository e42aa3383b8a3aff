// CG, flexible CG and BiCGSTAB with preconditioners that are no multiple of the identity: counts of the textbook,
// LAPACK's solution, equal bits on any number of parts and ranks, restarts with the same bits; double and float.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "lib/linalg/lapack.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/chunk_matrix.hpp"
#include "tests/unit/krylov/textbook.hpp"
#include "tests/unit/krylov/variants.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline {
namespace {

constexpr Index total = 13 * chunk_rows + 17;
const char* const methods[] = {"cg", "fcg", "bicgstab", "fused cg", "fused fcg", "fused bicgstab"};
const char* const preconditioners[] = {"none", "diagonal", "two steps"};

double solution(Index i) { return std::sin(0.1 * static_cast<double>(i)) + 0.1 * static_cast<double>(i % 7); }
double right_side(Index i) { return std::cos(0.3 * static_cast<double>(i)) + 0.5; }

MatrixShape shape_for(const std::string& method) {
  return method_of(method) == "bicgstab" ? MatrixShape{.skew = 0.4} : MatrixShape{};
}

template <class T>
std::unique_ptr<Operator<T>> make_preconditioner(const std::string& name, const ChunkRows& rows,
                                                 const MatrixShape& shape) {
  if (name == "diagonal") return std::make_unique<DiagonalInverse<T>>(rows, shape);
  if (name == "two steps") return std::make_unique<TwoSteps<T>>(rows, shape);
  return nullptr;
}

// Saves vectors row by row, so that any partition can restore them.
template <class T>
class RowsArchive final : public VectorArchive<T> {
 public:
  RowsArchive(StateArchive& state, const ChunkRows& rows) : state_(state), rows_(rows) {}
  void vector(const char* name, Vector<T>& x) const override {
    const ExecutorPtr host = make_omp_executor(1);
    for (int p = 0; p < rows_.space->team().parts(); ++p) {
      const Index first = rows_.first[p], used = rows_.space->layout().used_size(p);
      std::vector<T> own = x.to_host(p);
      std::vector<double> kept(own.begin(), own.begin() + used);
      state_.block(name, rows_.total, 1, {{first}, {first + used}}, View<double, 1>(kept.data(), used), *host);
      if (!state_.restoring()) continue;
      for (Index i = 0; i < used; ++i) own[i] = static_cast<T>(kept[i]);
      x.assign(p, own);
    }
  }

 private:
  StateArchive& state_;
  const ChunkRows& rows_;
};

struct Outcome {
  SolveReport report;
  double error;  // largest
};

class PreconditionedTest : public OnEveryExecutor {
 protected:
  // Solves for the known solution with `devices` parts per rank.
  template <class T>
  Outcome solve(MPI_Comm communicator, int devices, const std::string& method, const std::string& preconditioner,
                double tolerance) {
    const Communicator comm(communicator);
    const Team team(make_test_executors(GetParam(), devices), comm.rank() * devices, comm.size() * devices);
    const ChunkRows rows(comm, team, total);
    const ChunkMatrix<T> A(rows, shape_for(method));
    const auto M = make_preconditioner<T>(preconditioner, rows, shape_for(method));
    Vector<T> x(rows.space), b(rows.space), exact(rows.space);
    rows.set(exact, solution);
    A.apply(exact, b);
    const auto solver = make_variant<T>(method, rows.space, {.tolerance = tolerance, .max_iterations = 500});
    solver->begin(A, M.get(), b, x);
    while (!solver->iterate(7)) {
    }
    return {solver->report(), rows.largest_difference(x, solution)};
  }
};

TEST_P(PreconditionedTest, FindTheSolutionInDoubleAndFloat) {
  for (const char* method : methods) {
    int plain = 0;
    for (const char* preconditioner : preconditioners) {
      const Outcome in_double = solve<double>(MPI_COMM_SELF, 1, method, preconditioner, 1e-12);
      EXPECT_EQ(in_double.report.status, SolveStatus::converged) << method << ", " << preconditioner;
      EXPECT_LT(in_double.error, 1e-10) << method << ", " << preconditioner;
      EXPECT_EQ(in_double.report.history.size(), static_cast<std::size_t>(in_double.report.iterations) + 1);
      if (plain == 0)
        plain = in_double.report.iterations;
      else
        EXPECT_LE(in_double.report.iterations, plain) << method << ", " << preconditioner;
      const Outcome in_float = solve<float>(MPI_COMM_SELF, 1, method, preconditioner, 1e-5);
      EXPECT_EQ(in_float.report.status, SolveStatus::converged) << method << ", " << preconditioner;
      EXPECT_LT(in_float.error, 1e-3) << method << ", " << preconditioner;
    }
  }
}

TEST_P(PreconditionedTest, NeedTheIterationsOfTheTextbook) {
  for (const char* method : methods)
    for (const std::string preconditioner : preconditioners) {
      const MatrixShape shape = shape_for(method);
      textbook::Numbers exact(static_cast<std::size_t>(total));
      for (Index i = 0; i < total; ++i) exact[i] = solution(i);
      const textbook::Apply A = textbook::matrix(total, shape);
      const textbook::Apply M = preconditioner == "diagonal"    ? textbook::diagonal_inverse(shape)
                                : preconditioner == "two steps" ? textbook::two_steps(total, shape)
                                                                : [](const textbook::Numbers& x) { return x; };
      const bool stabilized = method_of(method) == "bicgstab";
      const int expected = stabilized ? textbook::bicgstab(A, M, A(exact), 1e-8) : textbook::cg(A, M, A(exact), 1e-8);
      const int got = solve<double>(MPI_COMM_SELF, 1, method, preconditioner, 1e-8).report.iterations;
      EXPECT_NEAR(got, expected, stabilized ? 1 : 0) << method << ", " << preconditioner;
      EXPECT_GT(expected, 8) << "or the comparison says little";
    }
}

TEST_P(PreconditionedTest, GiveEqualBitsOnAnyPartition) {
  for (const char* method : methods)
    for (const char* preconditioner : preconditioners) {
      const Outcome alone = solve<double>(MPI_COMM_SELF, 1, method, preconditioner, 1e-12);
      const Outcome in_float = solve<float>(MPI_COMM_SELF, 1, method, preconditioner, 1e-5);
      for (const int devices : {1, 2}) {
        const Outcome shared = solve<double>(MPI_COMM_WORLD, devices, method, preconditioner, 1e-12);
        EXPECT_EQ(shared.report.history, alone.report.history) << method << ", " << preconditioner << ", " << devices;
        EXPECT_EQ(shared.error, alone.error) << method << ", " << preconditioner << ", " << devices;
        const Outcome shared_in_float = solve<float>(MPI_COMM_WORLD, devices, method, preconditioner, 1e-5);
        EXPECT_EQ(shared_in_float.report.history, in_float.report.history) << method << ", " << preconditioner;
      }
    }
}

TEST_P(PreconditionedTest, AgreeWithLapack) {
  constexpr Index size = 150;
  const Communicator comm(MPI_COMM_SELF);
  const Team team(make_test_executors(GetParam(), 1), 0, 1);
  const ChunkRows rows(comm, team, size);
  for (const char* method : methods) {
    const MatrixShape shape = shape_for(method);
    std::vector<double> dense(size * size, 0.0), expected;
    for (Index i = 0; i < size; ++i) {
      dense[i * size + i] = shape.diagonal(i);
      if (shape.left(i) != 0) dense[i * size + i - 1] = shape.left(i);
      if (shape.right(i) != 0 && i + 1 < size) dense[i * size + i + 1] = shape.right(i);
      expected.push_back(right_side(i));
    }
    DenseLu(size, dense).solve(expected.data());
    const ChunkMatrix<double> A(rows, shape);
    for (const char* preconditioner : preconditioners) {
      const auto M = make_preconditioner<double>(preconditioner, rows, shape);
      Vector<double> x(rows.space), b(rows.space);
      rows.set(b, right_side);
      rows.set(x, [](Index i) { return i % 2 == 0 ? 1.0 : -3.0; });
      const auto solver = make_variant<double>(method, rows.space, {.tolerance = 1e-13, .max_iterations = 500});
      solver->begin(A, M.get(), b, x);
      EXPECT_TRUE(solver->iterate(500));
      EXPECT_LT(rows.largest_difference(x, [&](Index i) { return expected[i]; }), 1e-10)
          << method << ", " << preconditioner;
    }
  }
}

template <class T>
void restart_elsewhere(TestDevice device, const char* method, const char* preconditioner, double tolerance) {
  const Communicator comm(MPI_COMM_SELF);
  const MatrixShape shape = shape_for(method);
  MemoryArchive state;
  std::vector<double> whole;
  const KrylovOptions options{.tolerance = tolerance, .max_iterations = 500};
  for (const int parts : {1, 2}) {
    const Team team(make_test_executors(device, parts), 0, parts);
    const ChunkRows rows(comm, team, total);
    const ChunkMatrix<T> A(rows, shape);
    const auto M = make_preconditioner<T>(preconditioner, rows, shape);
    const RowsArchive<T> archive(state, rows);
    Vector<T> x(rows.space), b(rows.space);
    rows.set(b, right_side);
    const auto solver = make_variant<T>(method, rows.space, options);
    solver->begin(A, M.get(), b, x);
    if (!state.restoring()) solver->iterate(5);
    solver->archive(state, archive);
    archive.vector("x", x);
    EXPECT_EQ(solver->report().iterations, 5);
    state.restore_from_now_on();
    solver->iterate(500);
    EXPECT_TRUE(solver->report().converged());
    EXPECT_GT(solver->report().iterations, 6);
    if (whole.empty()) whole = solver->report().history;
    EXPECT_EQ(solver->report().history, whole) << method << ", " << preconditioner;
  }
}

TEST_P(PreconditionedTest, ContinueWithTheSameBitsOnAnotherPartition) {
  for (const char* method : methods)
    for (const char* preconditioner : preconditioners) {
      restart_elsewhere<double>(GetParam(), method, preconditioner, 1e-12);
      restart_elsewhere<float>(GetParam(), method, preconditioner, 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, PreconditionedTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
