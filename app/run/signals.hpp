// Signals that end a run early: SIGTERM, SIGINT, SIGUSR1, SIGHUP unless it is ignored (nohup), and SIGPIPE, of texts
// that nobody reads any more, set a flag that the driver reads between slices of work. Where nobody reads it, in set-up
// and in verification, a thread ends the program after two seconds, with the exit code of a failing machine.
#pragma once

namespace halocline {

// How a program ends at once, which main() alone decides; without it, signals are heard between slices alone.
void let_signals_end(void (*end)(int code));
// From now on these signals set the flag (but a SIGINT after another one ends the process), and exceeding the file-size
// limit is an error of write() instead of death. Once, on every rank.
void catch_signals(int rank);
// From now on they end the process, as is usual: nothing is left to be done.
void leave_signals();
// The number of the last such signal, 0 when none came. Who asks is to end in order.
int caught_signal();

// Lives where somebody will ask before long.
class SignalListener {
 public:
  SignalListener();
  ~SignalListener();
  SignalListener(const SignalListener&) = delete;
  SignalListener& operator=(const SignalListener&) = delete;
};
// Name of a caught signal, as "SIGTERM".
const char* signal_name(int number);

}  // namespace halocline
