// Decks whose solution c = T(t) q is exact in space, of an independent program: q = (1 + x^2)(1 + y^2)(1 - z^2/2) on
// the unit cube with D = 0.3 (1 + x/2)(1 + y/4)(1 + z/2) and sigma = 1 + x y/2, so that errors are those of the scheme
// in time.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {

using Powers = std::vector<std::pair<double, double>>;  // of psi, each with its factor

inline std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

// D^order of a sum of powers of s = psi(t).
inline std::string derivative_text(const Powers& powers, double order) {
  std::string sum = "0";
  for (const auto& [p, factor] : powers)
    sum +=
        " + " + number_text(factor * std::tgamma(p + 1) / std::tgamma(p + 1 - order)) + "*s^" + number_text(p - order);
  return sum;
}

// T = 1 + sum of powers; `derivatives`: what the terms of the equation give of it.
inline DeckText manufactured(const Powers& powers, const std::string& derivatives, int steps,
                             const std::string& scheme = "alikhanov", const std::string& psi = "t") {
  DeckText deck;
  std::string T = "1";
  for (const auto& [p, factor] : powers) T += " + " + number_text(factor) + "*s^" + number_text(p);
  deck.more = "  definitions:\n    - s = " + psi + "\n    - T = " + T + R"(
    - q = (1 + x^2)*(1 + y^2)*(1 - z^2/2)
    - qx = 2*x*(1 + y^2)*(1 - z^2/2)
    - qy = 2*y*(1 + x^2)*(1 - z^2/2)
    - qz = -z*(1 + x^2)*(1 + y^2)
    - second = 2*(1 + y^2)*(1 - z^2/2) + 2*(1 + x^2)*(1 - z^2/2) - (1 + x^2)*(1 + y^2)
    - diffusivity = 0.3*(1 + x/2)*(1 + y/4)*(1 + z/2)
    - slope = 0.15*(1 + y/4)*(1 + z/2)*qx + 0.075*(1 + x/2)*(1 + z/2)*qy + 0.15*(1 + x/2)*(1 + y/4)*qz
    - u = T*q
)";
  deck.grid = "{size: [1, 1, 1], cells: [10, 10, 10]}";
  deck.equation = {{"order", ""},
                   {"psi", psi},
                   {"D", "diffusivity"},
                   {"sigma", "1 + x*y/2"},
                   {"initial", "q"},
                   {"source", "(1 + x*y/2)*q*(" + derivatives + ") - T*(diffusivity*second + slope)"},
                   {"face_mean", "arithmetic"}};
  deck.sides = "{rest: {kind: dirichlet, value: u}}";
  deck.time = "{end: 1, steps: " + std::to_string(steps) + ", scheme: " + scheme + "}";
  deck.verify = "{exact: u}";
  return deck;
}

// Of one order and T = 1 + s^2.
inline DeckText manufactured(double order, int steps, const std::string& scheme = "alikhanov",
                             const std::string& psi = "t") {
  DeckText deck = manufactured({{2, 1}}, derivative_text({{2, 1}}, order), steps, scheme, psi);
  deck.equation["order"] = number_text(order);
  return deck;
}

}  // namespace halocline::fractional
