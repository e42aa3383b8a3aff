// Reads tables of text: a line of names, then rows of values, all separated by commas; lines that begin with # are
// comments. Blank lines, line ends of DOS and a byte order mark do not count.
#pragma once

#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::ode_ensemble {

struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;  // as many values as names
  std::string path;
  std::vector<Index> lines;                                      // of the rows, from 1
  std::vector<std::vector<Index>> places;                        // of the values in their lines, from 1
  std::string place(std::size_t row, std::size_t column) const;  // "file.csv:3:8"
  int column(const std::string& name) const;                     // -1: none
  std::string lacks(const std::string& name) const;              // that there is no such column, and which there are
};

// `file`: a path relative to the deck in which the text stands. Throws DeckError, also where numbers stand side by side
// without a comma, where it is no plain file and where it is larger than 1 GiB; MachineError where reading fails on the
// way, which is never taken for the end.
CsvTable read_csv(const Formula& file);

// The number a value stands for; NaN when it is none.
double csv_number(const std::string& text);

}  // namespace halocline::ode_ensemble
