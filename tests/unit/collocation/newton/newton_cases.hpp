// Equations that are not linear in u, for tests without a deck.
#pragma once

#include "tests/unit/collocation/collocation_cases.hpp"

namespace halocline {

// lap u + lambda exp(u) = 0, u = 0 on the sides.
inline collocation::CollocationOptions bratu(const std::string& lambda, Index n) {
  auto options = manufactured("0", n, n, 1, 1, 0, 0);
  options.block.solver = {};
  options.block.equation.f = formula("0");
  options.block.equation.source = formula("-" + lambda + "*exp(u)");
  options.block.sides.sides[4].value = formula("0");
  options.verify.exact = {};
  return options;
}

// All coefficients vary, the source depends on u, u_x and u_y, and one side is of kind robin; f from `exact`.
inline collocation::CollocationOptions general(Index nx, Index ny) {
  auto options = manufactured("sin(2*x+1)*cos(3*y) + exp(x*y/2)", nx, ny, 1, 1, 0, -1);
  options.block.solver = {};
  auto& equation = options.block.equation;
  equation.a = formula("2+sin(pi*x)*cos(pi*y)");
  equation.b = formula("0.4*cos(x-y)");
  equation.c = formula("1.5+0.5*cos(x*y)");
  equation.d = formula("5*cos(y)");
  equation.source = formula("2*u^3 + u*u_x - 0.5*u_y^2 - exp(u)*x");
  auto& side = options.block.sides.sides[1];
  side.given = true;
  side.kind = collocation::SideKind::robin;
  side.alpha = formula("1");
  side.beta = formula("3");
  return options;
}

// div (k grad u) = 0 with k = 1 / sqrt(1 + |grad u|^2): Scherk's minimal surface.
inline collocation::CollocationOptions scherk(Index n) {
  auto options = general(n, n);
  auto& equation = options.block.equation;
  equation = {};
  equation.k = formula("1/sqrt(1 + u_x^2 + u_y^2)");
  equation.f = formula("0");
  for (auto* axis : {&options.block.mesh.x, &options.block.mesh.y}) axis->from = -1;
  options.verify.exact = formula("log(cos(x)/cos(y))");
  options.block.sides.sides[1] = {};
  options.block.sides.sides[4].value = options.verify.exact;
  return options;
}

}  // namespace halocline
