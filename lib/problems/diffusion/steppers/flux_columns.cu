// A step in flux form away from walls. A thread owns a column of cells along the slow axis and keeps the values of c
// and D around the last one: every value comes from memory once, from the first cache where a neighbor has asked for
// it.
#include "gpu/block_kernel.hpp"
#include "lib/problems/diffusion/steppers/flux_passes.hpp"

namespace halocline::diffusion {
namespace {

constexpr int column_threads = 256;
constexpr Index column_cells = 16, cells_ahead = 2;  // of a thread; prefetched

// The values of an array in a column: the last cell, this one and the next.
struct Column {
  const double* here;
  Index stride;
  double low, middle, high = 0;
  __device__ Column(const double* first, Index slow_stride)
      : here(first), stride(slow_stride), low(first[-slow_stride]), middle(first[0]) {}
  __device__ void read() { high = here[stride]; }
  __device__ void rise() {
    low = middle, middle = high;
    here += stride;
  }
};

template <FaceMean M, int Dimensions>
__global__ void __launch_bounds__(column_threads) flux_columns(ConvolveBlock<double> b, FluxTerms f, Range<3> box) {
  constexpr int slow = Dimensions == 3 ? 0 : 1;  // in the box
  const Index x = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index y = Dimensions == 3 ? box.lo[1] + static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y : box.lo[1];
  if (x < box.lo[2] || x >= box.hi[2] || y >= box.hi[1]) return;
  const Index begin = box.lo[slow] + static_cast<Index>(blockIdx.z) * column_cells;
  const Index end = begin + column_cells < box.hi[slow] ? begin + column_cells : box.hi[slow];
  Index place = Dimensions == 3 ? b.offset(begin, y, x) : b.offset(0, begin, x);
  constexpr bool varies = M != FaceMean::constant;
  Column c(b.c + place, b.slow_stride()), D((varies ? f.D : b.c) + place, b.slow_stride());
  for (Index n = begin; n < end; ++n, place += b.slow_stride()) {
    if (n + cells_ahead < end) {
      prefetch(c.here + (cells_ahead + 1) * c.stride);
      if (varies) prefetch(D.here + (cells_ahead + 1) * c.stride);
    }
    c.read();
    if (varies) D.read();
    const auto around = [&](const Column& column) {
      return [&](int dz, int dy, int dx) {
        const int along = Dimensions == 3 ? dz : dy, beside = Dimensions == 3 ? dy : 0;
        if (along != 0) return along < 0 ? column.low : column.high;
        return beside == 0 && dx == 0 ? column.middle : column.here[beside * b.pitch + dx];
      };
    };
    const auto D_around = around(D);
    const auto face = [&](int dz, int dy, int dx) { return flux::between<M>(D.middle, D_around(dz, dy, dx)); };
    b.next[place] = flux::update<M, Dimensions>(f, around(c), face, f.source ? f.source[place] : 0);
    c.rise(), D.rise();
  }
}

unsigned pieces(Index count, Index of) { return static_cast<unsigned>((count + of - 1) / of); }

template <FaceMean M, int Dimensions>
void start(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, const Range<3>& box) {
  const unsigned wide = Dimensions == 3 ? 32 : column_threads, high = column_threads / wide;
  const dim3 grid(pieces(box.hi[2], wide), Dimensions == 3 ? pieces(box.extent(1), high) : 1,
                  pieces(box.extent(Dimensions == 3 ? 0 : 1), column_cells));
  const double arrays = 2.0 + (f.D != nullptr) + (f.source != nullptr);
  const Label label{"flux", arrays * sizeof(double) * static_cast<double>(box.size())};
  launch_blocks(executor, label, {grid, {wide, high}}, flux_columns<M, Dimensions>, b, f, box);
}

}  // namespace

bool plan_flux(const Executor& executor) { return runs_block_kernels(executor); }

void pass_flux(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, FaceMean mean,
               const Range<3>& box) {
  if (box.size() == 0) return;
  const auto run = [&](auto start_2d, auto start_3d) {
    (b.dimensions == 3 ? start_3d : start_2d)(executor, b, f, box);
  };
  switch (mean) {
    case FaceMean::constant:
      return run(start<FaceMean::constant, 2>, start<FaceMean::constant, 3>);
    case FaceMean::harmonic:
      return run(start<FaceMean::harmonic, 2>, start<FaceMean::harmonic, 3>);
    case FaceMean::arithmetic:
      return run(start<FaceMean::arithmetic, 2>, start<FaceMean::arithmetic, 3>);
  }
}

}  // namespace halocline::diffusion
