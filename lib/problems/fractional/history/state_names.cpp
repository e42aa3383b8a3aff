#include "lib/problems/fractional/history/state_names.hpp"

#include "lib/base/format.hpp"

namespace halocline::fractional {

std::string numbered(const char* name, int digits, Index number) {
  return formatted("{}_{:0{}}", name, number, digits);
}

std::string exponentials_text(int terms, double error, int block) {
  if (terms == 0) return formatted("history by sums over all increments, within the one block of {} steps", block);
  return formatted("history by {} exponentials, relative error of the kernel {:.2g}, in blocks of {} steps", terms,
                   error, block);
}

std::string series_text(int terms) { return formatted("history by a series of {} terms", terms); }

std::string direct_text(int block) { return formatted("history of all increments, in blocks of {} steps", block); }

}  // namespace halocline::fractional
