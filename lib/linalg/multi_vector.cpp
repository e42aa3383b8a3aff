// The operations of vector.hpp on many vectors at once.
#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/linalg/vector.hpp"
#include "lib/linalg/vector_pieces.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"
#include "lib/linalg/vector_sums.hpp"

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

// The K sums of a body of pairs, joined.
template <template <class> class Body, int K, class T, class... More>
std::array<double, K> pair_sums(const Vector<T>& first, const More&... more) {
  check_same_space(first, more...);
  const VectorSpace& space = first.space();
  space.clear_sums(K);
  sum_each_group<K>(space, {"pair dots", (1 + sizeof...(More)) * sizeof(T)}, 0, [&](int part, const Rows& rows) {
    return Body<T>{{first.part(part).data, more.part(part).data...}, rows, space.layout().lane_is_chunk};
  });
  return space.join_sums<K>();
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

template <class T>
EnergySums energy_sums(const Vector<T>& u, const Vector<T>& w, const Vector<T>& r) {
  const auto [uw, ru, rr] = pair_sums<EnergySumsBody, 3>(u, w, r);
  return {.uw = uw, .ru = ru, .rr = rr};
}

template <class T>
EnergySums energy_sums(const Vector<T>& u, const Vector<T>& w, const Vector<T>& r, const Vector<T>& q) {
  const auto [uw, ru, rr, qu] = pair_sums<EnergyAndLastSumsBody, 4>(u, w, r, q);
  return {uw, ru, rr, qu};
}

template <class T>
StepSums step_sums(const Vector<T>& t, const Vector<T>& s, const Vector<T>& r0) {
  const auto [tt, ts, ss, r0_t, r0_s] = pair_sums<StepSumsBody, 5>(t, s, r0);
  return {tt, ts, ss, r0_t, r0_s};
}

template <class T>
void device_step_sums(const Vector<T>& t, const Vector<T>& s, const Vector<T>& r0, double* sums) {
  check_same_space(t, s, r0);
  const VectorSpace& space = t.space();
  const StepSumsBody<T> body{
      {t.part(0).data, s.part(0).data, r0.part(0).data}, rows_of(space, 0), space.layout().lane_is_chunk};
  end_groups<5>(space, {"pair dots", 3 * sizeof(T)}, body, StoreSums<5>{sums});
}

template <class T>
CorrectionSums correction_sums(const Vector<T>& c, const Vector<T>& x, const Vector<T>& t, const Vector<T>& s,
                               const Vector<T>& r0) {
  const auto [tt, ts, ss, r0_t, r0_s, cc, xx] = pair_sums<CorrectionSumsBody, 7>(c, x, t, s, r0);
  return {{tt, ts, ss, r0_t, r0_s}, cc, xx};
}

#define HALOCLINE_INSTANTIATE(T)                                                                                  \
  template EnergySums energy_sums(const Vector<T>&, const Vector<T>&, const Vector<T>&);                          \
  template EnergySums energy_sums(const Vector<T>&, const Vector<T>&, const Vector<T>&, const Vector<T>&);        \
  template StepSums step_sums(const Vector<T>&, const Vector<T>&, const Vector<T>&);                              \
  template void device_step_sums(const Vector<T>&, const Vector<T>&, const Vector<T>&, double*);                  \
  template CorrectionSums correction_sums(const Vector<T>&, const Vector<T>&, const Vector<T>&, const Vector<T>&, \
                                          const Vector<T>&)
HALOCLINE_INSTANTIATE(double);
HALOCLINE_INSTANTIATE(float);
#undef HALOCLINE_INSTANTIATE

template void multi_dot(std::span<const Vector<double>* const>, const Vector<double>&, std::span<double>);
template void multi_dot(std::span<const Vector<float>* const>, const Vector<float>&, std::span<double>);
template void device_pair_dot(const Vector<double>&, const Vector<double>&, const Vector<double>&, double*);
template void device_pair_dot(const Vector<float>&, const Vector<float>&, const Vector<float>&, double*);
template void multi_axpy(std::span<const double>, std::span<const Vector<double>* const>, Vector<double>&);
template void multi_axpy(std::span<const double>, std::span<const Vector<float>* const>, Vector<float>&);

}  // namespace halocline
