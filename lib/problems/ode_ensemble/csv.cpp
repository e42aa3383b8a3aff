#include "lib/problems/ode_ensemble/csv.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

namespace halocline::ode_ensemble {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // spreadsheets write it in front of UTF-8

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

std::string CsvTable::lacks(const std::string& name) const {
  std::string text = "the file has no column '" + name + "'; its names are ";
  const std::size_t shown = std::min<std::size_t>(names.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
  return shown < names.size() ? text + ", ..." : text;
}

CsvTable read_csv(const Formula& file) {
  const std::filesystem::path path = std::filesystem::path(file.place.file).parent_path() / file.text;
  std::ifstream in(path);
  if (!in) throw DeckError("cannot read " + path.string());
  if (std::filesystem::is_directory(path)) throw DeckError("cannot read " + path.string() + ": Is a directory");
  CsvTable table;
  Index number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
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

}  // namespace halocline::ode_ensemble
