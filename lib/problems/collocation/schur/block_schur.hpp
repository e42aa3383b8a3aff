// Red-black Schur complement for general coefficients, any end conditions and meshes: A = [[D_R, H_B], [H_R, D_B]] with
// vertical lines ordered by color, red even, black odd. The iteration runs on S = I - D_B^-1 H_R D_R^-1 H_B on black
// lines; D by block elimination along the lines (block_lines.hpp), H from weights per equation.
//
// T = float computes everything but sums in single precision. Vectors on black lines have the groups of
// line_layout.hpp; equations and results are vectors of double of all lines, in the layout of nodal_layout.hpp.
// Equations are scaled (row_scaling.hpp), and so must be what reduce() is given.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/discretization/row_scaling.hpp"
#include "lib/problems/collocation/schur/block_schur_kernels.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::collocation {

template <class T>
class BlockSchur final : public Operator<T> {
 public:
  // `blocks`: of every part of this rank; they begin at an even line and end at the mesh's end or before an even one.
  // Throws NumericalError on every rank when elimination along a line meets a singular block or loses more than
  // six digits. Collective.
  BlockSchur(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
             const Formulation& problem, int threads);
  ~BlockSchur() override;

  // Of vectors on black lines.
  const VectorSpacePtr& space() const { return space_; }
  const LineBlock& block(int part) const { return blocks_[static_cast<std::size_t>(part)]; }
  // Of the equations of a part's own lines.
  const RowScaling& scaling(int part) const;

  // y = S x. One exchange of two lines per part and neighbor, overlapped with the groups that need none. Bytes per node
  // pair: 2 * 56 numbers of factors and weights, and x, w, y.
  void apply(const Vector<T>& x, Vector<T>& y) const override { apply_with_dots(x, y, x); }
  Dots apply_with_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const override;
  // One pass where s is x.
  StepSums apply_with_step_sums(const Vector<T>& x, Vector<T>& t, const Vector<T>& s,
                                const Vector<T>& r0) const override;

  // b' = D_B^-1 (b_B - H_R D_R^-1 b_R) of factor * b; keeps b_R. Collective.
  void reduce(const Vector<double>& b, double factor, Vector<T>& b_prime);
  // Red lines from black ones: D_R^-1 (b_R - H_B x). Collective.
  void recover(const Vector<T>& x);
  // all = factor * (x, the red lines recovered from x)
  void unpack(const Vector<T>& x, double factor, Vector<double>& all) const;

  Traffic sent() const { return edge_halo_->sent() + first_line_halo_->sent(); }
  // Bytes of a part with so many lines of ny + 1 nodes, without vectors of an iteration.
  static std::size_t bytes(Index lines, Index ny);

 private:
  struct Part;
  void exchange_edges(const Vector<T>& x) const;
  void finish_edges(const Vector<T>& x) const;
  void exchange_first_lines(const Vector<double>& b);
  BlockLineGroups<T> groups_of(int part, const Vector<T>& x) const;
  template <class Call>
  void with_ring(int part, const Call& call) const;
  template <int K>
  std::array<double, K> multiply(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const;
  template <bool Ring, int K>
  void run_product(int part, const Vector<T>& x, Vector<T>& y, const Vector<T>& w, bool inner) const;

  const Team* team_;
  std::vector<LineBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<Halo<double>> edge_halo_, first_line_halo_;
  std::vector<View<const double, 1>> edges_;
  std::vector<View<double, 1>> received_edges_, received_lines_;
};

}  // namespace halocline::collocation
