// Options of the thesis problem and of manufactured problems, for tests without a deck.
#pragma once

#include <string>

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

}  // namespace halocline
