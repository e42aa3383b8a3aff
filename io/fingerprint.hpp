// Fingerprint: the value of every key that a family's options have, by its path, and which of them may change when a
// run is continued: what a checkpoint keeps of the deck it was saved with.
#pragma once

#include <map>
#include <string>

namespace halocline {

struct Fingerprint {
  struct Value {
    std::string text;  // long ones by their digest; of a file: by its contents
    bool may_change = false;
    std::string file = {};  // that the key names
  };
  std::map<std::string, Value> keys;

  // A line for each key, which read_fingerprint() reads.
  std::string text() const;
};

Fingerprint read_fingerprint(const std::string& text);

// What differs between a run that was saved and the deck at hand, in words, the first few keys: those that must not
// change, or with `may_change` the others; empty when nothing does.
std::string differences(const Fingerprint& saved, const Fingerprint& now, bool may_change);

}  // namespace halocline
