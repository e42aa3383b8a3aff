// SchurProduct: how one part computes y = (I - D_B^-1 H_R D_R^-1 H_B) x on a range of its groups.
//
// On the host a thread rolls over neighboring groups and keeps red lines in cache; a device with many threads cuts the
// lines into chunks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/base/exact_sum.hpp"
#include "lib/base/executor.hpp"
#include "lib/problems/collocation/lines.hpp"
#include "lib/problems/collocation/schur_kernels.hpp"

namespace halocline::collocation {

enum class ProductMethod { automatic, rolling, chunked };

// Pointers into memory of the part's executor; y and w have the layout of black lines.
struct ProductData {
  BlackLines black;
  const double* w;
  double* y;
  const Index* lengths;  // black lines per lane
};

class SchurProduct {
 public:
  virtual ~SchurProduct() = default;
  // Groups begin .. end-1 of y; adds their {(y, y), (y, w)} to `sums`.
  virtual void run(const ProductData& data, Index begin, Index end, std::span<ExactSum, 2> sums) = 0;
};

// `coefficients` as line_coefficients() gives them; `on_device`: their copy in memory of the executor, which must
// outlive the product. Automatic: chunked on a GPU, else rolling.
std::unique_ptr<SchurProduct> make_schur_product(ProductMethod method, ExecutorPtr executor, const LineBlock& block,
                                                 const std::vector<double>& coefficients, const double* on_device);

}  // namespace halocline::collocation
