// Stabilized steps of the discrete eigenmodes: each multiplies a mode by the method's polynomial at the mode's symbol.
// Also: mass, records of walls, and the same bits with stages by themselves and in bands.
#include <cmath>
#include <numbers>

#include "tests/unit/diffusion/diffusion_cases.hpp"
#include "tests/unit/diffusion/stabilized/polynomials.hpp"

namespace halocline::diffusion {
namespace {

constexpr double pi = std::numbers::pi;

double symbol(const std::string& mask, double kx, double ky) {
  const double x = 2 * std::cos(kx) - 2, y = 2 * std::cos(ky) - 2;
  if (mask == "9pt") return x + y + x * y / 6;
  if (mask == "cross4") return x + y - (x * x + y * y) / 12;
  return x + y;
}

// Slow modes and the fastest one, from some stages to many.
TEST(StabilizedModes, DecayByThePolynomial) {
  for (const TimeMethod method : {TimeMethod::rkc, TimeMethod::rkl2})
    for (const std::string mask : {"5pt", "9pt", "cross4", "own"})
      for (const double dt : {1e-3, 0.05})
        for (const int p : {1, 2, 31}) {
          Case deck;
          deck.grid = "{layout: fv, size: [1, 1], cells: [32, 32]}";
          deck.initial = "1 + cos(" + std::to_string(p) + "*pi*x)*cos(pi*y)";
          deck.stencil = "{mask: " + (mask == "own" ? "{size: 3, weights: [0, 1, 0, 1, -4, 1, 0, 1, 0]}" : mask) +
                         ", dt: " + std::to_string(dt) + "}";
          deck.time = "{method: " + std::string(word_for(method)) + ", end: " + std::to_string(4 * dt) + "}";
          const Result result = run(deck.text());
          ASSERT_EQ(result["steps"], 4);
          const int stages = static_cast<int>(result["stages"]) / 4;
          const double R = stability(method, stages, dt * 32 * 32 * symbol(mask, p * pi / 32, pi / 32));
          double worst = 0;
          for (std::size_t n = 0; n < result.values().size(); ++n) {
            const double x = (static_cast<double>(n % 32) + 0.5) / 32, y = (static_cast<double>(n / 32) + 0.5) / 32;
            const double exact = 1 + std::pow(R, 4) * std::cos(p * pi * x) * std::cos(pi * y);
            worst = std::max(worst, std::abs(result.values()[n] - exact));
          }
          EXPECT_LT(worst, 1e-12) << word_for(method) << " " << mask << " " << dt << " " << p << " " << stages;
        }
}

TEST(StabilizedModes, KeepMassAndRecordWhatWallsLetIn) {
  Case closed, open;
  closed.initial = "1 + cos(2*pi*x)*cos(pi*y)";
  open.walls =
      "{x_min: [{from: 0, to: 0.4, kind: dirichlet, value: 1 + 20*t}], x_max: [{kind: robin, transfer: 3, value: y}], "
      "y_min: [{kind: neumann, value: 1}], rest: {kind: no_flux}}";
  closed.time = "{method: rkc, end: 0.1}", open.time = "{method: rkl2, end: 0.1, tolerance: 1e-4}";
  closed.stencil = "{mask: 9pt, dt: 0.02}", open.stencil = "{mask: 9pt}";
  EXPECT_LT(std::abs(run(closed.text())["mass"] - 1), 1e-14);
  const Result result = run(open.text());
  EXPECT_GT(result["steps_again"], 0);
  EXPECT_LT(result["mass_balance"], 1e-13);
  EXPECT_GT(result["uptake.y_min"], 0.09);
}

// One part of the host takes stages in bands of rows; two parts take each by itself.
TEST(StabilizedModes, HaveTheSameBitsInBands) {
  const Communicator self(MPI_COMM_SELF);
  for (const std::string mask : {"9pt", "cross4"})
    for (const std::string equation : {"a number", "flux"}) {
      if (equation == "flux" && mask == "cross4") continue;
      Case deck;
      deck.grid = "{layout: fv, size: [1, 1], cells: [600, 500]}";
      deck.initial = "x*y + sin(7*x)";
      deck.walls = "{x_min: [{from: 0, to: 0.4, kind: dirichlet, value: 1}], rest: {kind: no_flux}}";
      deck.stencil = "{mask: " + (equation == "flux" ? std::string("5pt") : mask) + ", dt: 1e-4}";
      if (equation == "flux") deck.D = "1 + x*y";
      deck.time = "{method: rkc, end: 2e-4}";
      const DiffusionOptions options = read_deck(deck.text());
      const Result alone = run(self, {make_omp_executor(1)}, options);
      const Result parts = run(self, {make_omp_executor(1), make_omp_executor(1)}, options);
      EXPECT_EQ(alone["mass"], parts["mass"]);
      EXPECT_EQ(alone["uptake.x_min"], parts["uptake.x_min"]);
      const std::vector<double>& values = alone.values();
      std::size_t n = 0;
      for (const Slab& slab : parts.output.slabs)
        for (const double value : slab.values) ASSERT_EQ(value, values[n++]) << mask << " " << equation;
    }
}

}  // namespace
}  // namespace halocline::diffusion
