#include "lib/multigrid/level.hpp"

#include <utility>

#include "lib/linalg/scaled_copy.hpp"

namespace halocline::multigrid {

template <class T>
Level<T>::Level(VectorSpacePtr space, std::vector<Index> own) : f_(space), u_(std::move(space)), own_(std::move(own)) {
  require(own_.empty() || static_cast<int>(own_.size()) == f_.space().team().parts(), "Level: one place per part");
}

template <class T>
Level<T>::Level(VectorSpacePtr f_space, VectorSpacePtr u_space) : f_(std::move(f_space)), u_(std::move(u_space)) {}

template <class T>
void Level<T>::load(double factor, const Vector<double>& r) {
  const Team& team = space().team();
  const VectorLayout& layout = r.space().layout();
  team.each([&](int p) {
    scaled_copy(*team.executor(p), "to the cycle", layout.groups[p], layout.group_size(), factor, r.part(p).data,
                f_.part(p).data + own(p));
  });
}

template <class T>
void Level<T>::unload(double factor, Vector<double>& y) {
  const Team& team = space().team();
  const VectorLayout& layout = y.space().layout();
  team.each([&](int p) {
    scaled_copy(*team.executor(p), "from the cycle", layout.groups[p], layout.group_size(), factor,
                std::as_const(u_).part(p).data + own(p), y.part(p).data);
  });
}

template class Level<double>;
template class Level<float>;

}  // namespace halocline::multigrid
