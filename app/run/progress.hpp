// Progress: where a run stands, for people: one line that renews itself on a terminal, lines at growing intervals in a
// log.
#pragma once

#include <chrono>
#include <string>

#include "io/output/monitor_file.hpp"
#include "lib/base/log.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// True when stderr ends on a terminal, also behind mpirun (which gives its children pipes).
bool stderr_is_terminal();

class Progress {
 public:
  // Silent unless `speaks` (rank 0). `monitor`, if any, gets a record per update and outlives this.
  Progress(Log& log, bool speaks, bool terminal, MonitorFile* monitor = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `steps`: of all so far, 0 where the family does not count them.
  void update(const Step& step, Index steps = 0);
  // Ends the line under way, so that other text can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void watch(const Step& step, Index steps, double rate, double left);
  Log& log_;
  bool speaks_, terminal_;
  Clock::time_point start_ = Clock::now(), last_ = start_, first_ = start_;
  double first_fraction_ = -1;  // a restart begins in the middle
  double first_count_ = 0;      // of steps or iterations
  MonitorFile* monitor_;
  double wait_;  // s until the next line
  bool line_open_ = false;
};

// "34 %, iteration 120, residual 3e-05, 52 iterations/s, 12 s left"; seconds_left < 0, rate "": not known.
std::string progress_text(const Step& step, double seconds_left, const std::string& rate = "");
// The number behind the word in a status, "iteration 120, residual 3e-05"; NaN where there is none.
double residual_in(const std::string& status);
// "43 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace halocline
