// The operations of vector.hpp on many vectors at once.
#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/linalg/vector.hpp"
#include "lib/linalg/vector_pieces.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"

namespace halocline {

using namespace vector_kernels;

namespace {

// Calls pass(K, first), K a constant, for 0 .. count - 1 in passes of eight and less.
template <class Pass>
void in_passes(std::size_t count, const Pass& pass) {
  std::size_t first = 0;
  const auto take = [&]<int K>(std::integral_constant<int, K> width) {
    for (; count - first >= K; first += K) pass(width, first);
  };
  take(std::integral_constant<int, 8>{});
  take(std::integral_constant<int, 4>{});
  take(std::integral_constant<int, 2>{});
  take(std::integral_constant<int, 1>{});
}

}  // namespace

template <class T>
void multi_dot(std::span<const Vector<T>* const> v, const Vector<T>& y, std::span<double> result) {
  require(v.size() == result.size(), "multi_dot: one result per vector");
  if (v.empty()) return;
  for (const Vector<T>* one : v) check_same_space(y, *one);
  const VectorSpace& space = y.space();
  space.clear_sums(static_cast<int>(v.size()));
  in_passes(v.size(), [&]<int K>(std::integral_constant<int, K>, std::size_t first) {
    sum_each_group<K>(space, {"multi dot", (K + 1) * sizeof(T)}, static_cast<int>(first),
                      [&](int part, const Rows& rows) {
                        MultiDotBody<T, K> body{{}, y.part(part).data, rows, space.layout().lane_is_chunk};
                        for (int j = 0; j < K; ++j) body.v[j] = v[first + j]->part(part).data;
                        return body;
                      });
  });
  space.join_sums(result);
}

template <class T>
void device_pair_dot(const Vector<T>& v, const Vector<T>& w, const Vector<T>& y, double* sums) {
  check_same_space(y, v, w);
  const VectorSpace& space = y.space();
  const MultiDotBody<T, 2> body{
      {v.part(0).data, w.part(0).data}, y.part(0).data, rows_of(space, 0), space.layout().lane_is_chunk};
  end_groups<2>(space, {"multi dot", 3 * sizeof(T)}, body, StoreSums<2>{sums});
}

template <class T>
void multi_axpy(std::span<const double> c, std::span<const Vector<T>* const> v, Vector<T>& y) {
  require(c.size() == v.size(), "multi_axpy: one coefficient per vector");
  for (const Vector<T>* one : v) check_same_space(y, *one);
  in_passes(v.size(), [&]<int K>(std::integral_constant<int, K>, std::size_t first) {
    each_group(y.space(), {"multi axpy", (K + 2) * sizeof(T)}, [&](int part, const Rows& rows) {
      MultiAxpyBody<T, K> body{{}, {}, y.part(part).data, rows};
      for (int j = 0; j < K; ++j) {
        body.c[j] = static_cast<T>(c[first + j]);
        body.v[j] = v[first + j]->part(part).data;
      }
      return body;
    });
  });
}

template void multi_dot(std::span<const Vector<double>* const>, const Vector<double>&, std::span<double>);
template void multi_dot(std::span<const Vector<float>* const>, const Vector<float>&, std::span<double>);
template void device_pair_dot(const Vector<double>&, const Vector<double>&, const Vector<double>&, double*);
template void device_pair_dot(const Vector<float>&, const Vector<float>&, const Vector<float>&, double*);
template void multi_axpy(std::span<const double>, std::span<const Vector<double>* const>, Vector<double>&);
template void multi_axpy(std::span<const double>, std::span<const Vector<float>* const>, Vector<float>&);

}  // namespace halocline
