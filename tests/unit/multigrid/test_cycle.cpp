// Cycles against products of dense matrices, and the order of their steps.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/executors.hpp"
#include "tests/unit/multigrid/model_hierarchy.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::multigrid {
namespace {

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.n);
  for (Index j = 0; j < a.n; ++j)
    for (Index k = 0; k < a.n; ++k)
      for (Index i = 0; i < a.n; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Dense one_minus(const Dense& a) {
  Dense b(a.n);
  for (Index i = 0; i < a.n; ++i)
    for (Index j = 0; j < a.n; ++j) b(i, j) = (i == j ? 1 : 0) - a(i, j);
  return b;
}

Dense inverse(const Dense& a) {
  Dense b(a.n);
  b.values = invert(a.n, a.values);
  return b;
}

// What damped Jacobi leaves of an error.
Dense left_by_smoothing(const Dense& a, double weight) {
  Dense s = a;
  for (double& value : s.values) value *= weight / a(0, 0);
  return one_minus(s);
}

// What a cycle on `level` leaves of an error: S_after (1 - P (1 - E) A_c^-1 R A) S_before.
Dense left_by_cycle(const Model& model, int level, CycleKind kind) {
  const Dense a = model_matrix(model, level);
  Dense coarse = inverse(model_matrix(model, level + 1));
  if (level + 2 < model.levels) {
    Dense left = left_by_cycle(model, level + 1, kind);
    if (kind == CycleKind::w) left = product(left, left);
    if (kind == CycleKind::f) left = product(left_by_cycle(model, level + 1, CycleKind::v), left);
    coarse = product(one_minus(left), coarse);
  }
  Dense correction(a.n);
  for (Index i = 0; i < a.n; ++i)
    for (Index j = 0; j < a.n; ++j) correction(i, j) = coarse(i / 2, j / 2);
  return product(left_by_smoothing(a, model.after),
                 product(one_minus(product(correction, a)), left_by_smoothing(a, model.before)));
}

class CycleTest : public OnEveryExecutor {
 protected:
  // Some vectors that have nothing in common with the problem, one behind the other.
  static std::vector<double> samples(const Model& model) {
    return random_numbers(3 * static_cast<std::size_t>(model.unknowns), 5);
  }

  // A cycle from zero for each of these.
  template <class T>
  std::vector<double> cycled(const Model& model, CycleKind kind, int parts, int distributed) {
    const Communicator comm(MPI_COMM_SELF);
    const Team team(make_test_executors(GetParam(), parts), 0, parts);
    const Partition rows(model.unknowns, 16 << distributed, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
    const auto hierarchy = model_hierarchy<T>(comm, team, model, rows, distributed);
    const PrecisionShell<T> shell(*hierarchy, static_cast<double>(model.unknowns), kind);
    Vector<double> x(solver_space(comm, team, rows)), y(x.space_pointer());
    const std::vector<double> given = samples(model);
    std::vector<double> all;
    for (auto next = given.begin(); next != given.end(); next += model.unknowns) {
      scatter(rows, {next, next + model.unknowns}, x);
      shell.apply(x, y);
      for (const double value : own_rows(y)) all.push_back(value);
    }
    return all;
  }

  template <class T>
  void compare(CycleKind kind, int parts, int distributed, double tolerance) {
    const Model model;
    const Dense cycle = product(one_minus(left_by_cycle(model, 0, kind)), inverse(model_matrix(model, 0)));
    const std::vector<double> given = samples(model), found = cycled<T>(model, kind, parts, distributed);
    ASSERT_EQ(found.size(), given.size());
    double largest = 0, off = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      const Index i = static_cast<Index>(n) % cycle.n, first = static_cast<Index>(n) - i;
      double expected = 0;
      for (Index j = 0; j < cycle.n; ++j) expected += cycle(i, j) * given[first + j];
      largest = std::max(largest, std::abs(expected));
      off = std::max(off, std::abs(found[n] - expected));
    }
    EXPECT_LT(off, tolerance * largest) << "kind " << static_cast<int>(kind) << ", " << parts << " parts";
  }
};

// B = (1 - E) A^-1, E what a cycle leaves of an error: with this its rate of convergence is known as well.
TEST_P(CycleTest, IsTheProductOfItsMatrices) {
  for (const CycleKind kind : {CycleKind::v, CycleKind::w, CycleKind::f}) {
    compare<double>(kind, 1, 0, 1e-13);
    compare<float>(kind, 1, 0, 2e-6);
  }
  compare<double>(CycleKind::f, 3, 1, 1e-13);
  compare<float>(CycleKind::w, 2, 2, 2e-6);
  compare<double>(CycleKind::v, 2, 0, 1e-13);
}

// The same bits however levels are shared out.
TEST_P(CycleTest, DoesNotDependOnParts) {
  const Model model;
  for (const CycleKind kind : {CycleKind::v, CycleKind::w, CycleKind::f}) {
    const auto alone = cycled<float>(model, kind, 1, 0);
    for (const int parts : {2, 4})
      for (const int distributed : {0, 1})
        EXPECT_EQ(cycled<float>(model, kind, parts, distributed), alone) << parts << " parts, " << distributed;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, CycleTest, every_executor(), executor_name);

// Writes its steps down.
class WrittenLevel final : public Level<double> {
 public:
  // `first_repeated`: this number and those behind it repeat their launches.
  WrittenLevel(VectorSpacePtr space, char number, std::string& text, char first_repeated)
      : Level<double>(std::move(space)), number_(number), first_repeated_(first_repeated), text_(&text) {}
  void pre_smooth(bool from_zero) override { write(from_zero ? '0' : 's'); }
  void restrict_to(Level<double>& /*coarser*/) override { write('r'); }
  void correct_from(Level<double>& /*coarser*/) override { write('c'); }
  void post_smooth() override { write('p'); }
  bool repeats() const override { return number_ >= first_repeated_; }
  double bytes() const override { return 1; }

 private:
  void write(char step) { text_->append({number_, step, ' '}); }
  char number_, first_repeated_;
  std::string* text_;
};

class WrittenSolver final : public CoarsestSolver<double> {
 public:
  explicit WrittenSolver(std::string& text) : text_(&text) {}
  void solve(const Vector<double>& /*f*/, Vector<double>& /*u*/) override { *text_ += "* "; }
  bool repeats() const override { return true; }

 private:
  std::string* text_;
};

// Four levels of the least size, which every part holds.
class WrittenCycles {
 public:
  WrittenCycles(std::vector<ExecutorPtr> executors, char first_repeated)
      : team_(executors, 0, static_cast<int>(executors.size())) {
    const auto space =
        std::make_shared<VectorSpace>(comm_, team_, VectorLayout{std::vector<Index>(executors.size(), 1), 2});
    std::vector<std::unique_ptr<Level<double>>> levels;
    for (const char number : {'a', 'b', 'c', 'd'})
      levels.push_back(std::make_unique<WrittenLevel>(space, number, text_, first_repeated));
    hierarchy_ = std::make_unique<Hierarchy<double>>(std::move(levels), std::make_unique<WrittenSolver>(text_),
                                                     Replication{0, Partition(16, 1, shares(executors.size())), 1});
  }
  std::string steps(CycleKind kind, int first, bool from_zero) {
    text_.clear();
    hierarchy_->cycle(kind, first, from_zero);
    return text_;
  }
  Hierarchy<double>& hierarchy() { return *hierarchy_; }

 private:
  static std::vector<double> shares(std::size_t parts) { return std::vector<double>(parts, 1.0); }

  const Communicator comm_{MPI_COMM_SELF};
  const Team team_;
  std::string text_;
  std::unique_ptr<Hierarchy<double>> hierarchy_;
};

TEST(Hierarchy, GoesThroughItsLevelsInOrder) {
  WrittenCycles cycles({make_omp_executor(1)}, 'a');
  const auto steps = [&](CycleKind kind, int first, bool from_zero) { return cycles.steps(kind, first, from_zero); };
  const Hierarchy<double>& hierarchy = cycles.hierarchy();
  EXPECT_EQ(steps(CycleKind::v, 0, true), "a0 ar b0 br c0 cr * cc cp bc bp ac ap ");
  EXPECT_EQ(steps(CycleKind::v, 1, false), "bs br c0 cr * cc cp bc bp ");
  EXPECT_EQ(steps(CycleKind::v, 3, true), "* ");
  EXPECT_EQ(steps(CycleKind::f, 0, true),
            "a0 ar b0 br c0 cr * cc cp cs cr * cc cp bc bp bs br c0 cr * cc cp bc bp ac ap ");
  EXPECT_EQ(steps(CycleKind::w, 0, false),
            "as ar b0 br c0 cr * cc cp cs cr * cc cp bc bp bs br c0 cr * cc cp cs cr * cc cp bc bp ac ap ");
  EXPECT_EQ(hierarchy.bytes(CycleKind::v), 4);
  EXPECT_EQ(hierarchy.bytes(CycleKind::f), 1 + 2 + 3 + 3);
  EXPECT_EQ(hierarchy.bytes(CycleKind::w), 1 + 2 + 4 + 4);
}

// The third cycle launches what the second one has captured, where levels repeat themselves.
void launch_graphs(std::vector<ExecutorPtr> executors) {
  WrittenCycles cycles(std::move(executors), 'b');
  const std::string inner = "b0 br c0 cr * cc cp bc bp ", inner_again = "bs br c0 cr * cc cp cs cr * cc cp bc bp ";
  for (const bool called : {true, true, false, false})
    EXPECT_EQ(cycles.steps(CycleKind::v, 0, true), "a0 ar " + (called ? inner : "") + "ac ap ");
  for (const bool called : {true, true, false})
    EXPECT_EQ(cycles.steps(CycleKind::w, 0, true),
              "a0 ar " + (called ? "b0 br c0 cr * cc cp cs cr * cc cp bc bp " + inner_again : "") + "ac ap ");
  cycles.hierarchy().forget_launches();
  EXPECT_EQ(cycles.steps(CycleKind::v, 0, true), "a0 ar " + inner + "ac ap ");
  for (int n = 0; n < 3; ++n) EXPECT_EQ(cycles.steps(CycleKind::v, 1, false), "bs br c0 cr * cc cp bc bp ");
}

TEST(Hierarchy, LaunchesSmallLevelsAsGraphs) { launch_graphs({make_emulated_executor(1, false)}); }
TEST(Hierarchy, LaunchesGraphsOfEveryPart) {
  launch_graphs({make_emulated_executor(1, false), make_emulated_executor(1, true)});
}
// A device that captures nothing.
TEST(Hierarchy, CallsThePartsOfUnlikeDevices) {
  WrittenCycles cycles({make_emulated_executor(1, false), make_omp_executor(1)}, 'a');
  for (int n = 0; n < 3; ++n) EXPECT_EQ(cycles.steps(CycleKind::v, 2, true), "c0 cr * cc cp ");
}

TEST(Hierarchy, SolvesTheCoarsestLevelAsAGraphWhereOthersWait) {
  WrittenCycles cycles({make_emulated_executor(1, false)}, 'e');
  for (const bool called : {true, true, false})
    EXPECT_EQ(cycles.steps(CycleKind::v, 2, true), called ? "c0 cr * cc cp " : "c0 cr cc cp ");
}

}  // namespace
}  // namespace halocline::multigrid
