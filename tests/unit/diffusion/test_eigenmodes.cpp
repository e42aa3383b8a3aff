// Discrete eigenmodes: with walls without flux, cos(p pi x) cos(q pi y) is multiplied by 1 + dt D symbol in every step,
// for every mask, to the last digits (V3 of the specification). Also: conservation of mass.
#include <cmath>
#include <numbers>

#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

constexpr double pi = std::numbers::pi;

struct Mode {
  const char* mask;
  int p, q;
  double factor;  // after 200 steps; the specification's figure
};

// Factors by the formula of the symbol, written out anew.
double factor(const std::string& mask, double kx, double ky, int steps) {
  const double x = 2 * std::cos(kx) - 2, y = 2 * std::cos(ky) - 2;
  double symbol = x + y;
  if (mask == "9pt") symbol += x * y / 6;
  if (mask == "cross4") symbol = x + y - (x * x + y * y) / 12;
  return std::pow(1 + 0.1 / 4 * symbol, steps);
}

TEST(Eigenmodes, DecayByTheSymbol) {
  for (const Mode& mode :
       {Mode{"5pt", 1, 2, 0.9415694}, Mode{"9pt", 1, 2, 0.9415876}, Mode{"cross4", 1, 2, 0.9415307},
        Mode{"5pt", 5, 3, 0.6647535}, Mode{"9pt", 5, 3, 0.6654741}, Mode{"cross4", 5, 3, 0.6636273}}) {
    const double g = factor(mode.mask, mode.p * pi / 64, mode.q * pi / 64, 200);
    EXPECT_NEAR(g, mode.factor, 5e-8) << mode.mask;
    Case deck;
    deck.grid = "{layout: fv, size: [1, 1], cells: [64, 64]}";
    deck.initial = "cos(" + std::to_string(mode.p) + "*pi*x)*cos(" + std::to_string(mode.q) + "*pi*y)";
    deck.stencil = "{mask: " + std::string(mode.mask) + ", co: 0.1}";
    deck.time = "{end: 200*0.1/4/64^2}";
    deck.verify = "{exact: \"" + std::to_string(g) + "\"}";
    const Result result = run(deck.text());
    EXPECT_EQ(result["steps"], 200);
    double worst = 0;
    for (std::size_t n = 0; n < result.values().size(); ++n) {
      const double x = (static_cast<double>(n % 64) + 0.5) / 64, y = (static_cast<double>(n / 64) + 0.5) / 64;
      const double exact = g * std::cos(mode.p * pi * x) * std::cos(mode.q * pi * y);
      worst = std::max(worst, std::abs(result.values()[n] - exact));
    }
    EXPECT_LT(worst, 1e-13) << mode.mask;
  }
}

// The same mask given as numbers.
TEST(Eigenmodes, OwnWeightsAreAsGoodAsNames) {
  Case named, own;
  named.initial = own.initial = "x^2 + sin(3*y)";
  named.stencil = "{mask: cross4, co: 0.5}";
  own.stencil =
      "{mask: {size: 5, weights: [0,0,-1/12,0,0, 0,0,4/3,0,0, -1/12,4/3,-5,4/3,-1/12, 0,0,4/3,0,0, "
      "0,0,-1/12,0,0]}, co: 0.5}";
  const Result a = run(named.text()), b = run(own.text());
  for (std::size_t n = 0; n < a.values().size(); ++n) ASSERT_NEAR(a.values()[n], b.values()[n], 1e-14);
}

TEST(Eigenmodes, InThreeDimensionsAndOnUnequalSpacing) {
  const double hx = 1.0 / 12, hy = 1.0 / 10, hz = 1.0 / 14;
  for (const std::string mask : {"7pt", "19pt", "27pt", "cross4"}) {
    Case deck;
    deck.grid = "{layout: fv, size: [1, 1, 1], cells: [12, 10, 14]}";
    deck.initial = "cos(pi*x)*cos(2*pi*y)*cos(3*pi*z)";
    deck.stencil = "{mask: " + mask + ", co: 0.3}";
    deck.time = "{end: 0.02}";
    const Result result = run(deck.text());
    const double x = 2 * std::cos(pi * hx) - 2, y = 2 * std::cos(2 * pi * hy) - 2, z = 2 * std::cos(3 * pi * hz) - 2;
    double symbol = x / (hx * hx) + y / (hy * hy) + z / (hz * hz);
    const auto pair = [](double a, double b, double h, double k) {
      return (h * h + k * k) / 12 * a * b / (h * h * k * k);
    };
    if (mask == "19pt" || mask == "27pt") symbol += pair(x, y, hx, hy) + pair(x, z, hx, hz) + pair(y, z, hy, hz);
    if (mask == "27pt")
      symbol +=
          (hx * hx * hy * hy + hx * hx * hz * hz + hy * hy * hz * hz) / 108 * x * y * z / (hx * hx * hy * hy * hz * hz);
    if (mask == "cross4") symbol -= (x * x / (hx * hx) + y * y / (hy * hy) + z * z / (hz * hz)) / 12;
    const double g = std::pow(1 + 0.02 / result["steps"] * symbol, result["steps"]);
    double worst = 0;
    for (std::size_t n = 0; n < result.values().size(); ++n) {
      const double at[3] = {(static_cast<double>(n % 12) + 0.5) * hx, (static_cast<double>(n / 12 % 10) + 0.5) * hy,
                            (static_cast<double>(n / 120) + 0.5) * hz};
      const double exact = g * std::cos(pi * at[0]) * std::cos(2 * pi * at[1]) * std::cos(3 * pi * at[2]);
      worst = std::max(worst, std::abs(result.values()[n] - exact));
    }
    EXPECT_LT(worst, 1e-13) << mask;
  }
}

