// Other libraries' algebraic multigrid on the systems of bench_sparse, for compare_sparse. Preconditioned CG from zero,
// in fp64.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace halocline {

// Rows first, first + 1, ... of a symmetric matrix; columns ascend in every row.
struct PlainSystem {
  std::int64_t first = 0;
  std::vector<std::int64_t> ptr, col;
  std::vector<double> val, rhs;
};

// What one library did in one setting.
struct OtherTimes {
  std::string setting;
  double set_up = 1e300;
  std::vector<double> solve;    // seconds for every tolerance
  std::vector<int> iterations;  // -1: did not converge
};

// Seconds of the slowest rank for some work.
using Timed = std::function<double(const std::function<void()>&)>;

// Sets up and solves once; times of earlier calls stay where they were less. `times`: empty at first.
void run_hypre(MPI_Comm comm, const PlainSystem& system, std::span<const double> tolerances, const Timed& timed,
               std::vector<OtherTimes>& times);
// All rows are on this rank.
void run_amgcl(const PlainSystem& system, std::span<const double> tolerances, const Timed& timed,
               std::vector<OtherTimes>& times);

}  // namespace halocline
