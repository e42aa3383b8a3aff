// Cuts programs: one of (x, y) into what depends on x alone, what depends on y alone, and the rest; one of any
// variables into what depends on the first of them alone, and the rest.
#pragma once

#include <vector>

#include "lib/expression/program.hpp"

namespace halocline {

struct ProgramParts {
  Program x, y;    // of (x, y), of which they use one; their results are the variables of `points`:
  Program points;  // first those of x, then those of y. Results as in the whole program.
};

// Every value is computed by the same operation on the same operands as in `program`. Neither x nor y gets more than
// `most_rows` results beside the variable itself; what would exceed them is left to `points`.
ProgramParts split_program(const Program& program, int most_rows);

struct StillParts {
  std::vector<Program> still;  // of all variables, of which they use the first, with one result each
  Program rest;                // of all variables and then those results; results as in the whole program
};

// Takes out what depends on the first `first` variables alone, where that is dearer than reading it from memory: the
// `most` dearest at most. Every value is computed by the same operation on the same operands as in `program`.
StillParts split_still(const Program& program, int first, int most);

// Takes out what rasters give, so that the rest can run where there are none.
StillParts split_looks(const Program& program);

}  // namespace halocline
