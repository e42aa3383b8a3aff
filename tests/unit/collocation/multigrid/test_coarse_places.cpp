// Coarse levels on fewer and fewer parts: what is chosen, whose lines are whose, and cycles with the bits of one part.
#include <gtest/gtest.h>

#include <random>

#include "lib/problems/collocation/multigrid/multigrid.hpp"
#include "mpi/halo/moved_rows.hpp"
#include "tests/unit/collocation/multigrid/mesh_cases.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::collocation {
namespace {

const std::array<std::string, 6> varying{
    "2+sin(pi*x)*cos(pi*y)", "0.4*cos(x-y)", "1.5+0.5*cos(x*y)", "5*cos(y)", "-3*x", "-(1+x^2+y^2)"};

struct Meshes {
  std::vector<Axis> x, y;
};
Meshes meshes(Index nx, Index ny, bool periodic = false) {
  const auto nodes = uniform_nodes(0, 1, nx);
  Meshes made{{periodic ? Axis(nodes, Periodic{}) : Axis(nodes, dirichlet, robin_high)},
              {Axis(uniform_nodes(0, 1, ny), dirichlet, neumann)}};
  while (std::min(made.x.back().elements(), made.y.back().elements()) > 8) {
    made.x.push_back(made.x.back().coarsened());
    made.y.push_back(made.y.back().coarsened());
  }
  return made;
}

int holders(const Partition& lines) {
  int parts = 0;
  for (int p = 0; p < lines.parts(); ++p) parts += lines.block(p).size() > 0 ? 1 : 0;
  return parts;
}

// Blocks of every level against what transfers and exchanges want of them.
void check_lines(const Meshes& mesh, const CoarsePlaces& places, const Partition& finest) {
  for (int l = 0; l <= places.distributed; ++l) {
    const Partition lines = places.lines(mesh.x, finest, l);
    ASSERT_EQ(lines.count(), mesh.x[l].distinct_nodes());
    EXPECT_GT(lines.block(0).size(), 0) << "the first part has something of all levels";
    if (l == places.distributed) break;
    const Partition computed = places.computed(mesh.x, finest, l + 1);
    for (int p = 0; p < lines.parts(); ++p) {
      const Range<1> own = lines.block(p), next = computed.block(p);
      if (own.size() == 0) {
        EXPECT_EQ(next.size(), 0);
        continue;
      }
      EXPECT_GE(own.size(), 2) << "level " << l << ", part " << p;
      EXPECT_EQ(own.lo[0] % 2, 0);
      EXPECT_EQ(next.lo[0], own.lo[0] / 2);
      EXPECT_EQ(next.hi[0], (own.hi[0] + 1) / 2);
    }
  }
}

TEST(CoarsePlaces, LevelsOfManyPartsLiveOnFewerAndFewer) {
  for (const PlaceCosts& costs : {costs_of_hosts, costs_of_gpus})
    for (const int parts : {64, 100, 1024}) {
      const Meshes mesh = meshes(parts > 100 ? 8192 : 2048, 2048);
      const CoarsePlaces places = choose_places(mesh.x, mesh.y, parts, costs);
      std::vector<double> weights(static_cast<std::size_t>(parts), 1.0);
      weights[3] = 2.5;
      const Partition finest(mesh.x[0].distinct_nodes(), places.line_chunk(), weights, 2);
      check_lines(mesh, places, finest);
      ASSERT_GT(places.places.size(), 1U) << parts;
      for (std::size_t n = 1; n < places.places.size(); ++n) {
        EXPECT_GT(places.places[n].level, places.places[n - 1].level);
        EXPECT_GT(places.places[n].group, places.places[n - 1].group);
      }
      const int left = holders(places.lines(mesh.x, finest, places.distributed));
      EXPECT_LE(left, 2 * most_direct) << "few give their lines to each other";
      EXPECT_EQ(places.holders(mesh.x, finest).size(), static_cast<std::size_t>(left));
      // What a part holds of whole levels is no more than of its share of the finest one.
      const double whole =
          static_cast<double>(mesh.x[places.distributed].elements() * mesh.y[places.distributed].elements());
      EXPECT_LT(whole, 1.5 * static_cast<double>(mesh.x[0].elements() * mesh.y[0].elements()) / parts + 512 * 512);
    }
}

TEST(CoarsePlaces, FewPartsKeepWholeLevels) {
  const Axis axis(uniform_nodes(0, 1, 2048));
  const Formulation problem = make_formulation(axis, axis, {"1", "0", "1", "0", "0", "0"});
  for (const int parts : {1, 2, 4, few_parts}) {
    const MultigridPlan plan = plan_multigrid(problem, SmootherChoice::node, parts);
    EXPECT_EQ(plan.places.size(), 1U);
    EXPECT_EQ(plan.distributed, parts == 1 ? 0 : 3) << "of 2048, 1024 and 512 elements";
    EXPECT_EQ(plan.coarse_levels(parts), "");
  }
  EXPECT_GT(plan_multigrid(problem, SmootherChoice::node, few_parts + 1).places.size(), 1U);
  EXPECT_EQ(plan_multigrid(problem, SmootherChoice::hline, 64).distributed, 0) << "lines that are not cut";
}

// Cycles on the parts of all ranks, by places as given.
class CycleCase {
 public:
  CycleCase(const Communicator& comm, const std::vector<ExecutorPtr>& executors, const CoarsePlaces& places,
            SmootherChoice smoother, bool periodic)
      : mesh_(meshes(64, 32, periodic)),
        problem_(make_formulation(mesh_.x[0], mesh_.y[0], varying, periodic ? "sin(2*pi*x)*y" : "sin(2*x+1)*cos(3*y)")),
        team_(executors, comm.rank() * static_cast<int>(executors.size()),
              comm.size() * static_cast<int>(executors.size())) {
    problem_.nonlinear = std::make_shared<const Nonlinear>();  // so that coefficients can change
    MultigridPlan plan{
        {smoother == SmootherChoice::vline ? Smoothing::vline : Smoothing::node, false}, places, mesh_.x, mesh_.y, {}};
    if (smoother == SmootherChoice::alt) plan.smoothing = Smoothing::alt;
    const Partition lines(mesh_.x[0].distinct_nodes(), plan.line_chunk(),
                          std::vector<double>(static_cast<std::size_t>(team_.total_parts()), 1.0), 2);
    check_lines(mesh_, places, lines);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < team_.parts(); ++p)
      blocks.push_back(nodal_block(lines.block(team_.first_part() + p), mesh_.x[0], mesh_.y[0]));
    for (int p = 0; p < team_.parts(); ++p)
      equations_.emplace_back(problem_, mesh_.x[0], mesh_.y[0], blocks[p], team_.executor(p), 1);
    for (const auto& part : equations_) pointers_.push_back(&part);
    space_ = nodal_vector_space(comm, team_, blocks);
    cycle_ = make_multigrid<float>(space_, problem_, plan, lines, pointers_, 1);
  }

