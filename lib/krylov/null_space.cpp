#include "lib/krylov/null_space.hpp"

#include <cmath>
#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/krylov/null_space_kernels.hpp"
#include "lib/linalg/vector_pieces.hpp"

namespace halocline {

using namespace vector_kernels;

namespace {

// Calls pass(K, first), K a constant, so that all sets 0 ... count - 1 are in one of the passes.
template <class Pass>
void in_passes(int count, const Pass& pass) {
  if (count == 1) return pass(std::integral_constant<int, 1>{}, 0);
  for (int first = 0; first < count; first += 8) pass(std::integral_constant<int, 8>{}, first);
}

// As many sums as the passes make.
int room_for(int count) { return count == 1 ? 1 : (count + 7) / 8 * 8; }

}  // namespace

NullSpace::NullSpace(Vector<double> sets, int count) : sets_(std::move(sets)) {
  sizes_.resize(static_cast<std::size_t>(count));
  Vector<double> one(sets_.space_pointer());
  fill(one, 1);
  sizes_ = sums(one);
  for (const double size : sizes_) require(size > 0, "a null space: a set is empty");
}

std::vector<double> NullSpace::sums(const Vector<double>& x) const {
  check_same_space(x, sets_);
  const VectorSpace& space = x.space();
  std::vector<double> result(static_cast<std::size_t>(room_for(count())));
  space.clear_sums(room_for(count()));
  in_passes(count(), [&]<int K>(std::integral_constant<int, K>, int first) {
    sum_each_group<K>(space, {"sums of sets", 16}, first, [&](int part, const Rows& rows) {
      return SetSumsBody<K>{sets_.part(part).data, x.part(part).data, 1.0 + first, rows, space.layout().lane_is_chunk};
    });
  });
  space.join_sums(result);
  result.resize(static_cast<std::size_t>(count()));
  return result;
}

double NullSpace::project(Vector<double>& x) const {
  std::vector<double> means = sums(x);
  double squares = 0;
  for (std::size_t n = 0; n < means.size(); ++n) {
    squares += means[n] * means[n] / sizes_[n];
    means[n] /= sizes_[n];
  }
  const VectorSpace& space = x.space();
  means.resize(static_cast<std::size_t>(room_for(count())), 0);
  in_passes(count(), [&]<int K>(std::integral_constant<int, K>, int first) {
    space.team().each([&](int part) {
      TakeMeansBody<K> body{sets_.part(part).data, 1.0 + first, {}, x.part(part).data};
      for (int j = 0; j < K; ++j) body.mean[j] = means[static_cast<std::size_t>(first + j)];
      launch(*space.team().executor(part), label_of(space, part, {"take means", 24}),
             Range<1>{{0}, {space.layout().used_size(part)}}, body);
    });
  });
  return std::sqrt(squares);
}

void ProjectedOperator::apply(const Vector<double>& x, Vector<double>& y) const {
  if (M_ != nullptr) {
    M_->apply(x, y);
  } else {
    copy(x, y);
  }
  space_.project(y);
}

void ProjectedOperator::begin(const Vector<double>& r) const {
  if (M_ != nullptr) M_->begin(r);
}

}  // namespace halocline
