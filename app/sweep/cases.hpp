// SweepCases: every combination of the values that `--over key.path=v1,v2,...` gives to keys of a deck.
#pragma once

#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct SweptKey {
  std::string path;                 // "collocation.equation.eta"
  std::string name;                 // "eta", or the path where two keys end alike
  std::vector<std::string> values;  // YAML, as in --set
  std::vector<double> numbers;      // the values, or their places from 0 on where some are no numbers
  bool words = false;               // some are not
  const char* spacing() const;      // "log" where neighbors have one ratio, otherwise "linear"
};

class SweepCases {
 public:
  // `over`: texts of the command line; commas inside of brackets and quotes belong to a value. DeckError with the
  // reason when one cannot be understood, and when there are more cases than make sense.
  explicit SweepCases(const std::vector<std::string>& over);
  const std::vector<SweptKey>& keys() const { return keys_; }
  Index size() const { return size_; }
  // Which value of a key a case has; the last key changes from case to case.
  std::size_t place(Index number, std::size_t key) const;
  // Overrides key.path=value of a case.
  std::vector<std::string> overrides(Index number) const;
  // "eta=-10, method=schur"
  std::string label(Index number) const;
  // "case_0001" of the first.
  static std::string folder(Index number);

 private:
  std::vector<SweptKey> keys_;
  Index size_ = 1;
};

}  // namespace halocline
