// Stands for line_solve.cu in a build without CUDA.
#include "lib/problems/collocation/schur/line_kernels.hpp"

namespace halocline::collocation {

bool can_solve_lines(const Executor&, Index, Index) { return false; }
void solve_lines(const Executor&, const Label&, const LineSolve&) {}
void solve_lines(const Executor&, const Label&, const LineSolve&, std::span<ExactSum>, bool) {}
void solve_lines(const Executor&, const Label&, const LineSolve&, double*) {}

}  // namespace halocline::collocation
