// View: a non-owning multi-dimensional window on memory of one executor, last index contiguous. Range: a box of
// indices.
#pragma once

#include "lib/base/types.hpp"

#if !defined(NDEBUG) && !defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
#include <cstdlib>
#endif

namespace halocline {

// Half-open box lo[d] <= i[d] < hi[d].
template <int Rank>
struct Range {
  Index lo[Rank];
  Index hi[Rank];
  HALOCLINE_HD Index extent(int d) const { return hi[d] > lo[d] ? hi[d] - lo[d] : 0; }
  HALOCLINE_HD Index size() const {
    Index n = 1;
    for (int d = 0; d < Rank; ++d) n *= extent(d);
    return n;
  }
  friend bool operator==(const Range&, const Range&) = default;
};

template <class T, int Rank>
struct View {
  T* data = nullptr;
  Index extent[Rank] = {};
  Index stride[Rank] = {};  // stride[Rank-1] == 1 by construction

  View() = default;
  // A dense block of the given extents, last index fastest.
  template <class... I>
  HALOCLINE_HD explicit View(T* start, I... extents) : data(start), extent{static_cast<Index>(extents)...} {
    static_assert(sizeof...(I) == Rank);
    Index step = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      stride[d] = step;
      step *= extent[d];
    }
  }
  // Conversion to a read-only view.
  template <class U>
  requires(__is_same(U, const T) && !__is_same(U, T)) HALOCLINE_HD operator View<U, Rank>() const {
    View<U, Rank> v;
    v.data = data;
    for (int d = 0; d < Rank; ++d) {
      v.extent[d] = extent[d];
      v.stride[d] = stride[d];
    }
    return v;
  }
  HALOCLINE_HD Index size() const {
    Index n = 1;
    for (int d = 0; d < Rank; ++d) n *= extent[d];
    return n;
  }
  template <class... I>
  HALOCLINE_HD T& operator()(I... i) const {
    static_assert(sizeof...(I) == Rank);
    const Index index[Rank] = {static_cast<Index>(i)...};
    Index offset = 0;
    for (int d = 0; d < Rank; ++d) {
#if !defined(NDEBUG) && !defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
      if (index[d] < 0 || index[d] >= extent[d]) std::abort();
#endif
      offset += index[d] * stride[d];
    }
    return data[offset];
  }
};

}  // namespace halocline
