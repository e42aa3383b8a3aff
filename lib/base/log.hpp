// Log: levels, one voice (rank 0) on the terminal, a copy in the run's log file.
#pragma once

#include <memory>
#include <string>

namespace halocline {

enum class LogLevel { debug, info, warning, error, off };

class Log {
 public:
  // Speaks on stderr at `level` and above when `speaks` (rank 0); other ranks only write to their file, if any.
  Log(bool speaks, LogLevel level);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Copies everything, debug included, to `path` (truncated), also what was said before. Throws MachineError if it
  // cannot be opened.
  void open_file(const std::string& path);

  void debug(const std::string& message);
  void info(const std::string& message);
  void warning(const std::string& message);
  void error(const std::string& message);
  // For the file alone: what the terminal gets in another way.
  void record(const std::string& text);
  void flush();

 private:
  struct Sinks;
  std::unique_ptr<Sinks> sinks_;
};

}  // namespace halocline
