// Stands for spgemm_hash.cu in a build without CUDA.
#include "lib/base/error.hpp"
#include "lib/linalg/sparse/cuda/spgemm_hash.hpp"

namespace halocline::sparse {

Index bytes_of_table(Index) { return 0; }
void count_by_hash(const Executor&, const HashRows&, Index*, const FullRows&) {
  throw InternalError("count_by_hash in a build without CUDA");
}
void sum_by_hash(const Executor&, const HashRows&, const MadeRows&) {
  throw InternalError("sum_by_hash in a build without CUDA");
}
void sum_known_by_hash(const Executor&, const HashRows&, const KnownProduct&) {
  throw InternalError("sum_known_by_hash in a build without CUDA");
}

}  // namespace halocline::sparse
