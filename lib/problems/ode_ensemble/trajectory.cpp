#include "lib/problems/ode_ensemble/trajectory.hpp"

namespace halocline::ode_ensemble {

namespace {

// Rows of the state that count from its end, see working.hpp.
double t_of(const Part& part) { return part.state(part.rows() - 5)[0]; }
double t_start_of(const Part& part) { return part.state(part.rows() - 4)[0]; }
double elapsed_of(const Part& part) { return part.state(part.rows() - 3)[0]; }
double time_of(const Part& part) { return elapsed_of(part) + t_of(part) - t_start_of(part); }

void add_point(Trajectory& way, double t, const Part& part) {
  way.t.push_back(t);
  for (std::size_t i = 0; i < way.states.size(); ++i) way.states[i].push_back(part.state(static_cast<long long>(i))[0]);
}

// The system `ahead` of where it is now, where no event lies between.
Part moved(const OdeBackend& backend, const Part& from, double ahead) {
  Part copy = from;
  Ensemble e = copy.view();
  copy.counter(Counter::phase)[0] = 0;
  copy.counter(Counter::steps)[0] = 0;
  copy.state(copy.rows() - 4)[0] = t_of(copy);
  e.transient = 0;
  e.record = 1;
  e.each_phase_records = e.all_phases_records = 0;
  e.length = &ahead;
  e.length_per_system = 0;
  e.phase_by_event = 0;
  e.steady = 0;
  e.budget = 1 << 20;
  backend.advance(e);
  return copy;
}

Formulation without_times(const Formulation& formulation) {
  Formulation plain = formulation;
  plain.base.time_records = 0;
  plain.base.time_count = 0;
  return plain;
}

}  // namespace

Follower::Follower(const Formulation& formulation, const OdeBackend& backend, Index system, double every)
    : part_(without_times(formulation), backend, system, 1), before_(part_), every_(every), first_(t_of(part_)) {
  way_.states.resize(formulation.states.size());
  add_point(way_, first_, part_);
}

bool Follower::advance(const OdeBackend& backend, Part::Clock::time_point deadline) {
  const auto done = [this] {
    return !between_ && part_.counter(Counter::course)[0] == static_cast<long long>(Course::done);
  };
  while (!done()) {
    if (between_) {
      between_ = add_point_between(backend);
    } else {
      step(backend);
    }
    if (Part::Clock::now() >= deadline) break;
  }
  return done();
}

void Follower::step(const OdeBackend& backend) {
  Ensemble e = part_.view();
  e.budget = 1;
  before_ = part_;
  const long long accepted = part_.counter(Counter::accepted)[0];
  backend.advance(e);
  if (part_.counter(Counter::accepted)[0] == accepted) return;
  if (every_ <= 0) return add_point(way_, first_ + time_of(part_), part_);
  between_ = true;
}

// The next multiple, where it lies in the last step; false: it does not. A step may hold more of them than a slice of
// work has time for.
bool Follower::add_point_between(const OdeBackend& backend) {
  const double start = time_of(before_), end = time_of(part_), t = every_ * static_cast<double>(number_);
  if (!(t <= end * (1 + 1e-12))) return false;
  const bool there = t >= end * (1 - 1e-12);
  add_point(way_, first_ + t, there ? part_ : moved(backend, before_, t - start));
  ++number_;
  return true;
}

}  // namespace halocline::ode_ensemble
