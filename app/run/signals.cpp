#include "app/run/signals.hpp"

#include <signal.h>

#include <initializer_list>

namespace halocline {
namespace {

volatile sig_atomic_t last_signal = 0;

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

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = keep;
  action.sa_flags = SA_RESTART;  // system calls inside libraries go on
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGPIPE})
    if (number != SIGHUP || !is_ignored(number)) sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

int caught_signal() { return last_signal; }

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
