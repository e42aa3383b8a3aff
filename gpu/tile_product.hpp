// TileProduct: C += A B of tiles of 16 x 16 halves with sums in float, by the 32 threads of a warp together; tensor
// cores on GPUs, loops where block kernels run on the host. Included by a .cu after gpu/block_kernel.hpp.
//
// On the host sums run over the columns of A in their order, each product added by fma; tensor cores round in an order
// of their own.
#pragma once

#include "lib/base/fma.hpp"
#include "lib/base/half.hpp"

#if defined(__CUDACC__)
#include <mma.h>
#endif

namespace halocline {

/// Rows and columns of a tile.
constexpr int tile_edge = 16;

/// Beginning with C = 0. All threads of a warp call its functions, with the same arguments. Tiles in memory begin at a
/// multiple of 32 bytes.
class TileProduct {
 public:
#if defined(__CUDACC__)
  __device__ TileProduct() { nvcuda::wmma::fill_fragment(sums_, 0.0F); }
  /// `a` by columns, `distance` values from one to the next, a multiple of 8; `b` by rows without gaps.
  __device__ void add(const Half* a, Index distance, const Half* b) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, tile_edge, tile_edge, tile_edge, __half, col_major> left;
    fragment<matrix_b, tile_edge, tile_edge, tile_edge, __half, row_major> right;
    load_matrix_sync(left, reinterpret_cast<const __half*>(a), static_cast<unsigned>(distance));
    load_matrix_sync(right, reinterpret_cast<const __half*>(b), tile_edge);
    mma_sync(sums_, left, right, sums_);
  }
  /// C by rows without gaps; others see it after __syncwarp().
  __device__ void store(float* c) const {
    nvcuda::wmma::store_matrix_sync(c, sums_, tile_edge, nvcuda::wmma::mem_row_major);
  }

 private:
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, tile_edge, tile_edge, tile_edge, float> sums_;
#else
  void add(const Half* a, Index distance, const Half* b) {
    for (int n = 0; n < own; ++n) {
      const int row = element(n) / tile_edge, column = element(n) % tile_edge;
      for (int k = 0; k < tile_edge; ++k)
        sums_[n] = fma(to_float(b[k * tile_edge + column]), to_float(a[k * distance + row]), sums_[n]);
    }
  }
  void store(float* c) const {
    for (int n = 0; n < own; ++n) c[element(n)] = sums_[n];
  }

 private:
  static constexpr int own = tile_edge * tile_edge / 32;  // elements of a thread
  static int element(int n) { return static_cast<int>(threadIdx.x % 32) * own + n; }
  float sums_[own] = {};
#endif
};

}  // namespace halocline
