// Stands for the kernels of this folder in a build without CUDA: no plan applies.
#include "lib/base/error.hpp"
#include "lib/problems/fractional/cuda/paths.hpp"

namespace halocline::fractional {

bool plan_flush(const Executor&, const FlushTables&) { return false; }
void flush(const Executor&, const Label&, const FlushTables&, const Slots&, double*, const States&, Index) {
  throw InternalError("flush in a build without CUDA");
}

}  // namespace halocline::fractional
