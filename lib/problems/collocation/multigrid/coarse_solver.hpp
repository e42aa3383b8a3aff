// CoarseSolver: the equations of the coarsest mesh, solved directly. Every part holds all lines and does the same.
//
// Up to 1024 unknowns the inverse is formed on the host in double precision and applied where the vectors live; beyond
// that, factors of the banded matrix on the host (a copy of the vectors there and back each time).
#pragma once

#include <memory>

#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

// Unknowns of the largest mesh whose inverse is formed.
constexpr Index largest_inverse = 1024;

template <class T>
class CoarseSolver {
 public:
  // `level` is replicated; `problem`: whose equations to solve on its mesh. Throws NumericalError when these are
  // singular.
  CoarseSolver(const Formulation& problem, const Level<T>& level);
  ~CoarseSolver();
  // u = A^-1 f on own lines (all of them).
  void solve(const NodalVector<T>& f, NodalVector<T>& u);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline::collocation
