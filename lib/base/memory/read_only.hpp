// read_only: reads of memory that a kernel does not write, which a GPU need not keep in order with its writes.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

template <class T>
HALOCLINE_HD T read_only(const T* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  return *from;
#endif
}

}  // namespace halocline
