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

template <class T>
bool plan_flush(const Executor&, int, int) {
  return false;
}
template bool plan_flush<double>(const Executor&, int, int);
template bool plan_flush<float>(const Executor&, int, int);
template bool plan_flush<Half>(const Executor&, int, int);
template <class T>
void flush(const Executor&, const Label&, const FlushTablesOf<Computed<T>>&, const SlotsOf<T>&, const FirstOf<T>&,
           const StatesOf<T>&, const NodeStretches&) {
  throw InternalError("flush in a build without CUDA");
}
template void flush<double>(const Executor&, const Label&, const FlushTables&, const Slots&, const FirstOf<double>&,
                            const States&, const NodeStretches&);
template void flush<float>(const Executor&, const Label&, const FlushTablesOf<float>&, const SlotsOf<float>&,
                           const FirstOf<float>&, const StatesOf<float>&, const NodeStretches&);
template void flush<Half>(const Executor&, const Label&, const FlushTablesOf<float>&, const SlotsOf<Half>&,
                          const FirstOf<Half>&, const StatesOf<Half>&, const NodeStretches&);

template <class T>
bool plan_sweep(const Executor&, const strips::StripLayout&) {
  return false;
}
template bool plan_sweep<double>(const Executor&, const strips::StripLayout&);
template bool plan_sweep<float>(const Executor&, const strips::StripLayout&);
template <class T>
void sweep_columns(const Executor&, const Label&, const strips::CommonLine<T>&, const strips::LineField&, T*) {
  throw InternalError("sweep_columns in a build without CUDA");
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            double*);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            float*);
template <class Numbers>
void sweep_columns(const Executor&, const Label&, const strips::CommonLine<typename Numbers::Line>&,
                   const strips::LineField&, const UpdateOf<Numbers>&) {
  throw InternalError("sweep_columns in a build without CUDA");
}
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::LineField&,
                            const UpdateOf<Fp64>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Mixed>&);
template void sweep_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::LineField&,
                            const UpdateOf<Fp32>&);
template <class T>
void sweep_rows(const Executor&, const Label&, const strips::CommonLine<T>&, const strips::ContiguousLines&, T*) {
  throw InternalError("sweep_rows in a build without CUDA");
}
template void sweep_rows(const Executor&, const Label&, const strips::CommonLine<double>&,
                         const strips::ContiguousLines&, double*);
template void sweep_rows(const Executor&, const Label&, const strips::CommonLine<float>&,
                         const strips::ContiguousLines&, float*);

template <class T>
bool plan_rows_ahead(const Executor&, const strips::StripLayout&, Index) {
  return false;
}
template bool plan_rows_ahead<double>(const Executor&, const strips::StripLayout&, Index);
template bool plan_rows_ahead<float>(const Executor&, const strips::StripLayout&, Index);
template <class T>
void sweep_rows_ahead(const Executor&, const Label&, const strips::RowsAhead<T>&) {
  throw InternalError("sweep_rows_ahead in a build without CUDA");
}
template void sweep_rows_ahead(const Executor&, const Label&, const strips::RowsAhead<double>&);
template void sweep_rows_ahead(const Executor&, const Label&, const strips::RowsAhead<float>&);
template <class T>
bool plan_columns_ahead(const Executor&, Index, const strips::OwnStrips&, const strips::OwnStrips&) {
  return false;
}
template bool plan_columns_ahead<double>(const Executor&, Index, const strips::OwnStrips&, const strips::OwnStrips&);
template bool plan_columns_ahead<float>(const Executor&, Index, const strips::OwnStrips&, const strips::OwnStrips&);
template <class T>
void sweep_columns_ahead(const Executor&, const Label&, const strips::ColumnsAhead<T>&) {
  throw InternalError("sweep_columns_ahead in a build without CUDA");
}
template void sweep_columns_ahead(const Executor&, const Label&, const strips::ColumnsAhead<double>&);
template void sweep_columns_ahead(const Executor&, const Label&, const strips::ColumnsAhead<float>&);

template <class T>
bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<T>&, const strips::OwnStrips&,
                    const strips::LineField&, const strips::EndTable<T>&, const T*) {
  return false;
}
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<double>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<double>&, const double*);
template bool reduce_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                             const strips::LineField&, const strips::EndTable<float>&, const float*);

template <class T>
bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<T>&, const strips::OwnStrips&,
                     const strips::LineField&, const strips::EndTable<T>&, const strips::FieldValues<T>&) {
  return false;
}
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<double>&,
                              const strips::OwnStrips&, const strips::LineField&, const strips::EndTable<double>&,
                              const strips::FieldValues<double>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&,
                              const strips::FieldValues<float>&);
template <class Numbers>
bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<typename Numbers::Line>&,
                     const strips::OwnStrips&, const strips::LineField&,
                     const strips::EndTable<typename Numbers::Line>&, const UpdateOf<Numbers>&) {
  return false;
}
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<double>&,
                              const strips::OwnStrips&, const strips::LineField&, const strips::EndTable<double>&,
                              const UpdateOf<Fp64>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&, const UpdateOf<Mixed>&);
template bool resolve_columns(const Executor&, const Label&, const strips::CommonLine<float>&, const strips::OwnStrips&,
                              const strips::LineField&, const strips::EndTable<float>&, const UpdateOf<Fp32>&);

bool plan_own_rows(const Executor&, const strips::StripLayout&) { return false; }
bool plan_own_columns(const Executor&, const strips::StripLayout&) { return false; }
template <class T>
void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, T*) {
  throw InternalError("sweep_columns in a build without CUDA");
}
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, double*);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, float*);
template <class Numbers>
void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&, const UpdateOf<Numbers>&) {
  throw InternalError("sweep_columns in a build without CUDA");
}
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Fp64>&);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Mixed>&);
template void sweep_columns(const Executor&, const Label&, const OwnSweep&, const strips::LineField&,
                            const UpdateOf<Fp32>&);
template <class T>
void sweep_rows(const Executor&, const Label&, const OwnSweep&, const strips::ContiguousLines&, T*) {
  throw InternalError("sweep_rows in a build without CUDA");
}
template void sweep_rows(const Executor&, const Label&, const OwnSweep&, const strips::ContiguousLines&, double*);
template void sweep_rows(const Executor&, const Label&, const OwnSweep&, const strips::ContiguousLines&, float*);

bool plan_right_side(const Executor&) { return false; }
template <class Axis, class Numbers>
void set_right_side(const Executor&, const Label&, const RightSideBody<Axis, Numbers>&) {
  throw InternalError("set_right_side in a build without CUDA");
}
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Fp64>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Fp64>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Mixed>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Mixed>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Fp32>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Fp32>&);

}  // namespace halocline::fractional
