// States set to formulas and errors against known solutions, on devices, by rows and by single cells, against the same
// evaluated cell by cell on the host.
#include <cmath>

#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/steppers/known_values.hpp"
#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

const std::vector<double> weights{1.0, 2.0};
constexpr FormulaPath paths[] = {FormulaPath::of_executor, FormulaPath::points};

// A field on two parts.
template <class T>
class TwoParts {
 public:
  TwoParts(TestDevice device, const Case& deck)
      : f_(formulate(read_deck(deck.text()))),
        team_(make_test_executors(device, 2), 0, 2),
        log_(false, LogLevel::off),
        context_{comm_,
                 team_,
                 timers_,
                 log_,
                 {1, weights},
                 1,
                 Partition(f_.geometry.extent[f_.geometry.slow_axis()], 1, weights)},
        field_(context_, boxes_of(context_, f_), f_.geometry, f_.stencil, f_.walls, 1, 1, false) {}

  const Formulation& formulation() const { return f_; }
  void set(FormulaPath path) { set_to_formula(field_.old_state(), f_.initial, path); }
  ErrorSums errors(const KnownSolution& known, FormulaPath path) const {
    return errors_of(field_.old_state(), known, path);
  }
  // Of all cells, x fastest.
  std::vector<double> values() const {
    std::vector<double> all = field_.old_state().read(0);
    const std::vector<double> rest = field_.old_state().read(1);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  // value(i, j, k, x, y, z) of all cells.
  template <class Value>
  std::vector<double> by_cells(const Value& value) const {
    const UniformGrid& g = f_.geometry;
    std::vector<double> all;
    for (Index k = 0; k < g.extent[2]; ++k)
      for (Index j = 0; j < g.extent[1]; ++j)
        for (Index i = 0; i < g.extent[0]; ++i)
          all.push_back(value(i, j, g.coordinate(0, i), g.coordinate(1, j), g.dimensions > 2 ? g.coordinate(2, k) : 0));
    return all;
  }

 private:
  Formulation f_;
  Communicator comm_{MPI_COMM_SELF};
  Team team_;
  Timers timers_;
  Log log_;
  Context context_;
  Field<T> field_;
};

class KnownValues : public testing::TestWithParam<TestDevice> {
 protected:
  template <class T, class Value>
  void expect_state(const Case& deck, const Value& value) const {
    TwoParts<T> two(GetParam(), deck);
    const std::vector<double> expected = two.by_cells(value);
    for (const FormulaPath path : paths) {
      two.set(path);
      const std::vector<double> found = two.values();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], expected[n], sizeof(T) == 8 ? 1e-14 : 5e-7);
    }
  }
  // `known` against the deck's initial state, which `value` gives.
  template <class Known, class Value>
  void expect_errors(const Case& deck, const Known& known, const Value& value) const {
    TwoParts<double> two(GetParam(), deck);
    two.set(FormulaPath::of_executor);
    const std::vector<double> state = two.values(), expected = two.by_cells(value);
    double square = 0, largest = 0;
    for (std::size_t n = 0; n < state.size(); ++n) {
      square += (state[n] - expected[n]) * (state[n] - expected[n]);
      largest = std::max(largest, std::abs(state[n] - expected[n]));
    }
    ASSERT_GT(largest, 1e-3);
    for (const FormulaPath path : paths) {
      const ErrorSums found = two.errors(known(two.formulation()), path);
      EXPECT_NEAR(found.square, square, 1e-12 * square);
      EXPECT_NEAR(found.largest, largest, 1e-12);
    }
  }
};

Case flat() {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.3], cells: [530, 21]}";  // more than one segment
  deck.initial = "x^2 + sin(5*y) + x*y";
  deck.verify = "{exact: x^2 + sin(5*y) + (1 + t)*x*y*y}";
  return deck;
}

TEST_P(KnownValues, AreSetIn2D) {
  const auto value = [](Index, Index, double x, double y, double) { return x * x + std::sin(5 * y) + x * y; };
  expect_state<double>(flat(), value);
  expect_state<float>(flat(), value);
}

