// invert_by_elimination: the inverse of a dense matrix, made where an executor computes.
//
// Gauss-Jordan elimination in n steps of n^2 entries, each of which fills a GPU. There is no pivoting: symmetric
// positive definite and diagonally dominant matrices need none, and the result is tested.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/executor.hpp"

namespace halocline {

// Of the n x n matrix `a`, by rows or by columns as `a` is. Nothing where v A^-1 A differs from v by more than
// 16 n eps norm(A) norm(v A^-1) for one of four vectors v of signs, or where norm(A) norm(v A^-1) exceeds 1e13: what is
// returned is as good as invert() of lapack.hpp promises; that one may do better, or find that the matrix is singular.
// norm(A) is the largest sum of sizes of a column, that of a vector its largest size. The executor's memory must hold
// 16 n^2 bytes for a while. Waits for the device.
std::optional<std::vector<double>> invert_by_elimination(const ExecutorPtr& executor, Index n,
                                                         const std::vector<double>& a);

}  // namespace halocline
