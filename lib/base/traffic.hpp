// Traffic: what a rank has sent to others.
#pragma once

#include "lib/base/types.hpp"

namespace halocline {

struct Traffic {
  Index messages = 0;
  Index bytes = 0;

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  friend Traffic operator+(Traffic one, const Traffic& other) { return one += other; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

}  // namespace halocline
