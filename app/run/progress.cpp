#include "app/run/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double line_interval = 0.5;     // s between renewals on a terminal
constexpr double first_log_interval = 2;  // s until the second line of a log, then half as long again each time
constexpr double longest_log_interval = 600;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

bool stderr_is_terminal() {
  if (isatty(STDERR_FILENO) == 1) return true;
  // The launcher above this process writes what comes through the pipe; Linux tells where its own stderr goes.
  std::array<char, 256> target{};
  const std::string link = "/proc/" + std::to_string(getppid()) + "/fd/2";
  const ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
  if (length <= 0) return false;
  const std::string path(target.data(), static_cast<std::size_t>(length));
  const bool launched = std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMIX_RANK") != nullptr;
  return launched && (path.starts_with("/dev/pts/") || path.starts_with("/dev/tty"));
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "many years";  // and more than numbers of seconds may hold
  const auto whole = static_cast<long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

double residual_in(const std::string& status) {
  const std::string word = "residual ";
  const std::size_t at = status.find(word);
  if (at == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const char* begin = status.c_str() + at + word.size();
  const double value = std::strtod(begin, &end);
  return end == begin ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string progress_text(const Step& step, double seconds_left, const std::string& rate) {
  const double percent = 100 * std::clamp(step.fraction, 0.0, 1.0);
  std::string text = std::to_string(static_cast<int>(percent)) + " %";
  if (!step.status.empty()) text += ", " + step.status;
  if (!rate.empty()) text += ", " + rate;
  if (seconds_left >= 0) text += ", " + duration_text(seconds_left) + " left";
  return text;
}

Progress::Progress(Log& log, bool speaks, bool terminal, MonitorFile* monitor)
    : log_(log),
      speaks_(speaks),
      terminal_(terminal),
      monitor_(monitor),
      wait_(terminal ? line_interval : first_log_interval) {}

Progress::~Progress() { finish(); }

void Progress::watch(const Step& step, Index steps, double rate, double left) {
  if (monitor_ == nullptr) return;
  const double seconds = seconds_between(start_, Clock::now());
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const MonitorRecord record{seconds,
                             step.t,
                             std::clamp(step.fraction, 0.0, 1.0),
                             steps,
                             rate >= 0 ? rate : unknown,
                             left >= 0 ? left : unknown,
                             residual_in(step.status),
                             step.status,
                             step.finished};
  if (monitor_->append(record)) return;
  log_.warning("the file of --monitor cannot be written; the run goes on without it");
  monitor_ = nullptr;
}

void Progress::update(const Step& step, Index steps) {
  if (!speaks_) return;
  const Clock::time_point now = Clock::now();
  const bool iterates = steps == 0 && step.status.find("iteration") != std::string::npos;
  const double count = iterates ? step.t : static_cast<double>(steps);
  if (first_fraction_ < 0) {
    // What was done in the first slice is not known to have begun with it: a restart begins in the middle.
    first_fraction_ = step.fraction;
    first_count_ = count;
    first_ = now;
  }
  const double done = step.fraction - first_fraction_, seconds = seconds_between(first_, now);
  const double left = done > 0 ? seconds * (1 - step.fraction) / done : -1;
  const double rate = count > first_count_ && seconds > 0 ? (count - first_count_) / seconds : -1;
  watch(step, steps, rate, left);
  if (seconds_between(last_, now) < wait_) return;
  last_ = now;
  const std::string speed = rate > 0 ? formatted("{:.3g} {}/s", rate, iterates ? "iterations" : "steps") : "";
  const std::string text = progress_text(step, left, speed);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    line_open_ = true;
    log_.flush();
  } else {
    log_.info(text);
    wait_ = std::min(longest_log_interval, 1.5 * wait_);
  }
}

void Progress::finish() {
  if (!line_open_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  line_open_ = false;
}

}  // namespace halocline
