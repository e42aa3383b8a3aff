// The systems that a thread has still to step, and how lanes take and leave them.
#pragma once

#include "lib/problems/ode_ensemble/stepper/phases.hpp"

namespace halocline::ode_ensemble {
namespace {

// The systems that are left: positions of the list; all of them, or those that are or are not stiff.
enum class Kind : int { tame, stiff, all };
struct Queue {
  long long next, end;
  Kind kind = Kind::all;
};

template <class R, class M>
HALOCLINE_ODE void take(const M& m, const Ensemble& a, Queue& queue, Working<R, M>& w, int l) {
  set_lane(w.active, l, false);
  while (queue.next < queue.end) {
    const long long system = a.list ? a.list[queue.next] : queue.next;
    ++queue.next;
    if (counter(a, Counter::course, system) == static_cast<long long>(Course::done)) continue;
    if (queue.kind != Kind::all && counter(a, Counter::stiff, system) != static_cast<long long>(queue.kind)) continue;
    load(m, a, system, w, l);
    if (queue.kind == Kind::tame) w.watch.read(l, counter(a, Counter::hints, system));
    set_lane(w.active, l, true);
    return;
  }
}

// Ends a visit: the system goes back to the arrays and the lane takes the next one.
template <class R, class M>
HALOCLINE_ODE void leave(const M& m, const Ensemble& a, Queue& queue, Working<R, M>& w, int l, Course course) {
  store(m, a, w, l, course);
  const long long system = w.slow[l].system;
  if (queue.kind == Kind::tame) counter(a, Counter::hints, system) = w.watch.kept(l);
  if (queue.kind == Kind::stiff)
    counter(a, Counter::implicit, system) +=
        static_cast<long long>(lane(w.accepts, l) + lane(w.rejects, l) + lane(w.retakes, l));
#if defined(__CUDA_ARCH__)
  set_lane(w.active, l, false);  // a thread has one system
#else
  take(m, a, queue, w, l);
#endif
}

}  // namespace
}  // namespace halocline::ode_ensemble
