// The built-in models in lanes; included by one source per instruction set, which includes nothing else: inline
// functions of the C++ library compiled for a newer processor must not reach the linker.
#pragma once

#include "lib/problems/ode_ensemble/host/builtin.hpp"
#include "lib/problems/ode_ensemble/stepper/models.hpp"

namespace halocline::ode_ensemble {
namespace {

template <class M, int packs>
void advance_model(Method method, const Ensemble& a) {
  const Queue all{0, a.count};
  if (method == Method::rk4) advance<Method::rk4, Lanes<packs>>(M{}, a, all);
  if (method == Method::rkck45) advance<Method::rkck45, Lanes<packs>>(M{}, a, all);
  if (method == Method::dopri5) advance<Method::dopri5, Lanes<packs>>(M{}, a, all);
}

void advance_builtin(Builtin model, Method method, const Ensemble& a) {
  switch (model) {
    case Builtin::riccati:
      return advance_model<Riccati, 4>(method, a);
    case Builtin::lorenz:
      return advance_model<Lorenz, 4>(method, a);
    case Builtin::keller_miksis:
      return advance_model<KellerMiksis, 2>(method, a);
    case Builtin::relief_valve:
      return advance_model<ReliefValve, 2>(method, a);
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
