// A file to watch a run by from elsewhere: one line of JSON per slice of work.
#pragma once

#include <string>

#include "lib/base/types.hpp"

namespace halocline {

struct MonitorRecord {
  double seconds = 0;   // since the run began
  double time = 0;      // problem time, or the iteration
  double fraction = 0;  // of the work, 0 to 1
  Index steps = 0;      // 0 where a family does not count
  double rate = 0, left = 0,
         residual = 0;  // steps or iterations per second, s, relative; NaN: not known, null in the file
  std::string status;
  bool finished = false;
};

std::string monitor_line(const MonitorRecord& record);

// Opened when it is made; lines go behind those that are there, each in one piece. For one process.
class MonitorFile {
 public:
  explicit MonitorFile(const std::string& path);  // MachineError when it cannot be opened
  ~MonitorFile();
  MonitorFile(const MonitorFile&) = delete;
  MonitorFile& operator=(const MonitorFile&) = delete;

  // False when it could not be written: a run does not end for that.
  bool append(const MonitorRecord& record);

 private:
  int file_;
};

}  // namespace halocline
