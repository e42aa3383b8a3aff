#include "lib/linalg/sparse/ghosts.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::sparse {
namespace {

// The places of marks, ascending; `starts`: room for how many lie before each word. Waits for the device.
Array<Index, 1> list_marks(const ExecutorPtr& executor, const Array<Bits, 1>& words, Array<Index, 1>& starts) {
  const Bits* marks = words.view().data;
  launch(*executor, "count marks", up_to(words.size()), CountMarksBody{marks, starts.view()});
  Array<Index, 1> places(executor, {scan_counts(executor, starts.view())});
  launch(*executor, "list marks", up_to(words.size()), ListMarksBody{marks, starts.view().data, places.view()});
  return places;
}

}  // namespace

GhostSet::GhostSet(const ExecutorPtr& executor, const Range<1>& own, const Range<1>& all)
    : executor_(executor),
      span_{std::min(all.lo[0], own.lo[0]), own.lo[0], own.hi[0], std::max(all.hi[0], own.hi[0])},
      used_(executor, {span_.size() / (64 * GhostPages::size) + 1}),
      starts_of_pages_(executor, {used_.size() + 1}) {
  launch(*executor_, "clear marks", up_to(used_.size()), ClearMarksBody{used_.view().data});
}

void GhostSet::hold_pages() {
  held_ = list_marks(executor_, used_, starts_of_pages_);
  words_ = {executor_, {held_.size() * GhostPages::words}};
  starts_ = {executor_, {words_.size() + 1}};
  launch(*executor_, "clear marks", up_to(words_.size()), ClearMarksBody{words_.view().data});
}

void GhostSet::list() {
  Array<Index, 1> columns = list_marks(executor_, words_, starts_);
  launch(*executor_, "ghosts", up_to(columns.size()),
         GhostColumnBody{span_, std::as_const(held_).view(), columns.view()});
  ghosts_.rows = columns.to_host();
  ghosts_.below = std::lower_bound(ghosts_.rows.begin(), ghosts_.rows.end(), span_.own_begin) - ghosts_.rows.begin();
}

LocalNumbering GhostSet::numbering() const {
  return {span_, pages(), words_.view().data, starts_.view().data, ghosts_.below};
}

std::size_t GhostSet::bytes() const {
  return 8 * static_cast<std::size_t>(used_.size() + starts_of_pages_.size() + held_.size() + words_.size() +
                                      starts_.size());
}

void mark_list(const Executor& executor, const Array<Index, 1>& columns, const GhostMarks& marks) {
  launch(executor, "mark ghosts", up_to(columns.size()), MarkListBody{columns.view(), marks});
}

void number_list(const Executor& executor, const Array<Index, 1>& columns, const LocalNumbering& numbering,
                 Array<LocalIndex, 1>& local) {
  launch(executor, "number columns", up_to(columns.size()), NumberListBody{columns.view(), numbering, local.view()});
}

GlobalNumbers global_numbers(const ExecutorPtr& executor, const Range<1>& own, const Ghosts& ghosts) {
  return {make_array(executor, ghosts.rows), ghosts.below, own.lo[0], own.size()};
}

}  // namespace halocline::sparse
