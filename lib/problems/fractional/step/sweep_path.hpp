// The kernels of cuda/{column,row}_sweeps.cu, cuda/own_{column,row}_sweeps.cu, cuda/sweeps_ahead.cu and
// cuda/resolve_columns.cu, for what lib/linalg/strips does as well, only slower; the same sums in the same order. Where
// they do not apply the plan says so: other devices, shapes they have no code for, builds without CUDA.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/linalg/strips/ahead_kernels.hpp"
#include "lib/linalg/strips/contiguous_kernels.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"
#include "lib/problems/fractional/step/sweep_kernels.hpp"

namespace halocline::fractional {

/// Whether sweeps with common coefficients apply: at most 64 strips, blocks of a device's shared memory. T: of the line
/// solves, double or float, here and below.
template <class T>
bool plan_sweep(const Executor& executor, const strips::StripLayout& layout);
/// Lines across columns, in place; tables by strip, columns a multiple of 16.
template <class T>
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                   const strips::LineField& field, T* w);
/// The same of right-hand sides in update.slot, with UpdateOf::take() in place of storing.
template <class Numbers>
void sweep_columns(const Executor& executor, const Label& label, const strips::CommonLine<typename Numbers::Line>& line,
                   const strips::LineField& field, const UpdateOf<Numbers>& update);
/// Lines along x, in place; tables by row, distance of lines and memory of the last one a multiple of 2.
template <class T>
void sweep_rows(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                const strips::ContiguousLines& lines, T* w);

/// What strips::RowsAheadBody does: for lines of at most 32 strips, in fields so wide.
template <class T>
bool plan_rows_ahead(const Executor& executor, const strips::StripLayout& rows, Index columns);
template <class T>
void sweep_rows_ahead(const Executor& executor, const Label& label, const strips::RowsAhead<T>& sweep);
/// What strips::ColumnsAheadBody does: for strips along y and z of a part that give most of a device something to do.
template <class T>
bool plan_columns_ahead(const Executor& executor, Index columns, const strips::OwnStrips& rows,
                        const strips::OwnStrips& planes);
template <class T>
void sweep_columns_ahead(const Executor& executor, const Label& label, const strips::ColumnsAhead<T>& sweep);

/// What strips::reduce_strips() does, for lines across columns. False, and nothing done: it does not apply.
template <class T>
bool reduce_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                    const strips::OwnStrips& own, const strips::LineField& field, const strips::EndTable<T>& ends,
                    const T* values);
/// What strips::resolve_strips() does, for lines across columns that parts share; `values` and update.slot hold the
/// right-hand sides. False, and nothing done: it does not apply.
template <class T>
bool resolve_columns(const Executor& executor, const Label& label, const strips::CommonLine<T>& line,
                     const strips::OwnStrips& own, const strips::LineField& field, const strips::EndTable<T>& ends,
                     const strips::FieldValues<T>& values);
template <class Numbers>
bool resolve_columns(const Executor& executor, const Label& label,
                     const strips::CommonLine<typename Numbers::Line>& line, const strips::OwnStrips& own,
                     const strips::LineField& field, const strips::EndTable<typename Numbers::Line>& ends,
                     const UpdateOf<Numbers>& update);

/// Lines of I - nu Lambda_a whose rows have coefficients of their own; solved in double.
struct OwnSweep {
  strips::OwnLine line;
  VaryingAxis rows;  // D and velocity may be numbers
  NodeValue nu;
};

/// As above, for right-hand sides in double or float.
bool plan_own_rows(const Executor& executor, const strips::StripLayout& layout);
bool plan_own_columns(const Executor& executor, const strips::StripLayout& layout);
template <class T>
void sweep_columns(const Executor& executor, const Label& label, const OwnSweep& sweep, const strips::LineField& field,
                   T* w);
template <class Numbers>
void sweep_columns(const Executor& executor, const Label& label, const OwnSweep& sweep, const strips::LineField& field,
                   const UpdateOf<Numbers>& update);
template <class T>
void sweep_rows(const Executor& executor, const Label& label, const OwnSweep& sweep,
                const strips::ContiguousLines& lines, T* w);

}  // namespace halocline::fractional
