// Counts a call of MPI for the rank and the phase it is made in.
#pragma once

#include "tests/scale/smpi/ledger.hpp"

namespace scale {

template <class Call>
int counted(const char* name, double messages, double bytes, const Call& call) {
  const double before = now();
  const int code = call();
  Count& count = ledger().now_in().calls[name];
  ++count.calls;
  count.messages += messages;
  count.bytes += bytes;
  count.seconds += now() - before;
  return code;
}

}  // namespace scale

// The head of a function that the linker puts before one of the same name without prefix.
#define SCALE_WRAP(name, ...)                \
  extern "C" int __real_##name(__VA_ARGS__); \
  extern "C" int __wrap_##name
