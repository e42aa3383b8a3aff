// report.json of a run, read back.
#pragma once

#include <string>

#include "io/output/report.hpp"

namespace halocline {

// What report_text() has made, of this version or an earlier one: what it lacks keeps its default. DeckError when it is
// no such text.
Report parse_report(const std::string& text);
// The same of a file. MachineError when it cannot be read.
Report read_report(const std::string& path);

}  // namespace halocline