  // Results of this rank: a cycle, twice, so that graphs are launched; full multigrid; a cycle with coefficients taken
  // anew.
  std::vector<double> results(bool also_others) {
    Vector<double> b(space_), u(space_);
    for (int p = 0; p < team_.parts(); ++p) {
      const EquationView<double>& view = equations_[p].view();
      std::vector<double> values(static_cast<std::size_t>(view.block.size()), 0.0);
      for (Index i = 0; i < view.block.lines(); ++i)
        for (Index j = 0; j < view.block.nodes(); ++j)
          for (int c = 0; c < 4; ++c)
            if (view.exists(view.block.first_line + i, j, c))
              values[i * view.block.line_size() + view.block.place(c, j)] =
                  std::sin(7.0 * static_cast<double>(view.block.first_line + i) + 3.0 * static_cast<double>(j) + c);
      b.assign(p, values);
    }
    std::vector<double> all;
    const auto take = [&] {
      for (int p = 0; p < team_.parts(); ++p)
        for (const double value : u.to_host(p)) all.push_back(value);
    };
    for (int n = 0; n < 3; ++n) {
      const Index before = cycle_->sent().messages;
      cycle_->begin(b);
      cycle_->apply(b, u);
      messages_ = cycle_->sent().messages - before;
    }
    take();
    if (!also_others) return all;
    cycle_->start(b, u);
    take();
    cycle_->refresh();
    cycle_->apply(b, u);
    take();
    return all;
  }
  Index messages() const { return messages_; }

 private:
  Meshes mesh_;
  Formulation problem_;
  Team team_;
  std::vector<Equations<double>> equations_;
  std::vector<const Equations<double>*> pointers_;
  VectorSpacePtr space_;
  std::unique_ptr<Multigrid> cycle_;
  Index messages_ = 0;
};

