// Cuts a program of (x, y) into what depends on x alone, what depends on y alone, and the rest. For use inside
// lib/expression.
#pragma once

#include "lib/expression/program.hpp"

namespace halocline {

struct ProgramParts {
  Program x, y;    // of (x, y), of which they use one; their results are the variables of `points`:
  Program points;  // first those of x, then those of y. Results as in the whole program.
};

// Every value is computed by the same operation on the same operands as in `program`. Neither x nor y gets more than
// `most_rows` results beside the variable itself; what would exceed them is left to `points`.
ProgramParts split_program(const Program& program, int most_rows);

}  // namespace halocline
