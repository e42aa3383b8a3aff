// `halocline plot`: columns of tables.h5 as a diagram.
#pragma once

#include <string>

#include "app/cli.hpp"

namespace halocline {

// Draws and writes the picture; returns its path, and of a map what its colors mean. By one process. Throws DeckError
// when the file has no such columns, MachineError when a file cannot be read or written.
std::string plot_tables(const Command::Plot& wanted);

}  // namespace halocline
