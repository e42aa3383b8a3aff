// Stands for the kernels of this folder in a build without CUDA: no plan applies.
#include "lib/base/error.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"
#include "lib/problems/fractional/history/series_path.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"
#include "lib/problems/fractional/step/sweep_path.hpp"

namespace halocline::fractional {

bool plan_series_tiles(const Executor&, int) { return false; }
void series_tiles(const Executor&, const Label&, const SeriesTiles&) {
  throw InternalError("series_tiles in a build without CUDA");
}

bool plan_flush(const Executor&, const FlushTables&) { return false; }
void flush(const Executor&, const Label&, const FlushTables&, const Slots&, double*, const States&, Index) {
  throw InternalError("flush in a build without CUDA");
}
bool plan_sweep(const Executor&, const strips::StripLayout&) { return false; }
void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                   double*) {
  throw InternalError("sweep_columns in a build without CUDA");
}
void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                   const UpdateField&) {
  throw InternalError("sweep_columns in a build without CUDA");
}
void sweep_rows(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::ContiguousLines&,
                double*) {
  throw InternalError("sweep_rows in a build without CUDA");
}
bool plan_right_side(const Executor&) { return false; }
template <class Axis>
void set_right_side(const Executor&, const Label&, const RightSideBody<Axis>&) {
  throw InternalError("set_right_side in a build without CUDA");
}
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis>&);

}  // namespace halocline::fractional
