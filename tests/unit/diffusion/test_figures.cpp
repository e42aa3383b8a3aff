// Figures of the specification, to all their digits: V2 (true solution and mass) and V4 (orders) on the coarser grids.
#include <cmath>

#include "tests/unit/diffusion/diffusion_cases.hpp"

namespace halocline::diffusion {
namespace {

// Equal to three digits.
void expect_figure(double value, double figure) { EXPECT_NEAR(value, figure, 0.006 * figure); }

TEST(Figures, OfTheCarburizingProblem) {
  struct Figure {
    const char *cells, *stencil, *end;
    double rms, mass;  // 0: not given
  };
  for (const Figure& f : {Figure{"[64, 64]", "{mask: 5pt, co: 0.1}", "20000", 4.09e-3, 0},
                          Figure{"[128, 128]", "{mask: 5pt, co: 0.1}", "20000", 2.05e-3, 0},
                          Figure{"[64, 64]", "{mask: 5pt, co: 0.1}", "100000", 4.08e-3, 7756.0},
                          Figure{"[64, 64]", "{mask: 9pt, co: 2/3}", "100000", 3.27e-3, 0},
                          Figure{"[128, 128]", "{mask: 9pt, co: 2/3}", "100000", 1.66e-3, 0}}) {
    Case deck;
    deck.grid = "{layout: fv, size: [256, 256], cells: " + std::string(f.cells) + "}";
    deck.D = "0.00625";
    deck.walls =
        "{x_min: [{from: 0, to: 128, kind: dirichlet, value: 1}], x_max: [{from: 128, to: 256, kind: dirichlet, "
        "value: 1}], rest: {kind: no_flux}}";
    deck.stencil = f.stencil;
    deck.time = "{end: " + std::string(f.end) + "}";
    deck.verify = "{reference: carburizing_exact}";
    const Result result = run(deck.text());
    expect_figure(result["rms_error.c"], f.rms);
    if (f.mass > 0) {
      EXPECT_NEAR(result["mass"], f.mass, 0.06);
    }
    EXPECT_LT(result["mass_balance"], 1e-13);
  }
}

TEST(Figures, OfTheOrders) {
  struct Figure {
    const char *mask, *co;
    int cells;
    double steps, rms;
  };
  for (const Figure& f : {Figure{"5pt", "0.1", 16, 133, 1.87e-3}, Figure{"5pt", "0.1", 32, 533, 4.66e-4},
                          Figure{"9pt", "0.1", 16, 133, 2.59e-3}, Figure{"9pt", "0.1", 32, 533, 6.49e-4},
                          Figure{"9pt", "2/3", 16, 20, 7.82e-6}, Figure{"9pt", "2/3", 32, 80, 4.84e-7},
                          Figure{"9pt", "2/3", 64, 320, 3.02e-8}, Figure{"cross4", "0.1", 16, 133, 4.15e-4},
                          Figure{"cross4", "0.1", 32, 533, 1.12e-4}, Figure{"cross4", "0.04", 16, 333, 1.39e-4},
                          Figure{"cross4", "0.01", 32, 5333, 8.64e-6}}) {
    Case deck;
    const std::string n = std::to_string(f.cells);
    deck.grid = "{layout: fv, size: [1, 1], cells: [" + n + ", " + n + "]}";
    deck.initial = "1 + cos(2*pi*x)*cos(pi*y) + 0.5*cos(2*pi*x)";
    deck.stencil = "{mask: " + std::string(f.mask) + ", co: " + f.co + "}";
    deck.time = "{end: 20/1536}";
    deck.verify = "{exact: 1 + exp(-5*pi^2*t)*cos(2*pi*x)*cos(pi*y) + 0.5*exp(-4*pi^2*t)*cos(2*pi*x)}";
    const Result result = run(deck.text());
    EXPECT_EQ(result["steps"], f.steps);
    expect_figure(result["rms_error.c"], f.rms);
    EXPECT_LT(result["mass_balance"], 8e-14);
  }
}

// Just below the limit a rough field stays within its first values; above it decks are refused (see test_stencil).
TEST(Figures, RoughFieldsStayBoundedBelowTheLimit) {
  for (const std::string stencil :
       {"{mask: 5pt, co: 0.99}", "{mask: 9pt, co: 0.99*1.5}", "{mask: cross4, co: 0.99*0.75}", "{accurate: true}"}) {
    Case deck;
    deck.initial = "sin(1e4*x*y + 1e5*x) + cos(3e4*y)";
    deck.stencil = stencil;
    deck.time = "{end: 1}";
    const Result result = run(deck.text());
    EXPECT_LT(result["max"], 2) << stencil;
    EXPECT_GT(result["min"], -2) << stencil;
  }
}

}  // namespace
}  // namespace halocline::diffusion
