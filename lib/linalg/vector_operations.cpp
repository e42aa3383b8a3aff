// The operations of vector.hpp on single vectors.
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/linalg/vector.hpp"
#include "lib/linalg/vector_pieces.hpp"
#include "lib/linalg/vector_sum_kernels.hpp"
#include "lib/linalg/vector_sums.hpp"

namespace halocline {

using namespace vector_kernels;

template <class T>
void fill(Vector<T>& x, double value) {
  const VectorSpace& space = x.space();
  space.team().each([&](int part) {
    const Index count = value == 0 ? space.layout().size(part) : space.layout().used_size(part);
    launch(*space.team().executor(part), label_of(space, part, {"fill", sizeof(T)}), Range<1>{{0}, {count}},
           FillBody<T>{x.part(part).data, static_cast<T>(value)});
  });
}

template <class T>
void copy(const Vector<T>& from, Vector<T>& to) {
  check_same_space(from, to);
  from.space().team().each([&](int part) {
    const auto source = from.part(part);
    from.space().team().executor(part)->copy_async(to.part(part).data, source.data,
                                                   static_cast<std::size_t>(source.size()) * sizeof(T), Queue::compute);
  });
}

template <class T>
void add_constant(double a, Vector<T>& x) {
  const VectorSpace& space = x.space();
  space.team().each([&](int part) {
    launch(*space.team().executor(part), label_of(space, part, {"add constant", 2 * sizeof(T)}),
           Range<1>{{0}, {space.layout().used_size(part)}}, AddConstantBody<T>{x.part(part).data, static_cast<T>(a)});
  });
}

template <class T>
void axpy(double a, const Vector<T>& x, Vector<T>& y) {
  check_same_space(x, y);
  each_group(x.space(), {"axpy", 3 * sizeof(T)}, [&](int part, const Rows& rows) {
    return AxpyBody<T>{static_cast<T>(a), x.part(part).data, y.part(part).data, rows};
  });
}

template <class T>
void direction(const Vector<T>& r, double b, double c, const Vector<T>& v, Vector<T>& p) {
  check_same_space(p, r, v);
  each_group(p.space(), {"direction", 4 * sizeof(T)}, [&](int part, const Rows& rows) {
    return DirectionBody<T>{static_cast<T>(b), static_cast<T>(c), r.part(part).data,
                            v.part(part).data, p.part(part).data, rows};
  });
}

template <class T>
void combine(double a, const Vector<T>& x, double b, double c, const Vector<T>& z, Vector<T>& y) {
  check_same_space(y, x, z);
  const double moved = &z == &y ? 3 * sizeof(T) : 4 * sizeof(T);
  each_group(y.space(), {"combine", moved}, [&](int part, const Rows& rows) {
    return CombineBody<T>{static_cast<T>(a),
                          static_cast<T>(b),
                          static_cast<T>(c),
                          x.part(part).data,
                          z.part(part).data,
                          y.part(part).data,
                          rows};
  });
}

template <class T>
Dots dots(const Vector<T>& x, const Vector<T>& y) {
  check_same_space(x, y);
  const VectorSpace& space = x.space();
  space.clear_sums(2);
  const double read = &x == &y ? sizeof(T) : 2 * sizeof(T);
  sum_each_group<2>(space, {"dots", read}, 0, [&](int part, const Rows& rows) {
    return DotsBody<T>{x.part(part).data, y.part(part).data, rows, space.layout().lane_is_chunk};
  });
  const auto [xy, xx] = space.join_sums<2>();
  return {.xx = xx, .xy = xy};
}

template <class T>
void device_dots(const Vector<T>& x, const Vector<T>& y, double* sums) {
  check_same_space(x, y);
  const VectorSpace& space = x.space();
  end_groups<2>(space, {"dots", 2 * sizeof(T)},
                DotsBody<T>{x.part(0).data, y.part(0).data, rows_of(space, 0), space.layout().lane_is_chunk},
                StoreDots{sums});
}

template <class T>
double norm(const Vector<T>& x) {
  return std::sqrt(dots(x, x).xx);
}

template <class T>
std::array<double, 2> norms(const Vector<T>& x, const Vector<T>& y) {
  check_same_space(x, y);
  const VectorSpace& space = x.space();
  space.clear_sums(4);
  for (const Vector<T>* v : {&x, &y})
    sum_each_group<2>(space, {"dots", sizeof(T)}, v == &x ? 0 : 2, [&](int part, const Rows& rows) {
      return DotsBody<T>{v->part(part).data, v->part(part).data, rows, space.layout().lane_is_chunk};
    });
  const auto sums = space.join_sums<4>();
  return {std::sqrt(sums[1]), std::sqrt(sums[3])};
}

template <class T>
ResidualDots update(double a, const Vector<T>& p, double o, const Vector<T>& t, Vector<T>& x, Vector<T>& r,
                    const Vector<T>& w) {
  check_same_space(r, p, t, x, w);
  const VectorSpace& space = r.space();
  space.clear_sums(2);
  sum_each_group<2>(space, {"update", 7 * sizeof(T)}, 0, [&](int part, const Rows& rows) {
    return UpdateBody<T>{static_cast<T>(a),           static_cast<T>(o), p.part(part).data, t.part(part).data,
                         w.part(part).data,           x.part(part).data, r.part(part).data, rows,
                         space.layout().lane_is_chunk};
  });
  const auto [rr, rw] = space.join_sums<2>();
  return {rr, rw};
}

template <class T>
void update_without_sums(double a, const Vector<T>& p, double o, const Vector<T>& t, Vector<T>& x, Vector<T>& r) {
  check_same_space(r, p, t, x);
  each_group(r.space(), {"update", 6 * sizeof(T)}, [&](int part, const Rows& rows) {
    return WithoutSums<UpdateBody<T>>{{static_cast<T>(a), static_cast<T>(o), p.part(part).data, t.part(part).data,
                                       r.part(part).data, x.part(part).data, r.part(part).data, rows, true}};
  });
}

template <class T>
void cg_update_without_sum(double alpha, double beta, const Vector<T>& u, const Vector<T>& w, Vector<T>& p,
                           Vector<T>& s, Vector<T>& x, Vector<T>& r) {
  check_same_space(r, u, w, p, s, x);
  each_group(r.space(), {"cg update", 10 * sizeof(T)}, [&](int part, const Rows& rows) {
    return WithoutSums<CgUpdateBody<T>>{{static_cast<T>(alpha), static_cast<T>(beta), u.part(part).data,
                                         w.part(part).data, p.part(part).data, s.part(part).data, x.part(part).data,
                                         r.part(part).data, rows, true}};
  });
}

template <class T>
double cg_update(double alpha, double beta, const Vector<T>& u, const Vector<T>& w, Vector<T>& p, Vector<T>& s,
                 Vector<T>& x, Vector<T>& r) {
  check_same_space(r, u, w, p, s, x);
  const VectorSpace& space = r.space();
  space.clear_sums(1);
  sum_each_group<1>(space, {"cg update", 10 * sizeof(T)}, 0, [&](int part, const Rows& rows) {
    return CgUpdateBody<T>{static_cast<T>(alpha),       static_cast<T>(beta), u.part(part).data,
                           w.part(part).data,           p.part(part).data,    s.part(part).data,
                           x.part(part).data,           r.part(part).data,    rows,
                           space.layout().lane_is_chunk};
  });
  return space.join_sums<1>()[0];
}

#define HALOCLINE_INSTANTIATE(T)                                                                                    \
  template void fill(Vector<T>&, double);                                                                           \
  template void copy(const Vector<T>&, Vector<T>&);                                                                 \
  template void add_constant(double, Vector<T>&);                                                                   \
  template void axpy(double, const Vector<T>&, Vector<T>&);                                                         \
  template void direction(const Vector<T>&, double, double, const Vector<T>&, Vector<T>&);                          \
  template void combine(double, const Vector<T>&, double, double, const Vector<T>&, Vector<T>&);                    \
  template Dots dots(const Vector<T>&, const Vector<T>&);                                                           \
  template void device_dots(const Vector<T>&, const Vector<T>&, double*);                                           \
  template double norm(const Vector<T>&);                                                                           \
  template std::array<double, 2> norms(const Vector<T>&, const Vector<T>&);                                         \
  template ResidualDots update(double, const Vector<T>&, double, const Vector<T>&, Vector<T>&, Vector<T>&,          \
                               const Vector<T>&);                                                                   \
  template void update_without_sums(double, const Vector<T>&, double, const Vector<T>&, Vector<T>&, Vector<T>&);    \
  template void cg_update_without_sum(double, double, const Vector<T>&, const Vector<T>&, Vector<T>&, Vector<T>&,   \
                                      Vector<T>&, Vector<T>&);                                                      \
  template double cg_update(double, double, const Vector<T>&, const Vector<T>&, Vector<T>&, Vector<T>&, Vector<T>&, \
                            Vector<T>&)
HALOCLINE_INSTANTIATE(double);
HALOCLINE_INSTANTIATE(float);
#undef HALOCLINE_INSTANTIATE

}  // namespace halocline
