// Tables of tests/data: a line of names, rows of values; # begins a comment.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace halocline::ode_ensemble {

using CsvRow = std::map<std::string, std::string>;

inline std::vector<CsvRow> csv_rows(const std::string& name) {
  std::ifstream in(std::string(HALOCLINE_TEST_DATA) + "/" + name);
  if (!in) throw std::runtime_error("cannot read " + name);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> values;
    std::istringstream fields(line + ",");
    for (std::string field; std::getline(fields, field, ',');) values.push_back(field);
    if (names.empty()) {
      names = values;
      continue;
    }
    rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) rows.back()[names[i]] = values.at(i);
  }
  return rows;
}

inline double number(const CsvRow& row, const std::string& name) {
  const std::string& text = row.at(name);
  return text.empty() ? 0 : std::strtod(text.c_str(), nullptr);
}

}  // namespace halocline::ode_ensemble
