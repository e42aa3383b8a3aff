#include "lib/problems/ode_ensemble/csv.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace halocline::ode {

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> values(1);
  for (const char c : line) {
    if (c == ',') {
      values.emplace_back();
    } else if (c != '\r' && c != ' ' && c != '\t') {
      values.back() += c;
    }
  }
  return values;
}

}  // namespace

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

CsvTable read_csv(const Formula& file) {
  const std::filesystem::path path = std::filesystem::path(file.place.file).parent_path() / file.text;
  std::ifstream in(path);
  if (!in) throw DeckError("cannot read " + path.string());
  CsvTable table;
  Index number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> values = split(line);
    if (table.names.empty()) {
      table.names = std::move(values);
    } else if (values.size() == table.names.size()) {
      table.rows.push_back(std::move(values));
    } else {
      throw DeckError(path.string() + ":" + std::to_string(number) + ": expected " +
                      std::to_string(table.names.size()) + " values, found " + std::to_string(values.size()));
    }
  }
  if (table.names.empty()) throw DeckError(path.string() + " has no line of names");
  return table;
}

double csv_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace halocline::ode
