// Formulas, sums, extremes and errors of fields in slabs, against the same unknown by unknown on the host.
#include <array>
#include <bit>
#include <cmath>
#include <tuple>

#include "lib/fields/formula_errors.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/fields/measure.hpp"
#include "tests/unit/fields/slab_cases.hpp"

namespace halocline {
namespace {

constexpr FormulaPath paths[] = {FormulaPath::of_executor, FormulaPath::points};
const double tau = 0.75;

class SlabMeasures : public testing::TestWithParam<TestDevice> {};

// value(x, y, z) of the unknown numbered (i, j, k).
template <class Value>
double at(const UniformGrid& grid, const Value& value, Index i, Index j, Index k) {
  return value(grid.coordinate(0, i), grid.coordinate(1, j), grid.dimensions > 2 ? grid.coordinate(2, k) : 0.0);
}

TEST_P(SlabMeasures, FormulasOnGhostsToo) {
  UniformGrid grid = some_grid(GridLayout::nodes, {9, 4, 20});
  grid.make_periodic(2);
  const auto value = [](double x, double y, double z) { return x + 10 * y + 100 * z; };
  for (const FormulaPath path : paths) {
    SlabCase<double> parts(GetParam(), 2, grid, {.halo = 1, .periodic = true});
    const auto& slabs = parts.slabs();
    SlabField<double> state(slabs);
    fill(state, [](Index x, Index, Index) { return static_cast<double>(x); });
    state.start_exchange();
    state.finish_exchange();
    FormulaField place(slabs, program_of("x + 10*y + 100*z", 3), path), all(slabs, program_of("t*c - z", 5), path);
    EXPECT_FALSE(place.moving());
    EXPECT_TRUE(all.moving());
    for (int p = 0; p < slabs->parts(); ++p) {
      place.evaluate(p, 0, nullptr, slabs->rows_with(p, 1));
      all.evaluate(p, tau, state.data(p), slabs->layout(p).rows());
      const SlabLayout& slab = slabs->layout(p);
      std::vector<double> found(static_cast<std::size_t>((slab.slow_extent() + 2) * slab.plane));
      slabs->team().executor(p)->copy_out(found.data(), place.data(p) - slab.plane, found.size() * sizeof(double));
      const std::vector<double> moving = all.values().read(p);
      for (Index k = -1; k <= slab.slow_extent(); ++k)
        for (Index j = 0; j < slab.extent[1]; ++j)
          for (Index i = 0; i < slab.extent[0]; ++i) {
            const Index global = (slab.first + k + grid.extent[2]) % grid.extent[2];
            ASSERT_NEAR(found[static_cast<std::size_t>(slab.offset(k + 1, j, i))], at(grid, value, i, j, global),
                        1e-12);
            if (k < 0 || k == slab.slow_extent()) continue;
            const Index n = (k * slab.extent[1] + j) * slab.extent[0] + i;
            ASSERT_NEAR(moving[static_cast<std::size_t>(n)], tau * static_cast<double>(i) - grid.coordinate(2, global),
                        1e-13);
          }
    }
  }
}

// Parts of place alone are evaluated once, and give the bits of the whole formula, on ghosts too.
TEST_P(SlabMeasures, FormulasSampleWhatDependsOnPlaceAlone) {
  UniformGrid grid = some_grid(GridLayout::cells, {13, 4, 20});
  grid.make_periodic(2);
  for (const FormulaPath path : paths)
    for (const auto& [formula, sampled] : {std::pair{"(1 + 0.5*sin(5*x)*cos(y + z))*(1 + c^2) + exp(-x^2)*t", 2},
                                           {"1 + x*y + c", 0},
                                           {"exp(x) + sin(y) - t", 1},
                                           {"sin(c + x)", 0},
                                           {"sin(x*y) + z", 0},
                                           {"t*exp(x)/(c - tan(y)) + c*log(9 + z)*sqrt(2 + x)", 3},
                                           {"c*exp(x) + t*exp(y) + c^2*exp(z) + c^3*exp(x + y) - t", 3}}) {
      SlabCase<double> parts(GetParam(), 2, grid, {.halo = 1, .periodic = true});
      const auto& slabs = parts.slabs();
      SlabField<double> state(slabs), whole(slabs);
      fill(state, [](Index x, Index y, Index z) { return 0.1 * static_cast<double>(x - y) + static_cast<double>(z); });
      state.start_exchange();
      state.finish_exchange();
      FormulaField field(slabs, program_of(formula, 5), path);
      EXPECT_EQ(field.sampled(), sampled) << formula;
      for (int p = 0; p < slabs->parts(); ++p) {
        const SlabLayout& slab = slabs->layout(p);
        SlabFormula at_once(slabs->team().executor(p), grid, program_of(formula, 5), slab, path);
        at_once.evaluate<double>({-1, slab.slow_extent() + 1}, tau, state.data(p),
                                 {whole.data(p), slab.pitch, slab.plane});
        field.evaluate(p, tau, state.data(p), {-1, slab.slow_extent() + 1});
        std::vector<double> found(static_cast<std::size_t>((slab.slow_extent() + 2) * slab.plane)), wanted = found;
        slabs->team().executor(p)->copy_out(found.data(), field.data(p) - slab.plane, found.size() * sizeof(double));
        slabs->team().executor(p)->copy_out(wanted.data(), whole.data(p) - slab.plane, found.size() * sizeof(double));
        for (Index k = 0; k < slab.slow_extent() + 2; ++k)
          for (Index j = 0; j < slab.extent[1]; ++j)
            for (Index i = 0; i < slab.extent[0]; ++i) {
              const auto n = static_cast<std::size_t>(slab.offset(k, j, i));
              ASSERT_EQ(found[n], wanted[n]) << formula;
            }
      }
    }
}

// The largest value is noted in the pass that evaluates: on all parts, and by either way.
TEST_P(SlabMeasures, LargestOfFormulas) {
  const UniformGrid grid = some_grid(GridLayout::cells, {37, 5, 9});
  for (const FormulaPath path : paths)
    for (const auto& [formula, strict, wanted] :
         {std::tuple{"2 + x*y", true, 2 + grid.coordinate(0, 36) * grid.coordinate(1, 0)},
          {"-1 - x", false, 0.0},
          {"x", true, HUGE_VAL},
          {"sqrt(z - 1)", false, std::sqrt(grid.coordinate(2, 8) - 1)},
          {"sqrt(z - 99)", true, HUGE_VAL},
          {"1/step(-z)", false, 0.0}}) {
      SlabCase<double> parts(GetParam(), 2, grid, {});
      const auto& slabs = parts.slabs();
      FormulaField field(slabs, program_of(formula, 5), path);
      Bits most = 0;
      for (int p = 0; p < slabs->parts(); ++p) {
        const auto noted = make_array(slabs->team().executor(p), std::vector<Bits>(1));
        field.evaluate(p, 0, nullptr, slabs->layout(p).rows(),
                       {.to = const_cast<Bits*>(noted.view().data), .strict = strict});
        most = std::max(most, noted.to_host()[0]);
      }
      std::array<double, 1> all{std::bit_cast<double>(most)};
      slabs->comm().max(std::span<double>(all));
      EXPECT_NEAR(all[0] == wanted ? 0 : all[0] - wanted, 0, 1e-14) << formula;
    }
}

template <class T>
void measures(TestDevice device, const UniformGrid& grid) {
  SlabCase<T> parts(device, 2, grid, {.halo = 1});
  SlabField<T> field(parts.slabs());
  const Slabs<T>& slabs = *parts.slabs();
  const SlabRules rules{.halo = 1, .pitch = field.layout(0).pitch};
  SlabField<double> factor(std::make_shared<Slabs<double>>(slabs.comm(), slabs.team(), slabs.partition(), grid, rules));
  const auto value = [](Index x, Index y, Index z) {
    return static_cast<double>((7 * x + 3 * y * y + z * z * z) % 1024) / 64 - 5;
  };
  const auto share = [](Index x, Index y, Index z) { return static_cast<double>(x + y + z); };
  fill(field, value);
  fill(factor, share);
  double sum = 0, weighted = 0, both = 0, low = 1e9, high = -1e9;  // without rounding
  for (Index z = 0; z < grid.extent[2]; ++z)
    for (Index y = 0; y < grid.extent[1]; ++y)
      for (Index x = 0; x < grid.extent[0]; ++x) {
        const double w = grid.weight(0, x) * grid.weight(1, y) * (grid.dimensions > 2 ? grid.weight(2, z) : 1);
        const double c = value(x, y, z);
        sum += c, weighted += w * c, both += w * c * share(x, y, z);
        low = std::min(low, c), high = std::max(high, c);
      }
  EXPECT_EQ(total(field), sum);
  EXPECT_EQ(weighted_total(field), weighted);
  EXPECT_EQ(weighted_total(field, &factor), both);
  const FieldRange range = extremes(field);
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
  EXPECT_EQ(range.bad, -1);
  const Index bad = grid.unknowns() - grid.extent[0] - 2;
  fill(field, [&](Index x, Index y, Index z) {
    return (z * grid.extent[1] + y) * grid.extent[0] + x >= bad ? std::nan("") : 1.0;
  });
  EXPECT_EQ(extremes(field).bad, bad);
}

TEST_P(SlabMeasures, SumsAndExtremes) {
  measures<double>(GetParam(), some_grid(GridLayout::nodes, {13, 6, 18}));
  measures<double>(GetParam(), some_grid(GridLayout::cells, {13, 6, 18}));
  measures<float>(GetParam(), some_grid(GridLayout::nodes, {35, 21}));
}

template <class T>
void errors(TestDevice device, const UniformGrid& grid, double tolerance) {
  const auto value = [](double x, double y, double z) { return x * x + y - z; };
  const auto known = [](double x, double y, double z) { return x * x + y - z + tau * y * x; };
  double square = 0, largest = 0;
  for (Index k = 0; k < grid.extent[2]; ++k)
    for (Index j = 0; j < grid.extent[1]; ++j)
      for (Index i = 0; i < grid.extent[0]; ++i) {
        const double e = at(grid, known, i, j, k) - at(grid, value, i, j, k);
        square += e * e;
        largest = std::max(largest, std::abs(e));
      }
  for (const FormulaPath path : paths) {
    SlabCase<T> parts(device, 2, grid, {.halo = 1});
    SlabField<T> field(parts.slabs());
    set_to_formula(field, program_of("x^2 + y - z", 3), path);
    EXPECT_EQ(formula_errors(field, program_of("x^2 + y - z", 3), 0, path).largest > 0, sizeof(T) == 4);
    const ErrorSums found = formula_errors(field, program_of("x^2 + y - z + t*y*x", 4), tau, path);
    EXPECT_NEAR(found.square, square, tolerance * square);
    EXPECT_NEAR(found.largest, largest, tolerance);
    EXPECT_TRUE(std::isnan(formula_errors(field, program_of("sqrt(x - 0.5)", 3), 0, path).largest));
  }
}

TEST_P(SlabMeasures, ErrorsAgainstFormulas) {
  errors<double>(GetParam(), some_grid(GridLayout::nodes, {13, 6, 18}), 1e-12);
  errors<float>(GetParam(), some_grid(GridLayout::cells, {531, 21}), 1e-5);
}

// Of values that round in any order: the same bits in slabs and in boxes that cut lines.
TEST_P(SlabMeasures, HaveTheBitsOfSlabsInBoxesOfAPlane) {
  const UniformGrid grid = some_grid(GridLayout::cells, {133, 24});
  const Program initial = program_of("exp(3*x) + sin(50*y)", 3), known = program_of("exp(3*x)*cos(y)", 3);
  const SlabRules rules{.halo = 1};
  const auto bits = [&](SlabCase<double>&& parts) {
    SlabField<double> field(parts.slabs());
    set_to_formula(field, initial);
    const ErrorSums errors = formula_errors(field, known, 0);
    const double sum = total(field);
    const FieldRange range = extremes(field);
    for (int p = 0; p < parts.slabs()->parts(); ++p) {
      std::vector<double> values = field.read(p);
      const Range<3> own = parts.slabs()->block(p);
      const Index width = own.extent(0), x = 71 - own.lo[0], y = 13 - own.lo[1];
      if (x < 0 || x >= width || y < 0 || y >= own.extent(1)) continue;
      values[static_cast<std::size_t>(y * width + x)] = std::nan("");
      field.write(p, values);
    }
    return std::tuple{sum, range.low, range.high, extremes(field).bad, errors.square, errors.largest};
  };
  const auto slabs = bits(SlabCase<double>(GetParam(), 2, grid, rules));
  EXPECT_EQ(std::get<3>(slabs), 13 * 133 + 71);
  for (const int columns : {2, 4}) EXPECT_EQ(bits(SlabCase<double>(GetParam(), 4, columns, grid, rules)), slabs);
}

INSTANTIATE_TEST_SUITE_P(Executors, SlabMeasures, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
