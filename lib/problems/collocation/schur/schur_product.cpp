#include "lib/problems/collocation/schur/schur_product.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"
#include "lib/problems/collocation/schur/chunked_kernels.hpp"
#include "lib/problems/collocation/schur/line_kernels.hpp"
#include "lib/problems/collocation/schur/line_matrices.hpp"

namespace halocline::collocation {

namespace {

// What profiles count for `count` groups of `size` numbers, each moved `times` times.
double bytes_of(Index count, Index size, int times) {
  return static_cast<double>(count * size * times) * sizeof(double);
}

// 1 where w is to be read beside x.
int reads_of_w(const ProductData& data) { return data.w == data.black.x ? 0 : 1; }

template <int K, class Body>
void run_with_sums(const Executor& executor, const Label& label, Index groups, Index pieces, const Body& body,
                   const ProductSums& sums) {
  if (sums.device != nullptr) {
    end_lanes<K>(executor, label, groups, pieces, body, vector_kernels::StoreSums<K>{sums.device});
  } else {
    sum_lanes<K>(executor, label, groups, pieces, body, std::span<ExactSum, K>(sums.host, K));
  }
}

// Calls run(K), K a constant.
template <class Run>
void with_count(const ProductSums& sums, const Run& run) {
  sums.count == 2 ? run(std::integral_constant<int, 2>{}) : run(std::integral_constant<int, 5>{});
}

// Traffic per group: reads x and w, writes y.
class RollingProduct final : public SchurProduct {
 public:
  RollingProduct(ExecutorPtr executor, const LineBlock& block, const double* coefficients)
      : executor_(std::move(executor)),
        elements_(block.rows / 2),
        coefficients_(coefficients),
        scratch_(executor_, {executor_->threads() * 4 * block.rows * lanes}) {}

  void run(const ProductData& data, Index begin, Index end, const ProductSums& sums) override {
    const Index ranges = std::min<Index>(executor_->threads(), end - begin);
    const double bytes = bytes_of(end - begin, data.black.group_size, 2 + reads_of_w(data));
    with_count(sums, [&]<int K>(std::integral_constant<int, K>) {
      run_with_sums<K>(*executor_, {"schur product", bytes}, ranges, 1,
                       SchurBody<K>{coefficients_, data.black, data.w, data.y, begin, end, ranges, scratch_.view().data,
                                    data.lengths, elements_},
                       sums);
    });
  }

 private:
  ExecutorPtr executor_;
  Index elements_;
  const double* coefficients_;
  Array<double, 1> scratch_;
};

// Traffic per group: eliminate reads two groups (one from cache) and writes one, substitute reads and writes one,
// twice, and w: 10 groups in all, beside what the chunks' early starts read again, from cache.
class ChunkedProduct final : public SchurProduct {
 public:
  ChunkedProduct(ExecutorPtr executor, const LineBlock& block, const double* coefficients, Index warm_up)
      : executor_(std::move(executor)),
        size_(block.group_size()),
        coefficients_(coefficients),
        z_(executor_, {(block.groups() + 1) * size_}),
        red_(executor_, {(block.groups() + 1) * size_}) {
    chunks_ = {block.rows / 2, std::max<Index>(32, warm_up), warm_up};
  }

  void run(const ProductData& data, Index begin, Index end, const ProductSums& sums) override {
    const double* c = coefficients_;
    double *z = z_.view().data, *red = red_.view().data;
    const Index reds = end - begin + 1, pieces = chunks_.count();
    const double two = bytes_of(reds, size_, 2), last = bytes_of(end - begin, size_, 3 + reads_of_w(data));
    launch_lanes(*executor_, {"schur eliminate red", two}, reds, pieces,
                 EliminateBody{c, data.black, -1, z, begin, chunks_});
    launch_lanes(*executor_, {"schur substitute red", two}, reds, pieces,
                 SubstituteRedBody{c, z, red, begin, size_, chunks_});
    const LineGroups reds_in_a_row{red, nullptr, end + 3, size_};  // no ghost group is reached
    launch_lanes(*executor_, {"schur eliminate black", two}, end - begin, pieces,
                 EliminateBody{c, reds_in_a_row, 0, z, begin, chunks_});
    with_count(sums, [&]<int K>(std::integral_constant<int, K>) {
      run_with_sums<K>(*executor_, {"schur substitute black", last}, end - begin, pieces,
                       SubstituteBlackBody<K>{c, z, data.black, data.w, data.y, data.lengths, begin, chunks_}, sums);
    });
  }

