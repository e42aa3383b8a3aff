// Transfers between the mesh of a level and the one without every second node, as tables along both axes.
//
// Prolongation: the coarse function at the fine nodes, exactly, for the spaces are nested. Restriction of residuals:
// per axis and coarse element, the four fine values are projected on linear functions in the least-squares sense
// (weights h/2) and these evaluated at the two coarse Gauss points.
#pragma once

#include <array>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/multigrid/transfer_layout.hpp"

namespace halocline::collocation {

// Of the fine node's (v, w), [out][in]: in 0, 1 belong to coarse node i/2, 2, 3 to the one behind it (0 for even
// nodes). End conditions hold exactly afterwards: the ends are projected on the tangents, if `project`.
std::array<std::array<double, 4>, 2> prolongation_rows(const Axis& fine, const Axis& coarse, Index node,
                                                       bool project = true);

// Weights of the fine equations that make up the equation q (as in nodal_layout.hpp) of coarse node `node`: those of
// nodes b (q = 1), b + 1 (q = 0), b + 1 (q = 1), b + 2 (q = 0), b = 2 node - 2 + 2q. Zero where there is no equation.
std::array<double, 4> restriction_row(const Axis& fine, const Axis& coarse, Index node, int q);

template <class T>
class Transfers {
 public:
  Transfers(const Axis& fine_x, const Axis& fine_y, const Axis& coarse_x, const Axis& coarse_y,
            const ExecutorPtr& executor, bool project = true);
  const TransferView<T>& view() const { return view_; }

 private:
  Array<T, 1> x_, y_;
  TransferView<T> view_;
};

// u += P e on fine lines `lines`, counted from the first own one; the nearest ones of other parts may be among them.
// `fine`, `coarse`: blocks of the part (of the whole mesh on replicated levels). e: coarse unknowns at these lines and
// next to them.
template <class T>
void prolong_and_add(const Executor& executor, const TransferView<T>& tables, const NodalBlock& fine,
                     const NodalBlock& coarse, Range<1> lines, const NodalLines<T>& e, T* u);

// f = R r on coarse lines first .. end - 1 (of the mesh; they must lie in `coarse`). r: fine residual, first own line;
// two lines before and one behind are read.
template <class T>
void restrict_residual(const Executor& executor, const TransferView<T>& tables, const NodalBlock& fine,
                       const NodalBlock& coarse, Index first, Index end, const T* r, T* f);

}  // namespace halocline::collocation
