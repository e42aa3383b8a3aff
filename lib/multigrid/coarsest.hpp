// CoarsestSolver: the equations of the coarsest level, solved directly, in double precision or by an inverse that was
// formed in it. The level is replicated: every part does the same, but for parts whose vectors hold nothing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lib/linalg/lapack.hpp"
#include "lib/linalg/vector.hpp"

namespace halocline::multigrid {

template <class T>
class CoarsestSolver {
 public:
  virtual ~CoarsestSolver() = default;
  // u = A^-1 f. Main thread.
  virtual void solve(const Vector<T>& f, Vector<T>& u) = 0;
  virtual bool repeats() const { return false; }  // as Level::repeats()
};

// How the system lies in the vectors of its level.
struct CoarsestLayout {
  std::vector<Index> equations;  // place of every equation in the f of a part
  std::vector<Index> values;     // place in the u of a part of every value that the solution gives there
  // From the unknowns of the system to these values, linear; none: they are the same.
  std::function<std::vector<double>(std::span<const double>)> expand;
};

// Where the inverse of the coarsest matrix is made: by LAPACK on the host of rank 0, with the same bits on every
// device; or, where the first device of rank 0 is a GPU, the matrix is not too small for it and needs no pivoting,
// there, see lib/linalg/elimination.hpp.
enum class InverseBy { host, device };

// What is done where the matrix is singular to working precision: a NumericalError, on all ranks; or, for one whose
// largest entry is about 1, its pseudo-inverse, which takes the part of a right side that has a solution and gives the
// shortest one. An inverse with large entries is then applied in double precision, whatever T.
enum class IfSingular { refuse, least_squares };

// Multiplies by the inverse where the vectors live, in T, by pieces of the columns, whose sums are added in a fixed
// order. `matrix`: n x n by columns, read on rank 0 alone, which inverts it and gives the inverse to all ranks, so that
// all have the same bits. For some thousand unknowns at most: n^2 numbers in the memory of every part that holds the
// vectors.
// Collective.
template <class T>
std::unique_ptr<CoarsestSolver<T>> make_dense_inverse(VectorSpacePtr space, const CoarsestLayout& layout,
                                                      std::vector<double> matrix, InverseBy by = InverseBy::host,
                                                      IfSingular singular = IfSingular::refuse);

// Solves with the factors of a banded matrix on the host, with a copy of the vectors there and back each time; places
// of u that are not in the layout become zero. `matrix`: of no equations on ranks that hold nothing. NumericalError, on
// all ranks, when the matrix is singular. Collective.
template <class T>
std::unique_ptr<CoarsestSolver<T>> make_banded_solver(VectorSpacePtr space, CoarsestLayout layout, BandedMatrix matrix);

}  // namespace halocline::multigrid
