// Signals that end a run early: SIGTERM, SIGINT, SIGUSR1, SIGHUP unless it is ignored (nohup), and SIGPIPE, of texts
// that nobody reads any more, set a flag that the driver reads between slices of work.
#pragma once

namespace halocline {

// From now on these signals only set the flag (but a SIGINT after another one ends the process), and exceeding the
// file-size limit is an error of write() instead of death.
void catch_signals();
// The number of the last such signal, 0 when none came.
int caught_signal();
// Name of a caught signal, as "SIGTERM".
const char* signal_name(int number);

}  // namespace halocline
