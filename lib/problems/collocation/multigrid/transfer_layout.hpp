// TransferView: the tables of transfers.hpp as kernels read them.
#pragma once

#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

// The line of the mesh that a number from -1 to nx means.
HALOCLINE_HD inline Index line_of_mesh(const NodalBlock& block, Index i) {
  return !block.periodic_x ? i : i < 0 ? i + block.nx : i < block.nx ? i : i - block.nx;
}

// Trivially copyable.
template <class T>
struct TransferView {
  const T* prolong_x;                   // [fine line of the mesh][out 2][in 4]
  const T* restrict_x;                  // [coarse line of the mesh][q 2][4]
  const T *prolong_even, *prolong_odd;  // [out 2][in 4][coarse node, from -margin]: to fine nodes 2j and 2j + 1
  const T* restrict_y;                  // [q 2][4][coarse node, from -margin]
  Index stride;                         // of the tables along y
  HALOCLINE_HD const T* along_y(const T* table, int row, int column) const {
    return table + (row * 4 + column) * stride + NodalBlock::margin;
  }
};

}  // namespace halocline::collocation
