// Cycles on several ranks with several devices each: the bits of one part, one message per neighbor of what is
// replicated, and errors that all ranks see.
#include <gtest/gtest.h>

#include "tests/unit/executors.hpp"
#include "tests/unit/multigrid/model_hierarchy.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::multigrid {
namespace {

struct Result {
  std::vector<double> rows;  // of this rank
  Index messages;            // of this rank in one cycle
};

template <class T>
Result cycled(const Communicator& comm, const std::vector<ExecutorPtr>& executors, CycleKind kind, int distributed) {
  Model model;
  model.unknowns = 512;
  model.levels = 5;
  const int devices = static_cast<int>(executors.size()), parts = comm.size() * devices;
  const Team team(executors, comm.rank() * devices, parts);
  const Partition rows(model.unknowns, 16 << distributed, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
  const auto hierarchy = model_hierarchy<T>(comm, team, model, rows, distributed);
  const PrecisionShell<T> shell(*hierarchy, static_cast<double>(model.unknowns), kind);
  Vector<double> x(solver_space(comm, team, rows)), y(x.space_pointer());
  scatter(rows, random_numbers(static_cast<std::size_t>(model.unknowns), 5), x);
  shell.apply(x, y);
  const Index before = hierarchy->sent().messages;
  shell.apply(x, y);
  return {own_rows(y), hierarchy->sent().messages - before};
}

// Of this rank, to give a right-hand side to all parts: from each of its parts to each of others, or, where parts are
// many, to one per stage.
int gathering_messages(const Communicator& world, int devices) {
  const int parts = devices * world.size();
  if (parts <= most_direct) return devices * devices * (world.size() - 1);
  int messages = 0;
  for (int distance = 1; distance < parts; distance *= 2)
    for (int p = world.rank() * devices; p < (world.rank() + 1) * devices; ++p)
      messages += (p + parts - distance) % parts / devices != world.rank() ? 1 : 0;
  return messages;
}

template <class T>
void check(CycleKind kind, int distributed) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Result alone = cycled<T>(self, {make_omp_executor(1)}, kind, 0);
  EXPECT_EQ(alone.messages, 0);
  for (const int devices : {1, 2, 3}) {
    if (devices * world.size() > most_direct && distributed == 2) continue;  // more parts than blocks
    const std::vector<ExecutorPtr> executors = make_test_executors(TestDevice::emulated_lazy, devices);
    const Result together = cycled<T>(world, executors, kind, distributed);
    const Index first = world.exclusive_scan(static_cast<Index>(together.rows.size()));
    EXPECT_TRUE(std::equal(together.rows.begin(), together.rows.end(), alone.rows.begin() + first))
        << devices << " devices, " << distributed << " distributed levels";
    if (distributed == 0) {
      EXPECT_EQ(together.messages, gathering_messages(world, devices)) << "the right-hand side alone travels";
    }
  }
}

TEST(CycleRanks, DoNotChangeABit) {
  for (const CycleKind kind : {CycleKind::v, CycleKind::w, CycleKind::f})
    for (const int distributed : {0, 1, 2}) {
      check<float>(kind, distributed);
      if (kind == CycleKind::v) check<double>(kind, distributed);
    }
}

// Only rank 0 looks at the matrix.
TEST(CycleRanks, AllLearnThatTheCoarsestSystemIsSingular) {
  const Communicator world(MPI_COMM_WORLD);
  const Team team({make_omp_executor(1)}, world.rank(), world.size());
  const auto space = std::make_shared<VectorSpace>(world, team, VectorLayout{{1}, 2});
  const CoarsestLayout layout{{0, 1}, {0, 1}, {}};
  const std::vector<double> singular{1, 2, 2, 4}, regular{1, 0, 0, 1};
  EXPECT_THROW(make_dense_inverse<float>(space, layout, world.rank() == 0 ? singular : regular), NumericalError);
  EXPECT_NO_THROW(make_dense_inverse<float>(space, layout, world.rank() == 0 ? regular : std::vector<double>{}));
}

}  // namespace
}  // namespace halocline::multigrid
