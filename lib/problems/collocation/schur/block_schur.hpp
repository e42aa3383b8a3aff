// Red-black Schur complement for general coefficients, any end conditions and meshes: A = [[D_R, H_B], [H_R, D_B]] with
// vertical lines ordered by color, red even, black odd. The iteration runs on S = I - D_B^-1 H_R D_R^-1 H_B on black
// lines; D by block elimination along the lines (block_lines.hpp), H from weights per equation.
//
// T = float computes everything but sums in single precision. Vectors on black lines have the groups of
// line_layout.hpp, kept as plain pointers, one per part of this rank; equations and results are lines of
// nodal_layout.hpp in double. Equations are scaled (row_scaling.hpp), and so must be what reduce() is given.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/discretization/row_scaling.hpp"
#include "lib/problems/collocation/schur/block_schur_kernels.hpp"
#include "mpi/halo.hpp"

namespace halocline::collocation {

template <class T>
class BlockSchur {
 public:
  using In = std::span<const T* const>;
  using Out = std::span<T* const>;

  // Lines first .. end-1 of every part of this rank begin at an even one and end at the mesh's end or before an even
  // one. Throws NumericalError on every rank when elimination along a line meets a singular block or loses more than
  // six digits. Collective.
  BlockSchur(const Communicator& comm, const Team& team, const std::vector<Range<1>>& lines, const Formulation& problem,
             int threads);
  ~BlockSchur();

  // Of vectors on black lines: room for sums, and for double vectors.
  const VectorSpacePtr& space() const { return space_; }
  const LineBlock& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  // Lines whose equations a part needs: its own and the red line that follows, if any.
  const NodalBlock& needed(int part) const;
  // Of their equations.
  const RowScaling& scaling(int part) const;

  // y = S x, x and y different; returns yy and yw. One exchange of two lines per part and neighbor, overlapped
  // with the groups that need none. Bytes per node pair: 2 * 56 numbers of factors and weights, and x, w, y.
  Dots product(In x, Out y, In w) const;

  // b' = D_B^-1 (b_B - H_R D_R^-1 b_R) of factor * b; keeps b_R. b: lines needed(part) of scaled equations, in memory
  // of its executor.
  void reduce(std::span<const double* const> b, double factor, Out b_prime);
  // Red lines from black ones: D_R^-1 (b_R - H_B x).
  void recover(In x);
  // Own lines of `nodal` become, or with `add` grow by, factor * (x, the red lines recovered from x).
  void unpack(In x, double factor, bool add, std::span<double* const> nodal) const;

  const Traffic& sent() const { return halo_->sent(); }
  // Bytes of a part with so many lines of ny + 1 nodes, without vectors of an iteration.
  static std::size_t bytes(Index lines, Index ny);

 private:
  struct Part;
  void exchange_edges(In x) const;
  void finish_edges(In x) const;
  BlockLineGroups<T> groups_of(int part, In x) const;
  void run_product(int part, In x, Out y, In w, bool inner) const;

  const Team* team_;
  std::vector<LineBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<Halo<double>> halo_;
  std::vector<View<const double, 1>> edges_;
  std::vector<View<double, 1>> received_;
};

// The same as an operator on vectors, for the solvers of lib/krylov.
class BlockSchurOperator final : public Operator<double> {
 public:
  explicit BlockSchurOperator(BlockSchur<double>& schur) : schur_(schur) {}
  void apply(const Vector<double>& x, Vector<double>& y) const override { apply_with_dots(x, y, x); }
  Dots apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override;

 private:
  BlockSchur<double>& schur_;
  mutable std::vector<const double*> x_, w_;
  mutable std::vector<double*> y_;
};

}  // namespace halocline::collocation
