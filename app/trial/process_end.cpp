#include "app/trial/process_end.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace halocline {
namespace {

using Clock = std::chrono::steady_clock;

// Whether there is nothing left to wait for.
bool has_ended(pid_t process, int& status) {
  const pid_t found = ::waitpid(process, &status, WNOHANG);
  if (found < 0 && errno != EINTR) status = 0;
  return found == process || (found < 0 && errno != EINTR);
}

// Looks soon, and later less often.
template <class Stop>
bool ends_before(pid_t process, int& status, const Stop& stop) {
  constexpr std::chrono::microseconds longest{5000};
  for (std::chrono::microseconds pause{200}; !has_ended(process, status); pause = std::min(pause * 2, longest)) {
    if (stop()) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace

ProcessEnd end_of_process(pid_t process, std::chrono::milliseconds most, const std::function<bool()>& interrupted) {
  constexpr std::chrono::milliseconds to_die{1000};
  ProcessEnd end;
  const Clock::time_point last = Clock::now() + most;
  const auto stop = [&] {
    if (interrupted()) end.how = ProcessEnd::How::interrupted;
    if (end.how == ProcessEnd::How::by_itself && Clock::now() > last) end.how = ProcessEnd::How::too_late;
    return end.how != ProcessEnd::How::by_itself;
  };
  if (ends_before(process, end.status, stop)) return end;
  ::kill(process, SIGKILL);
  const Clock::time_point dead = Clock::now() + to_die;
  ends_before(process, end.status, [&] { return Clock::now() > dead; });
  return end;
}

}  // namespace halocline
