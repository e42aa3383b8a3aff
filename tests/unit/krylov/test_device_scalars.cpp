// Methods whose scalars stay on the device against themselves with scalars on the host: equal bits in all that a solve
// leaves, however it ends and wherever it is interrupted.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "tests/unit/executors.hpp"
#include "tests/unit/krylov/chunk_matrix.hpp"
#include "tests/unit/krylov/variants.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline {
namespace {

constexpr Index total = 3 * chunk_rows + 17;
const char* const methods[] = {"bicgstab", "cg", "fused bicgstab"};

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

struct Case {
  const char* name;
  MatrixShape shape = {};
  KrylovOptions options = {.tolerance = 1e-10, .max_iterations = 60};
  double size = 1;         // of the right-hand side
  double one_number = -1;  // of it, in place of another
  double guess = 0;        // every number of it
};

// Skew-symmetric, with a sum of squares that may vanish: (r, A r) = 0.
constexpr MatrixShape skew{.skew = 0x1p60, .shift = -0x1p-59, .wave = 0, .coupling = 0x1p-60};
constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<Case> cases{
    {"symmetric"},
    {"convection", {.skew = 0.4}},
    {"at its limit", {.skew = 0.4, .wave = 20}, {.tolerance = 1e-14, .max_iterations = 9}},
    {"tolerance zero", {}, {.tolerance = 0, .max_iterations = 80}},
    {"no right-hand side", {}, {}, 0, 0},
    {"no iterations", {}, {.max_iterations = 0}},
    {"one iteration", {.shift = 1, .wave = 0, .coupling = 0}},
    {"nearly solved", {.shift = 2, .wave = 0, .coupling = 0}, {.tolerance = 1e-10}, 1, 1, 0.5},
    {"zero matrix", {.shift = 0, .wave = 0, .coupling = 0}},
    {"skew-symmetric", skew},
    {"skew-symmetric from a guess", skew, {.tolerance = 1e-10, .max_iterations = 60}, 1, 3, 0.25},
    {"indefinite", {.shift = -1, .wave = 0}},
    {"infinite right-hand side", {}, {}, 1, infinity},
    {"undefined right-hand side", {}, {}, 1, std::nan("")},
    {"infinite matrix", {.shift = infinity}},
    {"products beyond squares", {.shift = 1, .coupling = 1e160}},
    {"products beyond numbers", {.shift = 1, .coupling = 1e300}},
    {"small numbers", {}, {.tolerance = 1e-10, .max_iterations = 60}, 1e-150},
    {"numbers without squares", {}, {.tolerance = 1e-10, .max_iterations = 60}, 1e-165},
    {"large numbers", {}, {.tolerance = 1e-10, .max_iterations = 60}, 1e153},
    {"absolute tolerance", {}, {.tolerance = 0, .max_iterations = 60, .absolute_tolerance = 1e-3}},
    {"stagnation", {.shift = 0.1, .wave = 200}, {.tolerance = 1e-10, .max_iterations = 300, .stagnation = 1}},
    {"divergence", {.skew = 3, .shift = -1}, {.tolerance = 1e-10, .max_iterations = 300, .divergence = 1.5}},
    {"confirmed", {.skew = 0.4}, {.tolerance = 1e-13, .max_iterations = 300, .confirm = true}},
    {"beyond rounding", {.wave = 2000}, {.tolerance = 1e-17, .max_iterations = 200, .confirm = true}},
};

// Keeps vectors by their names.
template <class T>
class KeptVectors final : public VectorArchive<T> {
 public:
  explicit KeptVectors(bool restore) : restore_(restore) {}
  void restore_from_now_on() { restore_ = true; }
  void vector(const char* name, Vector<T>& x) const override {
    if (restore_) {
      x.assign(0, kept.at(name));
    } else {
      kept[name] = x.to_host(0);
    }
  }
  mutable std::map<std::string, std::vector<T>> kept;

