// Rows of others that parts of a level hold, so that a visit of a cycle exchanges twice there, in place of four times;
// see level.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "lib/amg/setup/coarsening.hpp"
#include "lib/linalg/sparse/formats/row_pattern.hpp"

namespace halocline::amg {

// two, four: on all distributed levels behind the finest; automatic: two where rows of others take less than what the
// exchanges take that they save.
enum class Exchanges { automatic, two, four };

// Seconds of the largest part: an exchange; products with the rows of the matrix and of the interpolation, behind which
// exchanges are hidden; what rows of others take in a visit.
struct VisitTimes {
  double exchange = 0, product = 0, transfer = 0, others = 0;
  // `residuals`: those of others are formed too, or corrections alone.
  bool two_exchanges_pay(bool residuals) const {
    const double saved = std::max(0.0, exchange - product) + (residuals ? std::max(0.0, exchange - transfer) : 0);
    return others < saved;
  }
};
// What an exchange takes, and how fast rows are read, in seconds and bytes per second, of GPUs of several nodes.
inline constexpr double gpu_exchange = 18e-6, gpu_rate = 3e12;

// Whether the level is to hold such rows, with those for residuals where `residuals`; numbers of `bytes` each. By a
// model of rows and ghosts of the largest part, the same on all ranks. Collective.
bool wants_rows_of_others(const Stage& stage, Exchanges wanted, bool residuals, std::size_t bytes);

// Makes them. Collective.
void hold_others(Stage& stage, const Stage& next, bool residuals);

// In what order they are stored behind own rows, and where vectors of the level with the ghosts of `square` hold them.
sparse::StorageOrderPtr order_with_others(const sparse::HeldRows& held, const sparse::StorageOrder& own,
                                          const sparse::RowSpace& rows);
std::vector<sparse::PlacesOfOthers> places_of_others(const sparse::HeldRows& held, const sparse::DistCrs& square);

}  // namespace halocline::amg