// Periodic sides: plane waves.
TEST(Eigenmodes, TravelThroughPeriodicSides) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) {
    Case deck;
    deck.walls = "{rest: {kind: periodic}}";
    deck.initial = "cos(2*pi*(x + 2*y))";
    deck.stencil = "{mask: " + mask + ", co: 0.4}";
    const Result result = run(deck.text());
    const double x = 2 * std::cos(2 * pi / 16) - 2, y = 2 * std::cos(4 * pi / 16) - 2;
    const double symbol = mask == "5pt" ? x + y : mask == "9pt" ? x + y + x * y / 6 : x + y - (x * x + y * y) / 12;
    const double g = std::pow(1 + 0.01 / result["steps"] * 256 * symbol, result["steps"]);
    for (std::size_t n = 0; n < 256; ++n) {
      const double at = (static_cast<double>(n % 16) + 0.5) / 16 + 2 * (static_cast<double>(n / 16) + 0.5) / 16;
      ASSERT_NEAR(result.values()[n], g * std::cos(2 * pi * at), 1e-13) << mask;
    }
  }
}

// V5: mass of the case of V4 after many steps; and walls of all kinds against the flux through them.
TEST(Conservation, OfMassWithoutFlux) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) {
    Case deck;
    deck.initial = "1 + cos(2*pi*x)*cos(pi*y) + 0.5*cos(2*pi*x)";
    deck.stencil = "{mask: " + mask + ", co: 0.1}";
    deck.time = "{end: 0.2}";
    const Result result = run(deck.text());
    EXPECT_GT(result["steps"], 2000);
    EXPECT_LT(result["mass_balance"], 8e-14) << mask;
    EXPECT_NEAR(result["mass"], 1, 1e-13);
  }
}

TEST(Conservation, OfMassAndFluxThroughWalls) {
  const std::string flat =
      "{x_min: [{from: 0, to: 1/2, kind: dirichlet, value: 1 + t}], x_max: [{from: 1/4, to: 3/4, "
      "kind: robin, value: y, transfer: 3}], y_min: [{kind: neumann, value: x - 0.2}], rest: {kind: "
      "no_flux}}";
  for (const std::string stencil :
       {"{mask: 5pt, co: 0.5}", "{mask: 9pt, co: 0.9}", "{mask: cross4, co: 0.5}", "{accurate: true}",
        "{mask: {size: 3, weights: [1/4, 1/2, 1/4, 1/2, -3, 1/2, 1/4, 1/2, 1/4]}, co: 0.4}"}) {
    Case deck;
    deck.initial = "2 - x";
    deck.walls = flat;
    deck.stencil = stencil;
    deck.time = "{end: 0.1}";
    const Result result = run(deck.text());
    EXPECT_LT(result["mass_balance"], 1e-13) << stencil;
    EXPECT_GT(std::abs(result["uptake.x_min"]), 1e-3);
    EXPECT_GT(std::abs(result["uptake.y_min"]), 1e-3);
  }
  for (const std::string mask : {"7pt", "19pt", "27pt", "cross4"}) {
    Case deck;
    deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [8, 9, 10]}";
    deck.walls =
        "{x_min: [{from: {y: 0, z: 0}, to: {y: 1/2, z: 1}, kind: dirichlet, value: z}], z_max: [{kind: robin, "
        "transfer: 2, value: x*y}], y_min: [{kind: neumann, value: z*t}], rest: {kind: no_flux}}";
    deck.initial = "x + y";
    deck.stencil = "{mask: " + mask + ", co: 0.5}";
    deck.time = "{end: 0.1}";
    const Result result = run(deck.text());
    EXPECT_LT(result["mass_balance"], 1e-13) << mask;
    EXPECT_GT(std::abs(result["uptake.z_max"]), 1e-3);
  }
}

}  // namespace
}  // namespace halocline::diffusion
