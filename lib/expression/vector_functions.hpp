// Functions of formulas for rows of values, four at a time in SIMD registers.
//
// From glibc's libmvec (2.35 or later, x86-64 with AVX2): up to 4 units in the last place from the exact value, other
// bits than the scalar functions of apply(), and like them for arguments where a function is not finite. An element's
// value depends on that element alone, whatever row it stands in. Elsewhere rows are left to apply().
#pragma once

#include "lib/expression/program_kernels.hpp"

namespace halocline {

// to[i] = operation(a[i], b[i]) for 0 <= i < count, where a row may be one value for all (`b` is ignored by functions
// of one argument). Rows may coincide. Returns false, with nothing written, for operations that have no such function.
bool apply_in_registers(Operation operation, double* to, const ProgramRow& a, const ProgramRow& b, int count);

}  // namespace halocline
