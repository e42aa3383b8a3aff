// Rows of a source whose formula tells how many entries a row has, or lie before it. For sources that launch kernels.
#pragma once

#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
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

// The same where entries are known row by row; they are added up.
template <class EntriesOf>
struct CountEntriesBody {
  EntriesOf of;
  Index first;
  View<Index, 1> counts;
  HALOCLINE_HD void operator()(Index n) const { counts(n) = of(first + n); }
};

template <class EntriesOf>
GlobalRows make_added_rows(const ExecutorPtr& executor, const char* name, const Range<1>& own, const EntriesOf& of) {
  const Index first = own.lo[0], rows = own.extent(0);
  Array<Index, 1> ptr(executor, {rows + 1});
  launch(*executor, {name, 8.0 * static_cast<double>(rows)}, Range<1>{{0}, {rows}},
         CountEntriesBody<EntriesOf>{of, first, ptr.view()});
  const Index entries = scan_counts(executor, ptr.view());
  return {std::move(ptr), {executor, {entries}}, {executor, {entries}}};
}

}  // namespace halocline::sparse
