#include "lib/krylov/device/launches.hpp"

#include "lib/linalg/vector_pieces.hpp"

namespace halocline {

using namespace krylov_kernels;
using namespace vector_kernels;

template <class T>
void launch_bicgstab(const Operator<T>& A, const BiCgStabVectors<T>& vectors, BiCgStabState* state,
                     Notes<BiCgStabSums>* notes) {
  const auto& [x, r, r0, p, v, t, fused] = vectors;
  const VectorSpace& space = r.space();
  const Rows rows = rows_of(space, 0);
  const T open = 0;  // a coefficient that the body takes from the state
  T *const of_p = p.part(0).data, *const of_r = r.part(0).data, *const of_v = v.part(0).data;
  each_group(space, {"direction", 4 * sizeof(T)}, [&](int, const Rows&) {
    return FollowDirection<T>{state, {open, open, of_r, of_v, of_p, rows}};
  });
  A.apply_with_device_dots(p, v, r0, state->of_v);
  each_group(space, {"axpy", 3 * sizeof(T)}, [&](int, const Rows&) {
    return HalfStep<T>{state, {open, of_v, of_r, rows}};
  });
  double* const of_t = &state->of_t.tt;
  fused ? A.apply_with_device_step_sums(r, t, r0, of_t) : A.apply_with_device_dots(r, t, r, of_t);
  const UpdateBody<T> update{
      open, open, of_p, t.part(0).data, r0.part(0).data, x.part(0).data, of_r, rows, space.layout().lane_is_chunk};
  end_groups<2>(space, {"update", 7 * sizeof(T)}, FullStep<T>{state, update}, EndFullStep{state, notes});
}

template <class T>
void launch_cg(const Operator<T>& A, const CgVectors<T>& vectors, CgState* state, Notes<CgSums>* notes) {
  const auto& [x, r, p, s, w] = vectors;
  const VectorSpace& space = r.space();
  A.apply_with_device_energy(r, w, r, state->of_w);
  const T open = 0;
  T* const of_r = r.part(0).data;
  const CgUpdateBody<T> update{open,           open,           of_r, w.part(0).data,    p.part(0).data,
                               s.part(0).data, x.part(0).data, of_r, rows_of(space, 0), space.layout().lane_is_chunk};
  end_groups<1>(space, {"cg update", 10 * sizeof(T)}, CgStep<T>{state, update}, EndCgStep{state, notes});
}

template void launch_bicgstab(const Operator<double>&, const BiCgStabVectors<double>&, BiCgStabState*,
                              Notes<BiCgStabSums>*);
template void launch_bicgstab(const Operator<float>&, const BiCgStabVectors<float>&, BiCgStabState*,
                              Notes<BiCgStabSums>*);
template void launch_cg(const Operator<double>&, const CgVectors<double>&, CgState*, Notes<CgSums>*);
template void launch_cg(const Operator<float>&, const CgVectors<float>&, CgState*, Notes<CgSums>*);

}  // namespace halocline