TEST_P(KnownValues, AreSetIn3D) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [13, 9, 7]}";
  deck.stencil = "{mask: 7pt, co: 0.5}";
  deck.initial = "x - 10*y + 100*z*exp(x)";
  const auto value = [](Index, Index, double x, double y, double z) { return x - 10 * y + 100 * z * std::exp(x); };
  TwoParts<double> two(GetParam(), deck);
  const std::vector<double> expected = two.by_cells(value);
  for (const FormulaPath path : paths) {
    two.set(path);
    const std::vector<double> found = two.values();
    for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n], expected[n], 1e-12) << n;
    EXPECT_EQ(two.errors(FormulaAtTime{&two.formulation().initial, 0}, path).largest, 0);
  }
}

TEST_P(KnownValues, ErrorsAgainstAFormula) {
  expect_errors(
      flat(),
      [](const Formulation& f) {
        return FormulaAtTime{&*f.exact, 0.7};
      },
      [](Index, Index, double x, double y, double) { return x * x + std::sin(5 * y) + 1.7 * x * y * y; });
}

TEST_P(KnownValues, ErrorsAgainstClosedSolutions) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1], cells: [24, 24]}";
  deck.initial = "x";
  const auto known = [](const Formulation& f) { return carburizing(f.geometry, 1, 0.003); };
  const CarburizingCell cell = known(TwoParts<double>(GetParam(), deck).formulation());
  expect_errors(deck, known, [&](Index i, Index j, double, double, double) { return cell(i, j); });

  deck.grid = "{layout: hiperc, points: [31, 50], spacing: 1}";
  deck.time = "{end: 3}";
  const auto formula = [](const Formulation& f) { return benchmark(f.geometry, 0.1, 90); };
  const BenchmarkCell other = formula(TwoParts<double>(GetParam(), deck).formulation());
  expect_errors(deck, formula, [&](Index i, Index j, double, double, double) { return other(i, j); });
}

TEST_P(KnownValues, AnErrorThatIsNoNumberShows) {
  Case deck = flat();
  deck.verify = "{exact: log(y - 0.3) + x}";
  TwoParts<double> two(GetParam(), deck);
  two.set(FormulaPath::of_executor);
  for (const FormulaPath path : paths) {
    const ErrorSums found = two.errors(FormulaAtTime{&*two.formulation().exact, 0}, path);
    EXPECT_TRUE(std::isnan(found.square));
    EXPECT_TRUE(std::isnan(found.largest));
  }
}

// What initialize() says against an initial state; nothing when it takes it.
std::string refusal(TestDevice device, const Case& deck) {
  const Communicator self(MPI_COMM_SELF);
  Running running(self, make_test_executors(device, 2), read_deck(deck.text()));
  try {
    running->initialize();
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

TEST_P(KnownValues, AStateThatIsNotFiniteIsRefused) {
  Case deck = flat();
  deck.initial = "log(x - 0.5)";
  const std::string expected =
      "diffusion.equation.initial: is not finite on some cells, first at x = 0.000943396, y = ";
  for (const char* precision : {"  precision: fp64\n", "  precision: fp32\n"}) {
    deck.more = precision;
    EXPECT_NE(refusal(GetParam(), deck).find(expected), std::string::npos) << refusal(GetParam(), deck);
  }
}

TEST_P(KnownValues, AStateBeyondTheRangeOfItsPrecisionIsRefusedAsSuch) {
  Case deck;
  deck.initial = "if(min(x, y) > 0.5, -1e39, 1)";
  EXPECT_EQ(refusal(GetParam(), deck), "");
  deck.more = "  precision: fp32\n";
  const std::string expected =
      "diffusion.equation.initial: is -1e+39 at x = 0.53125, y = 0.53125, beyond the range of fp32 (3.4e+38); "
      "diffusion.precision: fp64 would hold it";
  EXPECT_NE(refusal(GetParam(), deck).find(expected), std::string::npos) << refusal(GetParam(), deck);
}

INSTANTIATE_TEST_SUITE_P(Executors, KnownValues, testing::ValuesIn(test_devices()), executor_name);

}  // namespace
}  // namespace halocline::diffusion
