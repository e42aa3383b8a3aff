// The shell scales by powers of two, which change no digit, whatever the size of what it is given.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/executors.hpp"
#include "tests/unit/multigrid/model_hierarchy.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline::multigrid {
namespace {

class PrecisionShellTest : public OnEveryExecutor {
 protected:
  PrecisionShellTest() : team_(make_test_executors(GetParam(), 2), 0, 2) {}

  template <class T>
  std::vector<double> applied(const PrecisionShell<T>& shell, std::vector<double> numbers, double factor) {
    for (double& value : numbers) value *= factor;
    Vector<double> x(solver_space(comm_, team_, rows_)), y(x.space_pointer());
    scatter(rows_, numbers, x);
    shell.apply(x, y);
    numbers = own_rows(y);
    for (double& value : numbers) value /= factor;
    return numbers;
  }

  template <class T>
  void check() {
    const auto hierarchy = model_hierarchy<T>(comm_, team_, model_, rows_, 1);
    const PrecisionShell<T> shell(*hierarchy, static_cast<double>(model_.unknowns));
    const auto numbers = random_numbers(static_cast<std::size_t>(model_.unknowns), 3);
    const std::vector<double> expected = applied(shell, numbers, 1);
    EXPECT_TRUE(expected != std::vector<double>(expected.size(), 0.0));
    for (const double power : {0x1p100, 0x1p-100, 0x1p-400, 0x1p400})
      EXPECT_EQ(applied(shell, numbers, power), expected) << power;
    for (const double factor : {1e30, 1e-30, -3e-30}) {
      const auto found = applied(shell, numbers, factor);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], sizeof(T) == 4 ? 1e-4 : 1e-12) << factor;
    }
    // With a scale that was fixed before: the same digits, for smaller vectors too.
    Vector<double> r(solver_space(comm_, team_, rows_));
    scatter(rows_, numbers, r);
    shell.begin(r);
    EXPECT_EQ(applied(shell, numbers, 1), expected);
    EXPECT_EQ(applied(shell, numbers, 0x1p-40), expected);
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_;
  Model model_;
  Partition rows_{model_.unknowns, 32, std::vector<double>{1, 2}};
};

TEST_P(PrecisionShellTest, ChangesNoDigitInSingle) { check<float>(); }
TEST_P(PrecisionShellTest, ChangesNoDigitInDouble) { check<double>(); }

TEST_P(PrecisionShellTest, PassesOnWhatIsNoNumber) {
  const auto hierarchy = model_hierarchy<float>(comm_, team_, model_, rows_, 0);
  const PrecisionShell<float> shell(*hierarchy, static_cast<double>(model_.unknowns));
  Vector<double> x(solver_space(comm_, team_, rows_)), y(x.space_pointer());
  std::vector<double> numbers(static_cast<std::size_t>(model_.unknowns), 0.0);
  shell.apply(x, y);
  EXPECT_EQ(own_rows(y), numbers);
  numbers[5] = std::numeric_limits<double>::infinity();
  scatter(rows_, numbers, x);
  shell.begin(x);
  shell.apply(x, y);
  EXPECT_FALSE(std::isfinite(own_rows(y)[0]));
}

INSTANTIATE_TEST_SUITE_P(Executors, PrecisionShellTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::multigrid
