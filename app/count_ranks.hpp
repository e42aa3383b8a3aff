#pragma once

#include <string>

namespace halocline {

// What is wrong where a launcher has started more processes than MPI knows of, so that each would be a whole run of its
// own; empty where nothing is. `size`: of MPI_COMM_WORLD.
std::string fault_of_launcher(int size);

}  // namespace halocline
