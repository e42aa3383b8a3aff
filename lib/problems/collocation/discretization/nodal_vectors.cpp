#include "lib/problems/collocation/discretization/nodal_vectors.hpp"

#include <algorithm>

#include "gpu/launch.hpp"

namespace halocline::collocation {

NodalSpace::NodalSpace(const Communicator& comm, const Team& team, std::vector<NodalBlock> blocks, bool replicated)
    : comm_(&comm), team_(&team), blocks_(std::move(blocks)), replicated_(replicated) {
  require(static_cast<int>(blocks_.size()) == team.parts(), "NodalSpace: one block per part");
}

namespace {

template <class T>
struct ZeroBody {
  T* to;
  Index size;
  HALOCLINE_HD void operator()(Index line, Index n) const { to[line * size + n] = 0; }
  void row(Index line, Index begin, Index end) const {
    for (Index n = begin; n < end; ++n) to[line * size + n] = 0;
  }
};

}  // namespace

template <class T>
NodalVector<T>::NodalVector(const NodalSpace& space) : space_(&space) {
  for (int p = 0; p < space.team().parts(); ++p) {
    const Index lines = space.block(p).lines() + 2 * NodalSpace::ghosts;
    arrays_.emplace_back(space.team().executor(p), std::array<Index, 1>{lines * space.block(p).line_size()});
  }
  clear();
}

template <class T>
void NodalVector<T>::clear() {
  space_->team().each([&](int p) {
    const Index size = space_->block(p).line_size(), lines = space_->block(p).lines() + 2 * NodalSpace::ghosts;
    launch_rows(*space_->team().executor(p), "zero", Range<2>{{0, 0}, {lines, size}},
                ZeroBody<T>{arrays_[p].view().data, size});
  });
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
  halo_ = std::make_unique<Halo<double>>(space.comm(), team, std::move(links));
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
