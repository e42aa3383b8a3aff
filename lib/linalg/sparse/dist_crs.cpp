#include "lib/linalg/sparse/dist_crs.hpp"

#include <limits>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::sparse {
namespace {

// Rows with local columns on one executor. The given ones are used up.
LocalRows number_columns(const ExecutorPtr& executor, GlobalRows given, const Range<1>& own, Index columns) {
  const Index rows = given.ptr.size() - 1;
  const View<const Index, 1> ptr = given.ptr.view(), col = given.col.view();
  const ColumnRange none{own.lo[0], own.lo[0]};
  const ColumnRange range =
      reduce(*executor, "range of columns", up_to(rows), none, JoinRanges{}, RangeOfRowBody{ptr, col, none});
  require(range.first >= 0 && range.end <= columns, "DistCrs: a column that does not exist");
  Array<LocalIndex, 1> local(executor, {col.size()});
  Ghosts ghosts;
  const double bytes = 12.0 * static_cast<double>(col.size());
  if (range.first >= own.lo[0] && range.end <= own.hi[0]) {
    launch(*executor, {"number columns", bytes}, up_to(col.size()),
           ShiftColumnBody{col.data, local.view().data, own.lo[0]});
  } else {
    const GhostSet set(executor, own, {{range.first}, {range.end}}, [&](const GhostMarks& marks) {
      launch(*executor, "mark ghosts", up_to(rows), MarkRowBody{ptr, col, marks});
    });
    ghosts = set.ghosts();
    require(own.size() + ghosts.size() <= std::numeric_limits<LocalIndex>::max(), "DistCrs: too many columns");
    launch(*executor, {"number columns", bytes}, up_to(rows),
           NumberRowBody{ptr.data, col.data, local.view().data, set.numbering()});
    executor->wait(executor->record(Queue::compute));  // the set is in use until then
  }
  executor->wait(executor->record(Queue::compute));  // and so are the global columns
  return {{std::move(given.ptr), std::move(local), std::move(given.val)}, std::move(ghosts)};
}

}  // namespace

DistCrs::DistCrs(RowSpacePtr rows, RowSpacePtr columns, std::vector<GlobalRows> of_parts)
    : rows_(std::move(rows)), columns_(std::move(columns)), parts_(of_parts.size()) {
  require(static_cast<int>(parts_.size()) == team().parts(), "DistCrs: rows for every part");
  team().each([&](int p) {
    parts_[p] = number_columns(team().executor(p), std::move(of_parts[p]), columns_->own(p), columns_->size());
  });
  count_entries();
}

DistCrs::DistCrs(RowSpacePtr rows, RowSpacePtr columns, std::vector<LocalRows> of_parts)
    : rows_(std::move(rows)), columns_(std::move(columns)), parts_(std::move(of_parts)) {
  require(static_cast<int>(parts_.size()) == team().parts(), "DistCrs: rows for every part");
  count_entries();
}

void DistCrs::count_entries() {
  for (int p = 0; p < team().parts(); ++p) {
    const Crs<double>& rows = parts_[p].rows;
    require(rows.ptr.size() == rows_->own_size(p) + 1, "DistCrs: another number of rows");
    require(rows.col.size() == rows.val.size(), "DistCrs: as many columns as values");
    if (p == 0 || !rows_->replicated()) entries_ += rows.col.size();
  }
  if (!rows_->replicated()) rows_->comm().sum(std::span<Index>(&entries_, 1));
  rows_->tell(std::span<Index>(&entries_, 1));
}

bool DistCrs::has_ghosts() const {
  if (team().total_parts() == 1) return false;
  return !columns_->replicated() || (columns_->held_by_few() && !rows_->replicated());
}

const Links& DistCrs::ghost_links() const {
  if (links_) return *links_;
  std::vector<std::vector<Index>> wanted;
  std::vector<Index> own;
  for (int p = 0; p < team().parts(); ++p) {
    wanted.push_back(ghosts(p).rows);
    // Links count from the first row of the block, which lies behind others where the part holds all.
    const Index before = columns_->partition().block(team().first_part() + p).lo[0] - columns_->own(p).lo[0];
    own.push_back(ghosts(p).below + before);
  }
  links_ = std::make_shared<const Links>(row_links(rows_->comm(), team(), columns_->partition(), wanted, own));
  return *links_;
}

Links DistCrs::ghost_links(std::span<const Index> shift) const {
  Links links = ghost_links();
  for (std::size_t p = 0; p < links.size(); ++p)
    for (Link& link : links[p]) {
      for (Index& row : link.send.list) row += shift[p];
      if (link.recv.size() > 0) link.recv.offset += shift[p];
    }
  return links;
}

}  // namespace halocline::sparse
