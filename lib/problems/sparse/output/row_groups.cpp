#include "lib/problems/sparse/output/row_groups.hpp"

#include <algorithm>

namespace halocline::sparse {

RowGroups::RowGroups(const RowSpacePtr& space, Index size) : rows_(space), size_(size) {
  const RowSpace& rows = *space;
  const Team& team = rows.team();
  std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(team.parts()));
  const std::vector<Index> own(wanted.size(), 0);
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> block = rows.own(p);
    const Index first = (block.lo[0] + size - 1) / size, last = std::max(first, (block.hi[0] + size - 1) / size);
    const Index end = last > first ? last * size : block.hi[0];
    groups_.push_back({{{first}, {last}}, end - block.hi[0]});
    for (Index row = block.hi[0]; row < end; ++row) wanted[static_cast<std::size_t>(p)].push_back(row);
  }
  links_ = row_links(rows.comm(), team, rows.partition(), wanted, own);
}

std::vector<RowGroups::Gathered> RowGroups::gather(const PartValues& values) const {
  const Team& team = rows_->team();
  std::vector<Gathered> whole;
  std::vector<View<const double, 1>> from;
  std::vector<View<double, 1>> to;
  for (int p = 0; p < team.parts(); ++p) {
    const auto n = static_cast<std::size_t>(p);
    const Index own = rows_->own_size(p);
    whole.push_back({Array<double, 1>(team.executor(p), {own + groups_[n].ghosts}),
                     groups_[n].own.lo[0] * size_ - rows_->own(p).lo[0]});
    if (own > 0)
      team.executor(p)->copy_async(whole[n].values.view().data, values[n].view().data,
                                   static_cast<std::size_t>(own) * sizeof(double), Queue::compute);
  }
  for (Gathered& part : whole) {
    from.push_back(part.values.view());
    to.push_back(part.values.view());
  }
  Halo<double> halo(rows_->comm(), team, links_);
  halo.start(from);
  halo.finish(to);
  return whole;
}

}  // namespace halocline::sparse
