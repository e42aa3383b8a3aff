// ClosedBasis: eigenvectors of one-dimensional collocation on equal elements in closed form, section 6a of the method:
// K2 z = mu K0 z has trigonometric eigenvectors when both ends are Dirichlet or both Neumann (Dyksen, Purdue CSD-TR
// 98-001). Bins and pairs of columns as in closed_kernels.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/direct/closed_blocks.hpp"
#include "lib/problems/collocation/direct/fourier.hpp"

namespace halocline::collocation {

// Why an axis has no closed form, if so: "has elements of different lengths", "has a Robin condition", ...
std::optional<std::string> no_closed_form(const Axis& axis);

// Tables of an axis, [k] = 0 .. n: value[k][2] eigenvalues of K2 z = mu K0 z, and the matrices of ClosedView.
struct ClosedTables {
  std::vector<double> value, into, out;
};
ClosedTables closed_tables(const Axis& axis);

// The tables and the Fourier transform in memory of an executor. Eigenvalues become scale * value + shift.
class ClosedBasis {
 public:
  ClosedBasis(const Axis& axis, const ClosedTables& tables, double scale, double shift, const ExecutorPtr& executor);
  const ClosedView& view() const { return view_; }
  const FourierView& fourier() const { return fourier_.view(); }
  const ExecutorPtr& executor() const { return executor_; }

  // Equations of `lines` lines to coefficients, and coefficients to unknowns. f and x as nodal_layout.hpp describes, a
  // line `line_size` apart, components `stride` apart, node 0 at f and x. x may be f. Traffic: read and write once.
  void analyze(Index lines, Index line_size, Index stride, const double* f, double* x);
  void synthesize(Index lines, Index line_size, Index stride, double* x);
  // Across n + 1 lines, for `columns` nodes along them (a multiple of eight is read and written, from x on, which is
  // aligned to 64 bytes): equations of operator + shift to unknowns. shifts[0 .. columns), shifts[stride + ..]: of
  // components 0, 1 and 2, 3.
  void solve_across(Index columns, Index line_size, Index stride, double* x, const double* shifts, Index shift_stride);

 private:
  ClosedGroups groups(Index count);
  double* work(Index numbers);
  // use(lines, offset, work) for some lines after the other, `offset` where they begin.
  template <class Use>
  void split_lines(const SplitView& split, Index lines, Index line_size, const Use& use);
  ExecutorPtr executor_;
  Fourier fourier_;
  Array<double, 1> value_, into_, out_, work_;
  ClosedView view_{};
};

}  // namespace halocline::collocation
