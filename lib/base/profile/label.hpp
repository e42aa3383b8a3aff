// Label: what a kernel is called in messages and profiles, and how much it moves.
#pragma once

namespace halocline {

struct Label {
  // Implicit, so that a name alone will do. `name` lives on, as a literal does. `bytes`: read from and written to
  // memory by the model of the caller, each value once; 0 where it states none.
  constexpr Label(const char* name, double bytes = 0) : name(name), bytes(bytes) {}
  const char* name;
  double bytes;
};

}  // namespace halocline
