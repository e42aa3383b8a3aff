#include "lib/linalg/vector.hpp"

#include "gpu/launch.hpp"
#include "lib/linalg/vector_kernels.hpp"

namespace halocline {

template <class T>
Vector<T>::Vector(VectorSpacePtr space) : space_(std::move(space)) {
  const Team& team = space_->team();
  const VectorLayout& layout = space_->layout();
  for (int p = 0; p < team.parts(); ++p)
    arrays_.emplace_back(team.executor(p),
                         std::array<Index, 1>{layout.room_before(p) + layout.size(p) + layout.room_behind(p)});
  // By the threads that will work on it: the pages of the memory then lie near them.
  team.each([&](int p) {
    const View<T, 1> all = arrays_[p].view();
    launch(*team.executor(p), "zero", Range<1>{{0}, {all.size()}}, vector_kernels::FillBody<T>{all.data, 0});
  });
}

template <class T>
void Vector<T>::assign(int part, std::span<const T> values) {
  const View<T, 1> own = this->part(part);
  require(static_cast<Index>(values.size()) == own.size(), "Vector::assign: sizes differ");
  if (!values.empty()) space_->team().executor(part)->copy_in(own.data, values.data(), values.size_bytes());
}

template <class T>
std::vector<T> Vector<T>::to_host(int part) const {
  const View<const T, 1> own = this->part(part);
  std::vector<T> values(static_cast<std::size_t>(own.size()));
  if (!values.empty()) space_->team().executor(part)->copy_out(values.data(), own.data, values.size() * sizeof(T));
  return values;
}

template <class T>
void Vector<T>::swap(Vector& other) {
  require(space_ == other.space_, "vectors of different spaces");
  arrays_.swap(other.arrays_);
}

template class Vector<double>;
template class Vector<float>;

}  // namespace halocline