// Values of this rank out of three results of all, as they were on one part.
std::vector<double> own_of(const Communicator& world, const std::vector<double>& whole, std::size_t own, int results) {
  const auto size = static_cast<Index>(whole.size()) / results, mine = static_cast<Index>(own) / results;
  const Index first = world.exclusive_scan(mine);
  std::vector<double> all;
  for (int n = 0; n < results; ++n)
    all.insert(all.end(), whole.begin() + n * size + first, whole.begin() + n * size + first + mine);
  return all;
}

struct Choice {
  const char* name;
  int least_parts;
  CoarsePlaces places;
};
const std::vector<Choice>& choices() {
  static const std::vector<Choice> all{
      {"in one step to one part", 2, {{{0, 1}, {1, 16}}, 1}},
      {"by pairs, whole on each that is left", 2, {{{0, 1}, {1, 2}}, 2}},
      {"in two steps", 4, {{{0, 1}, {1, 2}, {2, 4}}, 2}},
      {"whole on few, given back to all", 4, {{{0, 1}, {2, 3}}, 2}},
  };
  return all;
}

class PlacedCycles : public testing::TestWithParam<TestDevice> {};

TEST_P(PlacedCycles, HaveTheBitsOfOnePart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (world.size() > 1 && (GetParam() == TestDevice::omp_3 || GetParam() == TestDevice::emulated))
    GTEST_SKIP() << "takes long on several ranks";
  const ExecutorPtr reference =
      make_test_executor(GetParam() == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1);
  for (const bool periodic : {false, true})
    for (const SmootherChoice smoother : {SmootherChoice::node, SmootherChoice::vline}) {
      if (periodic && smoother == SmootherChoice::vline) continue;
      const auto whole = CycleCase(self, {reference}, {}, smoother, periodic).results(true);
      for (const int devices : {1, 2, 9}) {
        const int parts = devices * world.size();
        if (parts > 9) continue;  // of at least two lines on the level behind the finest
        for (const Choice& choice : choices()) {
          if (parts < choice.least_parts) continue;
          SCOPED_TRACE(std::string(choice.name) + ", " + std::to_string(parts) + " parts" +
                       (periodic ? ", periodic" : ""));
          CycleCase placed(world, make_test_executors(GetParam(), devices), choice.places, smoother, periodic);
          const auto found = placed.results(true);
          EXPECT_TRUE(found == own_of(world, whole, found.size(), 3));
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Executors, PlacedCycles, every_executor(), executor_name);

// Horizontal lines end where parts do, so results are not the same; the cycle still is about the same.
TEST(PlacedCycles, TakeLinesThatPartsCut) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto whole = CycleCase(self, {make_omp_executor(1)}, {}, SmootherChoice::alt, false).results(false);
  for (const Choice& choice : choices()) {
    const std::vector<ExecutorPtr> executors = make_test_executors(TestDevice::emulated_lazy, world.size() < 4 ? 4 : 1);
    const auto found = CycleCase(world, executors, choice.places, SmootherChoice::alt, false).results(false);
    const auto expected = own_of(world, whole, found.size(), 1);
    double error = 0, size = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      error = std::max(error, std::abs(found[n] - expected[n]));
      size = std::max(size, std::abs(expected[n]));
    }
    EXPECT_LT(error, 0.2 * size) << choice.name;
  }
}

// Five exchanges of a shared level, one of which the next coarser level has, and one message there and back where a
// level moves.
TEST(PlacedCycles, SendFewMessages) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() < 4) GTEST_SKIP() << "of four ranks";
  CycleCase placed(world, {make_omp_executor(1)}, choices()[2].places, SmootherChoice::node, false);
  placed.results(false);
  const int rank = world.rank();
  // Level 0 on 4 ranks; level 1 on ranks 0 and 2, which get a message and send two, one of them with the line that is
  // next to the other's; level 2 whole on rank 0.
  const Index finest = rank == 0 || rank == 3 ? 4 : 8;
  EXPECT_EQ(placed.messages(), std::vector<Index>({finest + 4 + 3, finest + 1, finest + 4 + 3, finest + 1})[rank])
      << rank;
}

}  // namespace
}  // namespace halocline::collocation
