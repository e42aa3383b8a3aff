// Progress: where a run stands, for people: one line that renews itself on a terminal, lines at growing intervals in a
// log.
#pragma once

#include <chrono>
#include <string>

#include "lib/base/log.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// True when stderr ends on a terminal, also behind mpirun (which gives its children pipes).
bool stderr_is_terminal();

class Progress {
 public:
  // Silent unless `speaks` (rank 0).
  Progress(Log& log, bool speaks, bool terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const Step& step);
  // Ends the line under way, so that other text can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Log& log_;
  bool speaks_, terminal_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  double first_fraction_ = -1;  // a restart begins in the middle
  double wait_;                 // s until the next line
  bool line_open_ = false;
};

// "34 %, iteration 120, residual 3e-05, 12 s left"; seconds_left < 0: not known.
std::string progress_text(const Step& step, double seconds_left);
// "43 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace halocline
