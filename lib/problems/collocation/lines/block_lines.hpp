// BlockLines: factors of the block-tridiagonal systems of whole grid lines of one part, for general coefficients.
//
// Block Gaussian elimination along the line with pivoting inside 4 x 4 node blocks alone; errors stay below 2e-13 for
// line condition numbers up to 1e4. Stored per node: 32 numbers. Layout of groups and factors: block_lines_kernels.hpp.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/collocation/lines/block_lines_kernels.hpp"

namespace halocline::collocation {

template <class T>
class BlockLines {
 public:
  // `lines`: own lines of view.block (along y) or nodes 0 .. ny (along x), in any order, by groups of eight; -1 for
  // none, behind the lines of its group where solve() is used. Lines along x are cut at the ends of the part: couplings
  // to other parts' lines are left out. Equations may be more precise than the factors. `most_growth`: how much larger
  // than its row a term that is taken from it may be; beyond, the block counts as singular.
  template <class S>
  BlockLines(const EquationView<S>& view, Along along, const std::vector<Index>& lines, const ExecutorPtr& executor,
             double most_growth = std::numeric_limits<double>::infinity());

  // The line (as in `lines`) and the node along it whose block is singular, if any; its factors are useless.
  struct Singular {
    Index line, node;
  };
  const std::optional<Singular>& singular() const { return singular_; }

  Index groups() const { return groups_; }
  Index nodes() const { return nodes_; }  // of a line
  // Whether lines go around: those along a periodic axis that are not cut. Their nodes have more factors.
  bool rings() const { return rings_; }
  const T* factors() const { return factors_.view().data; }

  // x += D^-1 r (or x = D^-1 r without `add`) on these lines, D the blocks of the lines alone. r and x have the layout
  // of nodal_layout.hpp; other lines of x stay. Reads 36 numbers per node, r and x; writes x.
  void solve(const T* r, T* x, bool add) const;

 private:
  Index numbers_of_node() const { return rings_ ? factors_per_node<true> : factors_per_node<false>; }
  template <bool Ring, class S>
  void factor(const EquationView<S>& view, S most_growth, Index* singular);
  template <bool Ring>
  void run(const T* r, T* x, bool add) const;

  ExecutorPtr executor_;
  NodalBlock block_;
  Along along_;
  bool rings_;
  Index groups_, nodes_;
  Array<Index, 1> lines_;
  Array<T, 1> factors_;
  mutable Array<T, 1> scratch_;
  std::optional<Singular> singular_;
};

// 0 .. count-1 of one color (even: 0, odd: 1; counted from `first`), filled up to whole groups with -1.
std::vector<Index> lines_of_color(Index first, Index count, int color);

}  // namespace halocline::collocation
