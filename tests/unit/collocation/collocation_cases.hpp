// Options of the thesis problem and of manufactured problems, for tests without a deck.
#pragma once

#include <string>
#include <vector>

#include "lib/problems/collocation/options.hpp"

namespace halocline {

inline Formula formula(const std::string& text) { return Formula{text, {"test", 1, 1}}; }

inline collocation::CollocationOptions manufactured(const std::string& exact, Index nx, Index ny, double a, double c,
                                                    double e, double eta) {
  collocation::CollocationOptions options;
  auto& block = options.block;
  block.solver.method = collocation::Method::schur;
  block.solver.tolerance = 1e-9;
  block.solver.max_iterations = 20000;
  block.equation.a = formula(std::to_string(a));
  block.equation.b = formula("0");
  block.equation.c = formula(std::to_string(c));
  block.equation.d = formula("0");
  block.equation.e = formula(std::to_string(e));
  block.equation.eta = formula(std::to_string(eta));
  block.equation.f = formula("manufactured");
  block.mesh.x.to = block.mesh.y.to = 1;
  block.mesh.x.elements = nx;
  block.mesh.y.elements = ny;
  block.sides.sides[4].given = true;
  options.verify.exact = formula(exact);
  return options;
}

// lap u - u = f, u = 10 phi(x) phi(y), phi(t) = exp(-100 (t - 0.1)^2) (t^2 - t).
inline collocation::CollocationOptions thesis(Index ns) {
  return manufactured("10*exp(-100*(x-0.1)^2)*(x^2-x)*exp(-100*(y-0.1)^2)*(y^2-y)", ns, ns, 1, 1, 0, -1);
}

constexpr const char* us = "sin(2*x+1)*cos(3*y) + exp(x*y/2)";

inline collocation::CollocationOptions automatic(const std::string& exact, Index nx, Index ny) {
  auto options = manufactured(exact, nx, ny, 1, 1, 0, -1);
  options.block.solver = {};
  return options;
}

// Problem P2 of docs/collocation.md.
inline collocation::CollocationOptions varying(Index nx, Index ny) {
  auto options = automatic(us, nx, ny);
  auto& equation = options.block.equation;
  equation.a = formula("2+sin(pi*x)*cos(pi*y)");
  equation.b = formula("0.4*cos(x-y)");
  equation.c = formula("1.5+0.5*cos(x*y)");
  equation.d = formula("5*cos(y)");
  equation.e = formula("-3*x");
  equation.eta = formula("-(1+x^2+y^2)");
  return options;
}

// A piece of a side: where it ends ("": at the end of the side), and its condition.
struct GivenPiece {
  const char* to;
  collocation::SideKind kind;
  const char *alpha = "", *beta = "";
};

inline void set_pieces(collocation::CollocationOptions& options, int side, const std::vector<GivenPiece>& pieces) {
  auto& given = options.block.sides.sides[side] = {};
  for (const GivenPiece& piece : pieces) {
    collocation::PieceOptions& added = given.add();
    added.to = formula(piece.to);
    added.kind = piece.kind;
    added.alpha = formula(piece.alpha);
    added.beta = formula(piece.beta);
  }
}

// u, coefficients and f go on at the opposite side; the sides named `x` or `y` are periodic, the others give u.
inline collocation::CollocationOptions periodic(const std::string& axes, Index nx, Index ny) {
  auto options = automatic("exp(sin(2*pi*x))*cos(2*pi*y+1)", nx, ny);
  auto& equation = options.block.equation;
  equation.a = formula("2+sin(2*pi*x)*cos(2*pi*y)");
  equation.b = formula("0.4*cos(2*pi*(x-y))");
  equation.c = formula("1.5+0.5*cos(2*pi*x)");
  equation.d = formula("5*cos(2*pi*y)");
  equation.e = formula("-3*sin(2*pi*x)");
  equation.eta = formula("-2-sin(2*pi*(x+y))");
  for (std::size_t side = 0; side < 4; ++side) {
    if (axes.find(side < 2 ? 'x' : 'y') == std::string::npos) continue;
    options.block.sides.sides[side].given = true;
    options.block.sides.sides[side].kind = collocation::SideKind::periodic;
  }
  return options;
}

}  // namespace halocline
