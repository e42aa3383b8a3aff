// `halocline report`: one page of a run for a browser, with nothing outside of it.
#pragma once

#include <string>

#include "app/cli.hpp"

namespace halocline {

// The page of the run in a directory: state and findings, figures (SVG, inline), convergence, conservation, orders of a
// study beside it, times and profile, versions and layout, the deck and the command that runs it again. DeckError when
// the directory holds no report.json.
std::string report_page(const std::string& directory);

// Writes it, and returns the path.
std::string write_report_page(const Command::Plot& wanted);

}  // namespace halocline
