#include "lib/linalg/vector_halo.hpp"

namespace halocline {

template <class T>
VectorHalo<T>::VectorHalo(const VectorSpace& space, const Links& links) {
  const Team& team = space.team();
  if (team.total_parts() == 1) return;
  halo_ = std::make_unique<Halo<T>>(space.comm(), team, links);
  from_.resize(static_cast<std::size_t>(team.parts()));
  to_.resize(static_cast<std::size_t>(team.parts()));
}

template <class T>
void VectorHalo<T>::start(const Vector<T>& x) {
  if (!halo_) return;
  for (std::size_t p = 0; p < from_.size(); ++p) from_[p] = x.whole(static_cast<int>(p));
  halo_->start(from_);
}

template <class T>
void VectorHalo<T>::finish(const Vector<T>& x) {
  if (!halo_) return;
  for (std::size_t p = 0; p < to_.size(); ++p) to_[p] = x.whole_for_ghosts(static_cast<int>(p));
  halo_->finish(to_);
}

template class VectorHalo<double>;
template class VectorHalo<float>;

}  // namespace halocline
