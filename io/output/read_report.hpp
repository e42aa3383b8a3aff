// report.json of a run, read back.
#pragma once

#include <string>

#include "io/output/report.hpp"

namespace halocline {

// What write_report() has written, of this version or an earlier one: what a file lacks keeps its default. DeckError
// when it is no such file.
Report read_report(const std::string& path);

}  // namespace halocline
