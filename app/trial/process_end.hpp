// Waiting for a process that was started, with an end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

namespace halocline {

struct ProcessEnd {
  enum class How { by_itself, too_late, interrupted } how = How::by_itself;
  int status = 0;  // of waitpid(), where it has ended by itself
};

/// Waits for a child of this process, no longer than `most`, and no longer than until `interrupted` says so; then the
/// child is ended. One that the system does not let go of is left behind.
ProcessEnd end_of_process(pid_t process, std::chrono::milliseconds most, const std::function<bool()>& interrupted);

}  // namespace halocline
