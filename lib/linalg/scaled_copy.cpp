#include "lib/linalg/scaled_copy.hpp"

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/linalg/scaled_copy_kernels.hpp"

namespace halocline {

template <class From, class To>
void scaled_copy(const Executor& executor, const char* name, Index rows, Index size, double factor, const From* from,
                 To* to) {
  require(size % 4 == 0, "scaled_copy: rows of a multiple of 4 numbers");
  const double bytes = static_cast<double>(rows * size) * (sizeof(From) + sizeof(To));
  launch_rows(executor, {name, bytes}, Range<2>{{0, 0}, {rows, size / 4}},
              ScaledCopyBody<From, To>{from, to, factor, size});
}

#define HALOCLINE_INSTANTIATE(From, To) \
  template void scaled_copy(const Executor&, const char*, Index, Index, double, const From*, To*);
HALOCLINE_INSTANTIATE(double, double)
HALOCLINE_INSTANTIATE(double, float)
HALOCLINE_INSTANTIATE(float, double)

}  // namespace halocline
