// Several fields that react: the same bits by rows of values and by single cells, as GPUs compute them, on every
// device; and the bound of their rates.
#include <cmath>

#include "lib/problems/diffusion/reactions/stepper.hpp"
#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

const std::vector<double> weights{1.0, 2.0};

const char* const flat = R"(
problem: diffusion
diffusion:
  fields: [u, v]
  grid: {layout: fv, size: [1, 1], cells: [19, 14]}
  equations:
    u: {D: 1, source: v*u^2 - u + t, initial: x + 2*y}
    v: {D: 1 + x*y, source: exp(-u) + x*v + y, initial: x*y, face_mean: arithmetic}
  walls: {y_min: [{kind: periodic}], y_max: [{kind: periodic}], rest: {kind: robin, value: x + t, transfer: 2}}
  stencil: {co: 0.5}
  time: {end: 0.01}
)";
// More values at once than a thread of a GPU has registers at hand: the sum of some, and then their products.
std::string deep() {
  std::string sum = "x", product = "1";
  for (int n = 1; n < 40; ++n) {
    const std::string term = "sin(" + std::to_string(n) + "*u + v + z)";
    sum += " + " + term;
    product = "(" + term + " + " + product + "/2)";
  }
  return R"(
problem: diffusion
diffusion:
  fields: [u, v]
  grid: {layout: fv, size: [1, 1, 1], cells: [7, 6, 9]}
  equations:
    u: {D: 1, source: ")" +
         sum + R"(", initial: x + 2*y}
    v: {D: 0.2, source: ")" +
         product + R"(", initial: z}
  walls: {rest: {kind: dirichlet, value: 1}}
  stencil: {co: 0.4}
  time: {end: 0.01}
)";
}

class ReactionTest : public testing::TestWithParam<TestDevice> {
 protected:
  // All fields after ten steps, of two parts.
  std::vector<double> after_steps(const std::string& deck, FormulaPath path) {
    const Reactions reactions = formulate_reactions(read_deck(deck));
    const Communicator comm(MPI_COMM_SELF);
    const Team team(make_test_executors(GetParam(), 2), 0, 2);
    Timers timers;
    Log log(false, LogLevel::off);
    const UniformGrid& g = reactions.geometry();
    const Context context{comm, team, timers, log, {1, weights}, 1, Partition(g.extent[g.slow_axis()], 1, weights)};
    ReactionStepper stepper(context, reactions, path);
    stepper.set();
    EXPECT_EQ(stepper.advance({0, reactions.dt / 2, 0}, 10), 10);
    stepper.wait();
    std::vector<double> all;
    for (int f = 0; f < reactions.count(); ++f)
      for (int p = 0; p < 2; ++p)
        for (const double value : stepper.state(f).read(p)) all.push_back(value);
    return all;
  }
};

TEST_P(ReactionTest, RowsAndCellsGiveTheSameBits) {
  for (const std::string& deck : {std::string(flat), deep()}) {
    const std::vector<double> rows = after_steps(deck, FormulaPath::of_executor);
    EXPECT_TRUE(std::isfinite(rows.front()));
    EXPECT_EQ(after_steps(deck, FormulaPath::points), rows);
  }
}

TEST(LongSources, NeedMoreRegistersThanAThreadHasAtHand) {
  EXPECT_GT(formulate_reactions(read_deck(deep())).sources.register_count(), 32);
}

INSTANTIATE_TEST_SUITE_P(Executors, ReactionTest, every_executor(), executor_name);

double rate(int fields, std::initializer_list<double> entries, const std::vector<double>& diffusion) {
  ReactionRates rates{};
  std::copy(entries.begin(), entries.end(), rates.begin());
  return fastest_rate(fields, rates, diffusion);
}

TEST(FastestRate, IsTheLargestEigenvalue) {
  EXPECT_DOUBLE_EQ(rate(1, {3}, {4}), 7);
  EXPECT_EQ(rate(2, {0, 0, 0, 0}, {0, 0}), 0);
  EXPECT_NEAR(rate(2, {0, 5, 2, 1}, {1, 0}), 1 + std::sqrt(10), 1e-8);  // [1, 5; 2, 1]
  // The units of the fields do not matter.
  EXPECT_NEAR(rate(2, {0, 5e8, 2e-8, 1}, {1, 0}), 1 + std::sqrt(10), 1e-6);
  // Fields that act in one direction, or not at all.
  EXPECT_NEAR(rate(2, {0, 1e6, 0, 1}, {5, 0}), 5, 1e-6);
  EXPECT_NEAR(rate(3, {1, 0, 0, 0, 2, 0, 0, 0, 3}, {1, 1, 1}), 4, 1e-8);
  // Round in a circle: the cube root of the product.
  EXPECT_NEAR(rate(3, {0, 2, 0, 0, 0, 4, 8, 0, 0}, {0, 0, 0}), 4, 1e-8);
  EXPECT_EQ(rate(1, {0}, {HUGE_VAL}), HUGE_VAL);
}

}  // namespace
}  // namespace halocline::diffusion