 private:
  bool restore_;
};

class DeviceScalarsTest : public OnEveryExecutor {
 protected:
  template <class T>
  struct Result {
    SolveReport report;
    std::vector<T> x;
    std::map<std::string, std::vector<T>> vectors;
  };
  template <class T>
  void fill_in(const Case& c, Vector<T>& b, Vector<T>& x) const {
    rows_.set(b, [&](Index i) {
      if (i == 20 && c.one_number != -1) return c.one_number;
      return c.size * (1 + 0.1 * static_cast<double>(i % 11));
    });
    rows_.set(x, [&](Index) { return c.guess; });
  }
  template <class T>
  Result<T> solve(const char* method, const Case& c, Scalars scalars, int slice) const {
    const ChunkMatrix<T> A(rows_, c.shape);
    Vector<T> b(rows_.space), x(rows_.space);
    fill_in(c, b, x);
    KrylovOptions options = c.options;
    options.scalars = scalars;
    const auto solver = make_variant<T>(method, rows_.space, options);
    for (int again = 0; again < 2; ++again) {  // a solver is used more than once
      fill_in(c, b, x);
      solver->begin(A, nullptr, b, x);
      while (!solver->iterate(slice)) {
      }
    }
    MemoryArchive state;
    KeptVectors<T> vectors(false);
    solver->archive(state, vectors);
    return {solver->report(), x.to_host(0), vectors.kept};
  }
  template <class T>
  static void expect_equal(const Result<T>& a, const Result<T>& b, const std::string& what) {
    EXPECT_EQ(a.report.iterations, b.report.iterations) << what;
    EXPECT_EQ(a.report.status, b.report.status) << what << ": " << words(a.report.status);
    EXPECT_EQ(a.report.restarts, b.report.restarts) << what;
    EXPECT_EQ(bits_of({a.report.residual}), bits_of({b.report.residual})) << what;
    EXPECT_EQ(bits_of(a.report.history), bits_of(b.report.history)) << what;
    const auto wide = [](const std::vector<T>& values) { return bits_of({values.begin(), values.end()}); };
    EXPECT_EQ(wide(a.x), wide(b.x)) << what;
    for (const auto& [name, values] : a.vectors) EXPECT_EQ(wide(values), wide(b.vectors.at(name))) << what << name;
  }

  Communicator comm_{MPI_COMM_SELF};
  Team team_{make_test_executors(GetParam(), 1), 0, 1};
  ChunkRows rows_{comm_, team_, total};
};

TEST_P(DeviceScalarsTest, EveryEndHasTheBitsOfTheHost) {
  std::map<SolveStatus, int> seen;
  for (const char* method : methods)
    for (const Case& c : cases) {
      const auto expected = solve<double>(method, c, Scalars::on_host, 1000);
      ++seen[expected.report.status];
      for (const int slice : {1000, 1, 7})
        expect_equal(solve<double>(method, c, Scalars::on_device, slice), expected,
                     std::string(method) + ", " + c.name + " in slices of " + std::to_string(slice));
    }
  for (const SolveStatus status :
       {SolveStatus::converged, SolveStatus::zero_rhs, SolveStatus::max_iterations, SolveStatus::not_finite,
        SolveStatus::diverged, SolveStatus::stagnated, SolveStatus::breakdown, SolveStatus::indefinite_matrix})
    EXPECT_GT(seen[status], 0) << "no case " << words(status);
}

TEST_P(DeviceScalarsTest, SoItIsInSinglePrecision) {
  for (const char* method : methods)
    for (const Case& c : cases) {
      if (c.shape.coupling > 1e30 || c.shape.shift > 1e30) continue;  // no numbers there
      expect_equal(solve<float>(method, c, Scalars::on_device, 7), solve<float>(method, c, Scalars::on_host, 1000),
                   std::string(method) + ", " + c.name);
    }
}

TEST_P(DeviceScalarsTest, GoesOnAfterArchiving) {
  const Case c{"", {.wave = 20}, {.tolerance = 1e-12, .max_iterations = 100}};
  const ChunkMatrix<double> A(rows_, c.shape);
  for (const std::string method : methods)
    for (const Scalars first : {Scalars::on_host, Scalars::on_device})
      for (const Scalars second : {Scalars::on_host, Scalars::on_device}) {
        const auto expected = solve<double>(method.c_str(), c, Scalars::on_host, 1000);
        Vector<double> b(rows_.space), x(rows_.space);
        KrylovOptions options = c.options;
        MemoryArchive state;
        KeptVectors<double> vectors(false);
        fill_in(c, b, x);
        options.scalars = first;
        const auto begun = make_variant<double>(method, rows_.space, options);
        begun->begin(A, nullptr, b, x);
        EXPECT_FALSE(begun->iterate(5));
        begun->archive(state, vectors);
        const std::vector<double> reached = x.to_host(0);
        state.restore_from_now_on();
        vectors.restore_from_now_on();
        fill_in(c, b, x);
        options.scalars = second;
        const auto resumed = make_variant<double>(method, rows_.space, options);
        resumed->begin(A, nullptr, b, x);
        EXPECT_FALSE(resumed->iterate(2));
        resumed->archive(state, vectors);
        x.assign(0, reached);
        EXPECT_TRUE(resumed->iterate(1000));
        EXPECT_EQ(resumed->report().history, expected.report.history);
        EXPECT_EQ(x.to_host(0), expected.x);
      }
}

INSTANTIATE_TEST_SUITE_P(Executors, DeviceScalarsTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
