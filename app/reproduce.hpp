// Reproduce: runs the decks behind published tables and prints them with our values and the ratios.
#pragma once

#include <string>
#include <vector>

#include "app/cli.hpp"
#include "lib/base/log.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// One quantity of one case as a table shows it: "294 | 287 | 0.976"; "-" for what is not known (published 0, ours NaN).
std::string comparison_cells(double published, double ours);
// The same of a case that wants a GPU where there is none: "294 | no GPU | -".
std::string left_out_cells(double published);

// Runs what command.deck names (see find_comparison), those with command.match in "CASE, VARIANT", and prints Markdown
// tables on rank 0, row by row; what wants a GPU by name is left out where there is none. Returns 0, or 3 when a case
// did not converge. Writes no files. Collective.
int run_reproduce(const Communicator& comm, Log& log, const Command& command);

}  // namespace halocline
