// Rows of a source whose formula tells how many entries lie before a row. For sources that launch kernels.
#pragma once

#include "gpu/launch.hpp"
#include "lib/linalg/sparse/global_rows.hpp"

namespace halocline::sparse {

// Rows from `first` on, [row - first]; ptr has one number more.
template <class EntriesBefore>
struct RowPointersBody {
  EntriesBefore before;
  Index first;
  View<Index, 1> ptr;
  HALOCLINE_HD void operator()(Index n) const { ptr(n) = before(first + n) - before(first); }
};

// Rows `own` with the places of their entries, which are not written. `before`: a functor of hosts and devices.
template <class EntriesBefore>
GlobalRows make_counted_rows(const ExecutorPtr& executor, const char* name, const Range<1>& own,
                             const EntriesBefore& before) {
  const Index first = own.lo[0], rows = own.extent(0), entries = before(own.hi[0]) - before(first);
  GlobalRows made{{executor, {rows + 1}}, {executor, {entries}}, {executor, {entries}}};
  launch(*executor, {name, 8.0 * static_cast<double>(rows)}, Range<1>{{0}, {rows + 1}},
         RowPointersBody<EntriesBefore>{before, first, made.ptr.view()});
  return made;
}

}  // namespace halocline::sparse
