#include "lib/amg/ends.hpp"

#include <cmath>

#include "lib/amg/level_kernels.hpp"
#include "lib/linalg/vector_pieces.hpp"

namespace halocline::amg {

double norm_inside(const Ends& ends, const Vector<double>& r) {
  const VectorSpace& space = r.space();
  vector_kernels::check_same_space(r, ends.in);
  space.clear_sums(1);
  vector_kernels::sum_each_group<1>(space, {"norm inside", 16.0}, 0, [&](int part, const vector_kernels::Rows& rows) {
    return NormInsideBody{ends.in.part(part).data, r.part(part).data, rows, space.layout().lane_is_chunk};
  });
  return std::sqrt(space.join_sums<1>()[0]);
}

}  // namespace halocline::amg
