// SchurProduct: how one part computes y = (I - D_B^-1 H_R D_R^-1 H_B) x on a range of its groups.
//
// On the host a thread rolls over neighboring groups and keeps red lines in cache; a device with many threads cuts the
// lines into tiles that blocks of threads solve together (lib/problems/collocation/schur/line_kernels.hpp), or into
// chunks of one thread.
#pragma once

#include <memory>
#include <vector>

#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/problems/collocation/discretization/line_layout.hpp"
#include "lib/problems/collocation/schur/schur_kernels.hpp"

namespace halocline::collocation {

// Rolling is for the host alone, tiled for CUDA alone and only where can_solve_lines() says so.
enum class ProductMethod { automatic, rolling, chunked, tiled };

// Pointers into memory of the part's executor; y and w have the layout of black lines.
struct ProductData {
  LineGroups black;
  const double* w;
  double* y;
  const Index* lengths;  // black lines per lane
  // Of the ghost groups, see LineSolve.
  const GhostSource* sources;
  const double* halo;
};

// Where {(y, y), (y, w)} go, or the five of ProductDots, in the order of StepSums with t = y, s = x and r0 = w: to
// accumulators of the host, added to them at the latest with the sums of a call that is `last`; or rounded to memory of
// the device, without a wait, for calls with all groups.
struct ProductSums {
  int count = 2;             // or five
  ExactSum* host = nullptr;  // so many
  bool last = true;
  double* device = nullptr;  // instead
};

class SchurProduct {
 public:
  virtual ~SchurProduct() = default;
  // Whether ghost groups are to lie in data.black.ghost; else they are read where they come from.
  virtual bool needs_ghosts() const { return true; }
  // Groups begin .. end-1 of y and their sums.
  virtual void run(const ProductData& data, Index begin, Index end, const ProductSums& sums) = 0;
};

// `coefficients` as line_coefficients() gives them; `on_device`: their copy in memory of the executor, which must
// outlive the product. Automatic: on a GPU tiled if possible, else chunked; on the host rolling.
std::unique_ptr<SchurProduct> make_schur_product(ProductMethod method, ExecutorPtr executor, const LineBlock& block,
                                                 const std::vector<double>& coefficients, const double* on_device);

}  // namespace halocline::collocation
