// Masks: moments, symbols and limits of stability against formulas, and the faults of bad ones.
#include "lib/problems/diffusion/stencil.hpp"

#include <cmath>
#include <numbers>

#include "lib/problems/diffusion/formulation.hpp"
#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

struct Collecting final : Faults {
  void at(std::string_view path, const std::string& message) override {
    text += std::string(path) + ": " + message + "\n";
  }
  void at(const Place&, const std::string& message) override { text += message + "\n"; }
  std::string text;
};

UniformGrid grid(std::vector<double> spacing) {
  UniformGrid g;
  g.dimensions = static_cast<int>(spacing.size());
  for (std::size_t axis = 0; axis < spacing.size(); ++axis) {
    g.extent[axis] = 100;
    g.spacing[axis] = spacing[axis];
  }
  return g;
}

Stencil named(const char* name, const UniformGrid& g) {
  StencilOptions options;
  options.mask_given = true;
  for (const Word<MaskName>& word : words_of(MaskName{}))
    if (std::string(word.text) == name) options.mask = word.value;
  Collecting faults;
  const Stencil stencil = make_stencil(options, g, faults);
  EXPECT_EQ(faults.text, "");
  return stencil;
}

// Largest stable co of the specification: dt = co h^2 / (2 d D).
TEST(Stencil, LimitsAreThoseOfTheSpecification) {
  const auto co = [](const char* name, int dimensions) {
    const UniformGrid g = grid(std::vector<double>(static_cast<std::size_t>(dimensions), 0.5));
    return 2 / named(name, g).largest_symbol(-1) * 2 * dimensions / 0.25;
  };
  EXPECT_NEAR(co("5pt", 2), 1, 1e-9);
  EXPECT_NEAR(co("9pt", 2), 1.5, 1e-9);
  EXPECT_NEAR(co("cross4", 2), 0.75, 1e-9);
  EXPECT_NEAR(co("7pt", 3), 1, 1e-9);
  EXPECT_NEAR(co("cross4", 3), 0.75, 1e-9);
  // 27pt: at lambda = 1/6 one step is the product of (2 + cos k)/3 per axis, least 1/27: symbol 6 (1/27 - 1).
  EXPECT_NEAR(co("27pt", 3), 2 * 6 / (6 * (1 - 1.0 / 27)), 1e-9);
}

// The symbol of every mask tends to -|k|^2 as k -> 0, with an error of the order stated, also for unequal spacing.
TEST(Stencil, SymbolsHaveTheirOrder) {
  struct Expected {
    const char* name;
    std::vector<double> spacing;
    double order;
  };
  for (const Expected& e :
       {Expected{"5pt", {0.3, 0.2}, 2}, Expected{"9pt", {0.3, 0.2}, 2}, Expected{"9pt", {1, 1}, 2},
        Expected{"cross4", {0.3, 0.2}, 4}, Expected{"7pt", {0.3, 0.2, 0.5}, 2}, Expected{"19pt", {0.3, 0.2, 0.5}, 2},
        Expected{"27pt", {0.3, 0.2, 0.5}, 2}, Expected{"cross4", {0.3, 0.2, 0.5}, 4}}) {
    const UniformGrid g = grid(e.spacing);
    const Stencil s = named(e.name, g);
    EXPECT_LT(std::abs(s.sum()), 1e-12 * std::abs(s.weights[s.weights.size() / 2])) << e.name;
    EXPECT_TRUE(s.symmetric());
    const auto error = [&](double size) {
      const double k[3] = {0.7 * size, -0.4 * size, g.dimensions == 3 ? 0.9 * size : 0};
      return std::abs(s.symbol(k[0] * g.spacing[0], k[1] * g.spacing[1], k[2] * g.spacing[2]) + k[0] * k[0] +
                      k[1] * k[1] + k[2] * k[2]) /
             (size * size);
    };
    EXPECT_NEAR(std::log2(error(0.4) / error(0.2)), e.order, 0.1) << e.name;
  }
}

// Mehrstellen masks: the error does not depend on the direction.
TEST(Stencil, NinePointErrorIsIsotropic) {
  const UniformGrid g = grid({0.1, 0.1});
  const Stencil five = named("5pt", g), nine = named("9pt", g);
  const auto error = [](const Stencil& s, double angle) {
    return s.symbol(0.1 * std::cos(angle), 0.1 * std::sin(angle), 0) + 1;
  };
  EXPECT_NEAR(error(nine, 0) / error(nine, std::numbers::pi / 4), 1, 1e-3);
  EXPECT_NEAR(error(five, 0) / error(five, std::numbers::pi / 4), 2, 1e-2);
}

