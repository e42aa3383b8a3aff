#include "app/run/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <system_error>
#include <thread>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// Set by whichever thread a signal comes to, and read by others.
std::atomic<int> last_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "handlers of signals take no lock");
std::atomic<bool> heard{false};
std::atomic<int> listeners{0};
void (*end_at_once)(int) = nullptr;

// Long enough for set-up that is nearly done, and shorter than what batch systems wait.
constexpr std::chrono::milliseconds patience{2000};

// A second SIGINT is a user who does not want to wait for the end of a slice.
void keep(int number) {
  if (number == SIGINT && last_signal == SIGINT) {
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);  // takes effect when the handler returns
  }
  last_signal = number;
}

// As by nohup.
bool is_ignored(int number) {
  struct sigaction now = {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// Of several ranks the lowest is to speak. Files have their names when they are complete, so there is nothing to undo.
void end_unheard(int rank) {
  if (rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const std::string text =
      std::string("halocline: ended by ") + signal_name(last_signal) +
      " where a run cannot stop in order (set-up, verification); files under their final names are " +
      "whole, and --restart auto goes on from the last checkpoint" +
      (rank > 0 ? " (on rank " + std::to_string(rank) + ")\n" : "\n");
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, text.data(), text.size());
  end_at_once(static_cast<int>(ExitCode::machine));
}

void watch(int rank) {
  std::chrono::milliseconds unheard{0};
  constexpr std::chrono::milliseconds pause{100};
  for (;;) {
    std::this_thread::sleep_for(pause);
    const bool waits = last_signal != 0 && !heard && listeners == 0;
    unheard = waits ? unheard + pause : pause * 0;
    if (unheard >= patience) return end_unheard(rank);
  }
}

}  // namespace

void let_signals_end(void (*end)(int)) { end_at_once = end; }

void catch_signals(int rank) {
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = keep;
  action.sa_flags = SA_RESTART;  // system calls inside libraries go on
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGPIPE})
    if (number != SIGHUP || !is_ignored(number)) sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
  if (end_at_once == nullptr) return;
  // Signals come to the threads that work.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(watch, rank).detach();
  } catch (const std::system_error&) {
    // No room for a thread: signals are heard between slices alone.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void leave_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP})
    if (!is_ignored(number)) signal(number, SIG_DFL);
}

int caught_signal() {
  const int number = last_signal;
  if (number != 0) heard = true;
  return number;
}

SignalListener::SignalListener() { ++listeners; }
SignalListener::~SignalListener() { --listeners; }

const char* signal_name(int number) {
  switch (number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGHUP:
      return "SIGHUP";
    case SIGPIPE:
      return "SIGPIPE";
    default:
      return "a signal";
  }
}

}  // namespace halocline
