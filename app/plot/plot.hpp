// `halocline plot`: figures of runs.
#pragma once

#include <string>

#include "app/cli.hpp"

namespace halocline {

// Draws and writes the figure; returns its path and what is seen. By one process. Throws DeckError when there is no
// such thing to draw, MachineError when a file cannot be read or written.
std::string plot_runs(const Command::Plot& wanted);

}  // namespace halocline