// With D dt / h^2 = 1/6 one step is the product of (1, 4, 1)/6 per axis.
TEST(Stencil, AccurateMasksAreTensorProducts) {
  for (const char* name : {"9pt", "27pt"}) {
    const int dimensions = std::string(name) == "9pt" ? 2 : 3;
    const UniformGrid g = grid(std::vector<double>(static_cast<std::size_t>(dimensions), 0.25));
    const Stencil s = named(name, g);
    std::size_t n = 0;
    for (int dz = dimensions == 3 ? -1 : 0; dz <= (dimensions == 3 ? 1 : 0); ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const auto line = [](int m) { return m == 0 ? 4.0 / 6 : 1.0 / 6; };
          const double product = line(dx) * line(dy) * (dimensions == 3 ? line(dz) : 1);
          const double center = dx == 0 && dy == 0 && dz == 0 ? 1 : 0;
          EXPECT_NEAR(center + s.weights[n++] * 0.0625 / 6, product, 1e-15) << name;
        }
  }
}

std::string faults_of(const std::string& stencil, const std::string& cells = "[16, 16]",
                      const std::string& size = "[1, 1]") {
  DiffusionOptions options;
  Case deck;
  deck.grid = "{layout: fv, size: " + size + ", cells: " + cells + "}";
  deck.stencil = stencil;
  return read_deck(deck.text(), options);
}

void expect_fault(const std::string& faults, const std::string& part) {
  EXPECT_NE(faults.find(part), std::string::npos) << "wanted: " << part << "\nin: " << faults;
}

TEST(Stencil, RefusesBadMasks) {
  const std::string place = "deck.yaml:6:", mask = "diffusion.stencil.mask";
  expect_fault(faults_of("{mask: {size: 3, weights: [0, 1, 0, 1, -3, 1, 0, 1, 0]}, co: 0.1}"), "sum to 1 instead of 0");
  expect_fault(faults_of("{mask: {size: 3, weights: [0, 2, 0, 2, -8, 2, 0, 2, 0]}, co: 0.1}"),
               "have the second moment 4 in xx instead of 2");
  expect_fault(faults_of("{mask: {size: 3, weights: [0.5, 1, 0, 1, -5, 1, 0, 1, 0.5]}, co: 0.1}"),
               "in xy instead of 0");
  expect_fault(faults_of("{mask: {size: 3, weights: [0, 1, 0, 2, -4, 0, 0, 1, 0]}, co: 0.1}"), "first moment");
  expect_fault(faults_of("{mask: {size: 3, weights: [0, 1, 0, 1, -4]}, co: 0.1}"), "has 5 numbers; expected 9");
  expect_fault(faults_of("{mask: {size: 2, weights: [1, 1, 1, 1]}, co: 0.1}"), "must be odd");
  // Moments are right, but the wave of shortest length grows: +1 at distance 2, -4 at distance 1 along x.
  expect_fault(faults_of("{mask: {size: 5, weights: [0,0,0,0,0, 0,0,1,0,0, 1,-3,2,-3,1, 0,0,1,0,0, 0,0,0,0,0]}, "
                         "co: 0.01}"),
               "let waves grow at any time step");
  expect_fault(faults_of("{mask: 7pt, co: 0.1}"), "7pt is a mask in 3D; the grid is in 2D");
  expect_fault(faults_of("{mask: 9pt, co: 0.1}", "[8, 8, 8]", "[1, 1, 1]"), "9pt is a mask in 2D; the grid is in 3D");
  expect_fault(faults_of("{mask: cross4, accurate: true}"), "accurate steps need 9pt");
  expect_fault(faults_of("{accurate: true}", "[16, 8]"), "needs the same spacing");
  expect_fault(faults_of("{mask: {size: 3, weights: [0, 1, 0, 1, -4, 1, 0, 1, 0]}, co: 0.1}", "[16, 8]"),
               "needs the same spacing");
  // Accepted: the same numbers without the claim to be a Laplacian.
  EXPECT_EQ(faults_of("{mask: {size: 3, laplacian: false, weights: [0, 1, 0, 1, -5, 1, 0, 1, 0]}, co: 0.1}"), "");
}

TEST(Stencil, RefusesStepsAboveTheLimitAndPrintsIt) {
  expect_fault(faults_of("{mask: 5pt, co: 1.01}"),
               "deck.yaml:6:28: diffusion.stencil.co: gives a time step of 0.000986328, above the limit of stability "
               "0.000976562 = 2/(D max|symbol|); co may be up to 1");
  expect_fault(faults_of("{mask: 9pt, dt: 1}"), "diffusion.stencil.dt: gives a time step of 1, above the limit");
  EXPECT_EQ(faults_of("{mask: 9pt, co: 1.5}"), "");
  expect_fault(faults_of("{mask: 5pt}"), "gives no time step");
  expect_fault(faults_of("{mask: 5pt, co: 1, dt: 1}"), "more than one of co, dt and accurate");
  expect_fault(faults_of("{accurate: true, co: 1}"), "sets the time step itself");
}

}  // namespace
}  // namespace halocline::diffusion
