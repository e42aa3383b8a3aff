// The interpreter for one instruction set; included by interpreter_v3.cpp and interpreter_v4.cpp.
#pragma once

#include "lib/problems/ode_ensemble/host/interpreter_entries.hpp"
#include "lib/problems/ode_ensemble/host/interpreter_model.hpp"

namespace halocline::ode_ensemble {
namespace {

template <InterpreterSize size, int packs>
void interpret(const InterpretedView& code, Method method, const Ensemble& a) {
  const Queue all{0, a.count};
  const InterpretedModel<size> model(code, a.tables);
  if (method == Method::rk4) advance<Method::rk4, Lanes<packs>>(model, a, all);
  if (method == Method::rkck45) advance<Method::rkck45, Lanes<packs>>(model, a, all);
  if (method == Method::dopri5) advance<Method::dopri5, Lanes<packs>>(model, a, all);
  // Where slopes are 0 Milstein's method is that of Euler and Maruyama: one piece of code for both.
  if (is_stochastic(method)) advance<Method::milstein, Lanes<packs>>(model, a, all);
  if constexpr (size != InterpreterSize::vectors) {
    if (method == Method::ros23) advance<Method::ros23, Lanes<packs>>(model, a, all);
    if (method == Method::rodas5p) advance<Method::rodas5p, Lanes<packs>>(model, a, all);
    if (method == Method::automatic) advance<Method::automatic, Lanes<packs>>(model, a, all);
  }
}

// Small models have many lanes, large ones few, so that both stay in near cache.
void interpret(const InterpretedView& code, InterpreterSize size, Method method, const Ensemble& a) {
  if (size == InterpreterSize::small) return interpret<InterpreterSize::small, 8>(code, method, a);
  if (size == InterpreterSize::large) return interpret<InterpreterSize::large, 2>(code, method, a);
  interpret<InterpreterSize::vectors, 1>(code, method, a);
}

}  // namespace
}  // namespace halocline::ode_ensemble
