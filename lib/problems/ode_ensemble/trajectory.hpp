// Trajectory: the way of one system, followed step by step once the ensemble is done.
#pragma once

#include <vector>

#include "lib/problems/ode_ensemble/part.hpp"

namespace halocline::ode_ensemble {

struct Trajectory {
  std::vector<double> t;
  std::vector<std::vector<double>> states;  // by state
};

// Integrates a system again, a slice at a time, and keeps its points: the start, then the end of every accepted step,
// or with `every` > 0 the start and its multiples.
class Follower {
 public:
  Follower(const Formulation& formulation, const OdeBackend& backend, Index system, double every);
  // Goes on until `deadline`, at least by a step or by a point between two; true at the end of the system.
  bool advance(const OdeBackend& backend, Part::Clock::time_point deadline);
  const Trajectory& trajectory() const { return way_; }

 private:
  void step(const OdeBackend& backend);
  bool add_point_between(const OdeBackend& backend);

  Part part_;
  Part before_;           // where the last step began
  bool between_ = false;  // points of that step are missing
  double every_, first_;  // the time between points, and that of the start
  long long number_ = 1;  // of the next multiple
  Trajectory way_;
};

}  // namespace halocline::ode_ensemble