 private:
  ExecutorPtr executor_;
  Index size_;
  const double* coefficients_;
  Array<double, 1> z_, red_;
  Chunks chunks_{};
};

// Two passes, red and black. Traffic per group: reads two groups (one from cache) and writes one, twice, and reads x
// and w: 6 groups in all, 5 where w is x.
class TiledProduct final : public SchurProduct {
 public:
  TiledProduct(ExecutorPtr executor, const LineBlock& block, const double* coefficients, Index warm_up)
      : executor_(std::move(executor)),
        elements_(block.rows / 2),
        size_(block.group_size()),
        warm_up_(warm_up),
        coefficients_(coefficients),
        red_(executor_, {(block.groups() + 1) * size_}) {}

  bool needs_ghosts() const override { return false; }

  void run(const ProductData& data, Index begin, Index end, const ProductSums& sums) override {
    double* red = red_.view().data;
    LineSolve lines{coefficients_, elements_, warm_up_, data.black, data.sources, data.halo, -1, begin, end + 1, red};
    solve_lines(*executor_, {"schur red lines", bytes_of(end + 1 - begin, size_, 2)}, lines);
    lines.neighbors = {red, nullptr, end + 3, size_};  // no ghost group is reached
    lines.sources = nullptr;
    lines.left = 0;
    lines.end = end;
    lines.target = data.y;
    lines.minuend = {data.black.x, nullptr, end + 3, size_};  // lines of this part, or zero
    lines.weight = sums.count == 2 && data.w == data.black.x ? nullptr : data.w;
    lines.lengths = data.lengths;
    lines.sums = sums.count;
    const double bytes = bytes_of(end - begin, size_, 3 + reads_of_w(data));
    const Label label{"schur black lines", bytes};
    if (sums.device != nullptr) {
      solve_lines(*executor_, label, lines, sums.device);
    } else {
      solve_lines(*executor_, label, lines, {sums.host, static_cast<std::size_t>(sums.count)}, sums.last);
    }
  }

 private:
  ExecutorPtr executor_;
  Index elements_, size_, warm_up_;
  const double* coefficients_;
  Array<double, 1> red_;
};

}  // namespace

std::unique_ptr<SchurProduct> make_schur_product(ProductMethod method, ExecutorPtr executor, const LineBlock& block,
                                                 const std::vector<double>& coefficients, const double* on_device) {
  const Index warm_up = warm_up_elements(coefficients);
  if (method == ProductMethod::automatic)
    method = executor->backend() != Backend::cuda                  ? ProductMethod::rolling
             : can_solve_lines(*executor, block.rows / 2, warm_up) ? ProductMethod::tiled
                                                                   : ProductMethod::chunked;
  require(method != ProductMethod::tiled || can_solve_lines(*executor, block.rows / 2, warm_up),
          "SchurProduct: these lines cannot be tiled");
  switch (method) {
    case ProductMethod::tiled:
      return std::make_unique<TiledProduct>(std::move(executor), block, on_device, warm_up);
    case ProductMethod::chunked:
      return std::make_unique<ChunkedProduct>(std::move(executor), block, on_device, warm_up);
    default:
      return std::make_unique<RollingProduct>(std::move(executor), block, on_device);
  }
}

}  // namespace halocline::collocation
