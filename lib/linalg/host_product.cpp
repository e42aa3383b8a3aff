#include "lib/linalg/host_product.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "lib/base/pack.hpp"

namespace halocline {

namespace {

// A tile of the result stays in registers while it goes through `depth` of k; a panel of b (depth x lanes) stays in the
// first cache, the packed rows of a (at_once x depth) in the second.
constexpr Index tile = 6, depth = 256, at_once = 32 * tile;

struct Room {
  alignas(64) double a[at_once * depth];
  alignas(64) double b[depth * lanes];
  alignas(64) double c[tile * lanes];
};

// Rows first .. first + count of a, tile by tile: [k][row in tile], rows that do not exist zero.
void pack_rows(const double* a, Index lda, Index count, Index deep, double* to) {
  for (Index i = 0; i < count; i += tile, to += tile * deep)
    for (Index r = 0; r < tile; ++r)
      for (Index k = 0; k < deep; ++k) to[k * tile + r] = i + r < count ? a[(i + r) * lda + k] : 0;
}

void pack_panel(const double* b, Index ldb, Index columns, Index deep, double* to) {
  for (Index k = 0; k < deep; ++k, to += lanes) {
    if (columns == lanes) {
      std::memcpy(to, b + k * ldb, lanes * sizeof(double));
    } else {
      for (Index j = 0; j < lanes; ++j) to[j] = j < columns ? b[k * ldb + j] : 0;
    }
  }
}

// c[tile][lanes] = a b of packed a and b.
void multiply_tile(Index deep, const double* a, const double* b, double* c) {
  Pack<double> sum[tile];
  for (Pack<double>& row : sum) row = zero<Pack<double>>();
  for (Index k = 0; k < deep; ++k, a += tile, b += lanes) {
    const auto right = load<Pack<double>>(b);
    for (Index r = 0; r < tile; ++r) sum[r] = sum[r] + a[r] * right;
  }
  for (Index r = 0; r < tile; ++r) store(c + r * lanes, sum[r]);
}

void add_tile(const double* tile_sum, Index rows, Index columns, double beta, double* c, Index ldc) {
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < columns; ++j)
      c[r * ldc + j] = beta == 0 ? tile_sum[r * lanes + j] : beta * c[r * ldc + j] + tile_sum[r * lanes + j];
}

void multiply_rows(Room& room, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
                   double beta, double* c, Index ldc) {
  for (Index first = 0; first < k; first += depth) {
    const Index deep = std::min(depth, k - first);
    pack_rows(a + first, lda, m, deep, room.a);
    for (Index j = 0; j < n; j += lanes) {
      const Index columns = std::min<Index>(lanes, n - j);
      pack_panel(b + first * ldb + j, ldb, columns, deep, room.b);
      for (Index i = 0; i < m; i += tile) {
        multiply_tile(deep, room.a + i * deep, room.b, room.c);
        add_tile(room.c, std::min(tile, m - i), columns, first == 0 ? beta : 1, c + i * ldc + j, ldc);
      }
    }
  }
}

}  // namespace

void host_multiply(int threads, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
                   double beta, double* c, Index ldc) {
  // Equal shares, so that no thread waits for another's odd piece.
  const Index rounds = (m + at_once * threads - 1) / (at_once * threads), pieces = rounds * threads;
  const Index share = std::max<Index>(1, (m + pieces * tile - 1) / (pieces * tile)) * tile;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const auto room = std::make_unique<Room>();
#pragma omp for schedule(dynamic)
    for (Index i = 0; i < m; i += share)
      multiply_rows(*room, std::min(share, m - i), n, k, a + i * lda, lda, b, ldb, beta, c + i * ldc, ldc);
  }
}

}  // namespace halocline
