#include "lib/problems/collocation/nodal_vectors.hpp"

#include <algorithm>
#include <utility>

namespace halocline::collocation {

NodalSpace::NodalSpace(const Communicator& comm, const Team& team, std::vector<NodalBlock> blocks, bool replicated)
    : comm_(&comm), team_(&team), blocks_(std::move(blocks)), replicated_(replicated) {
  require(static_cast<int>(blocks_.size()) == team.parts(), "NodalSpace: one block per part");
}

template <class T>
NodalVector<T>::NodalVector(const NodalSpace& space) : space_(&space) {
  for (int p = 0; p < space.team().parts(); ++p) {
    const NodalBlock& block = space.block(p);
    const Index size = (block.lines() + 2 * NodalSpace::ghosts) * block.line_size();
    const std::vector<T> zeros(static_cast<std::size_t>(block.line_size()), T{0});
    Array<T, 1> array(space.team().executor(p), {size});
    // First lines from the host, then in growing copies on the device.
    for (Index done = 0; done < size;) {
      const Index count = done == 0 ? block.line_size() : std::min(done, size - done);
      const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
      if (done == 0) {
        space.team().executor(p)->copy_in(array.view().data, zeros.data(), bytes);
      } else {
        space.team().executor(p)->copy_async(array.view().data + done, array.view().data, bytes, Queue::compute);
      }
      done += count;
    }
    arrays_.push_back(std::move(array));
  }
}

template <class T>
NodalLines<T> NodalVector<T>::lines(int part) const {
  const NodalBlock& block = space_->block(part);
  const T* first = own(part);
  return {first, first - block.line_size(), first + block.size(), block.lines(), block.line_size()};
}

template <class T>
View<double, 1> NodalVector<T>::words(int part) {
  const auto view = arrays_[part].view();
  return View<double, 1>(reinterpret_cast<double*>(view.data),
                         view.size() * static_cast<Index>(sizeof(T)) / static_cast<Index>(sizeof(double)));
}

template <class T>
NodalHalo<T>::NodalHalo(const NodalSpace& space, Index before, Index behind) {
  if (!space.exchanges()) return;
  require(before <= NodalSpace::ghosts && behind <= NodalSpace::ghosts, "NodalHalo: more lines than there is room for");
  const Team& team = space.team();
  std::vector<std::vector<Link>> links(static_cast<std::size_t>(team.parts()));
  for (int p = 0; p < team.parts(); ++p) {
    const NodalBlock& block = space.block(p);
    require(block.lines() >= std::max(before, behind), "NodalHalo: a part is thinner than its neighbors' ghost lines");
    const Index words = block.line_size() * static_cast<Index>(sizeof(T)) / static_cast<Index>(sizeof(double));
    const auto run = [words](Index line, Index count) {  // line counted from the first ghost line
      return IndexSet::run(line * words, count * words);
    };
    const int part = team.first_part() + p;
    const Index first = NodalSpace::ghosts, end = first + block.lines();
    if (part > 0) links[p].push_back({part - 1, run(first, behind), run(first - before, before)});
    if (part + 1 < team.total_parts()) links[p].push_back({part + 1, run(end - before, before), run(end, behind)});
  }
  halo_ = std::make_unique<Halo>(space.comm(), team, std::move(links));
  owned_.resize(static_cast<std::size_t>(team.parts()));
  ghosts_.resize(static_cast<std::size_t>(team.parts()));
}

template <class T>
void NodalHalo<T>::start(NodalVector<T>& u) {
  if (!halo_) return;
  for (std::size_t p = 0; p < owned_.size(); ++p) owned_[p] = u.words(static_cast<int>(p));
  halo_->start(owned_);
}

template <class T>
void NodalHalo<T>::finish(NodalVector<T>& u) {
  if (!halo_) return;
  for (std::size_t p = 0; p < ghosts_.size(); ++p) ghosts_[p] = u.words(static_cast<int>(p));
  halo_->finish(ghosts_);
}

template class NodalVector<double>;
template class NodalVector<float>;
template class NodalHalo<double>;
template class NodalHalo<float>;

}  // namespace halocline::collocation
