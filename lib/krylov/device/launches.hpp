// The launches of one iteration of the methods whose scalars stay on the device of a single part.
#pragma once

#include "lib/krylov/device/bicgstab_kernels.hpp"
#include "lib/krylov/device/cg_kernels.hpp"
#include "lib/linalg/operator.hpp"

namespace halocline {

// Those of BiCgStabIteration, without M. `fused`: as the state says.
template <class T>
struct BiCgStabVectors {
  Vector<T>&x, &r, &r0, &p, &v, &t;
  bool fused = false;
};
template <class T>
void launch_bicgstab(const Operator<T>& A, const BiCgStabVectors<T>& vectors, krylov_kernels::BiCgStabState* state,
                     krylov_kernels::Notes<krylov_kernels::BiCgStabSums>* notes);

// Those of ConjugateGradients, without M.
template <class T>
struct CgVectors {
  Vector<T>&x, &r, &p, &s, &w;
};
template <class T>
void launch_cg(const Operator<T>& A, const CgVectors<T>& vectors, krylov_kernels::CgState* state,
               krylov_kernels::Notes<krylov_kernels::CgSums>* notes);

}  // namespace halocline
