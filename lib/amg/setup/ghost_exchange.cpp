#include "lib/amg/setup/ghost_exchange.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/ghost_kernels.hpp"

namespace halocline::amg {
namespace {

std::vector<Index> positions(const IndexSet& set) {
  require(!set.list.empty() || set.size() == 0, "GhostReturn: rows are sent by lists");
  return set.list;
}

template <class T>
std::vector<View<T, 1>> views(const Team& team, LocalValues<T>& values) {
  std::vector<View<T, 1>> result;
  for (int p = 0; p < team.parts(); ++p) result.push_back(values.view(p));
  return result;
}

}  // namespace

template <class T>
GhostExchange<T>::GhostExchange(const sparse::DistCrs& a) : team_(&a.team()) {
  if (a.has_ghosts()) halo_ = std::make_unique<Halo<T>>(a.rows().comm(), *team_, a.ghost_links());
}

template <class T>
void GhostExchange<T>::forward(LocalValues<T>& values) {
  if (!halo_) return;
  const std::vector<View<T, 1>> to = views(*team_, values);
  halo_->start(std::vector<View<const T, 1>>(to.begin(), to.end()));
  halo_->finish(to);
}

template class GhostExchange<LocalIndex>;
template class GhostExchange<Index>;
template class GhostExchange<double>;

GhostReturn::GhostReturn(const sparse::DistCrs& a) : team_(&a.team()) {
  if (!a.has_ghosts()) return;
  const Links& links = a.ghost_links();
  halo_ = std::make_unique<Halo<LocalIndex>>(a.rows().comm(), *team_, reversed(links));
  for (int p = 0; p < team_->parts(); ++p) {
    std::vector<Index> places;
    for (const Link& link : links[static_cast<std::size_t>(p)]) {
      const std::vector<Index> sent = positions(link.send);
      places.insert(places.end(), sent.begin(), sent.end());
    }
    places_.push_back(make_array(team_->executor(p), places));
    buffers_.emplace_back(team_->executor(p), std::array<Index, 1>{static_cast<Index>(places.size())});
  }
}

void GhostReturn::add(LocalValues<LocalIndex>& values) {
  if (!halo_) return;
  const std::vector<View<LocalIndex, 1>> from = views(*team_, values);
  halo_->start(std::vector<View<const LocalIndex, 1>>(from.begin(), from.end()));
  std::vector<View<LocalIndex, 1>> to;
  for (Array<LocalIndex, 1>& buffer : buffers_) to.push_back(buffer.view());
  halo_->finish(to);
  team_->each([&](int p) {
    launch(*team_->executor(p), "add what ghosts have", Range<1>{{0}, {buffers_[p].size()}},
           AddToPlacesBody{places_[p].view().data, buffers_[p].view().data, from[p].data});
  });
}

}  // namespace halocline::amg
