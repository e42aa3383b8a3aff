// Bodies that collect values of an index set into a dense buffer and put them back, and the functions that launch them.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"

namespace halocline {

// Position of the n-th element of a strided box, the last direction fastest.
struct BoxPositions {
  Index offset;
  LocalIndex extent1, extent2;
  Index stride0, stride1, stride2;
  HALOCLINE_HD Index operator()(Index n) const {
    const auto element = static_cast<LocalIndex>(n);
    const LocalIndex line = element / extent2;
    return offset + (line / extent1) * stride0 + (line % extent1) * stride1 + (element % extent2) * stride2;
  }
};

struct ListPositions {
  View<const Index, 1> list;
  HALOCLINE_HD Index operator()(Index n) const { return list(n); }
};

template <class T, class Positions>
struct GatherBody {
  View<const T, 1> from;
  View<T, 1> buffer;
  Positions position;
  HALOCLINE_HD void operator()(Index n) const { buffer(n) = from(position(n)); }
};

template <class T, class Positions>
struct ScatterBody {
  View<const T, 1> buffer;
  View<T, 1> to;
  Positions position;
  HALOCLINE_HD void operator()(Index n) const { to(position(n)) = buffer(n); }
};

// Where values go whose numbers begin at begin[k]: to[k], from k = 0 on, whose begin is 0.
template <class T>
struct Stretches {
  static constexpr int most = 8;
  int count = 0;
  Index begin[most] = {};
  T* to[most] = {};
};
template <class T>
struct SpreadBody {
  View<const T, 1> from;
  ListPositions position;
  Stretches<T> stretches;
  HALOCLINE_HD void operator()(Index n) const {
    T* to = stretches.to[0];
    Index begin = 0;
    for (int k = 1; k < Stretches<T>::most; ++k) {
      if (k >= stretches.count || n < stretches.begin[k]) continue;
      to = stretches.to[k];
      begin = stretches.begin[k];
    }
    to[n - begin] = from(position(n));
  }
};

// On the compute queue; the buffer's size is the number of elements. For T = double, float, std::int32_t, std::int64_t
// and Positions = BoxPositions, ListPositions.
template <class T, class Positions>
void gather(const Executor& executor, View<const T, 1> from, const Positions& position, View<T, 1> buffer);
template <class T, class Positions>
void scatter(const Executor& executor, View<const T, 1> buffer, const Positions& position, View<T, 1> to);
// The same into several stretches, which may be memory of other devices that this one's kernels reach.
template <class T>
void spread(const Executor& executor, View<const T, 1> from, const ListPositions& position,
            const Stretches<T>& stretches);

}  // namespace halocline
