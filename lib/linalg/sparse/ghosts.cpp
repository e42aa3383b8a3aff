#include "lib/linalg/sparse/ghosts.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::sparse {

GhostSet::GhostSet(const ExecutorPtr& executor, const Range<1>& own, const Range<1>& all)
    : executor_(executor),
      span_{std::min(all.lo[0], own.lo[0]), own.lo[0], own.hi[0], std::max(all.hi[0], own.hi[0])},
      words_(executor, {span_.size() / 64 + 1}),
      starts_(executor, {words_.size() + 1}) {
  launch(*executor_, "clear marks", up_to(words_.size()), ClearMarksBody{words_.view().data});
}

GhostMarks GhostSet::marks() { return {span_, words_.view().data}; }

void GhostSet::mark(const std::vector<Index>& columns) {
  const Array<Index, 1> list = make_array(executor_, columns);
  launch(*executor_, "mark ghosts", up_to(list.size()), MarkListBody{list.view(), marks()});
  executor_->synchronize();  // the list is in use until then
}

Ghosts GhostSet::number() {
  const Bits* words = words_.view().data;
  launch(*executor_, "count ghosts", up_to(words_.size()), CountMarksBody{words, starts_.view()});
  const Index count = scan_counts(executor_, starts_.view());
  Array<Index, 1> columns(executor_, {count});
  launch(*executor_, "list ghosts", up_to(words_.size()),
         ListMarksBody{span_, words, starts_.view().data, columns.view()});
  Ghosts ghosts{columns.to_host(), 0};
  ghosts.below = below_ =
      std::lower_bound(ghosts.rows.begin(), ghosts.rows.end(), span_.own_begin) - ghosts.rows.begin();
  return ghosts;
}

LocalNumbering GhostSet::numbering() const { return {span_, words_.view().data, starts_.view().data, below_}; }

GlobalNumbers global_numbers(const ExecutorPtr& executor, const Range<1>& own, const Ghosts& ghosts) {
  return {make_array(executor, ghosts.rows), ghosts.below, own.lo[0], own.size()};
}

}  // namespace halocline::sparse
