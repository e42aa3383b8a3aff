#include "lib/problems/ode_ensemble/tables/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include "io/input_file.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr Index largest = Index{1} << 30;                     // bytes; all of a table is held in memory
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // spreadsheets write it in front of UTF-8

struct Cells {
  std::vector<std::string> values;
  std::vector<Index> places;
};

Cells split(std::string_view line) {
  constexpr const char* blanks = " \t\r";
  Cells cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::size_t first = std::min(line.find_first_not_of(blanks, begin), end);
    const std::size_t last = first < end ? line.find_last_not_of(blanks, end - 1) + 1 : first;
    cells.values.emplace_back(line.substr(first, last - first));
    cells.places.push_back(static_cast<Index>(first) + 1);
    begin = end + 1;
  }
  return cells;
}

// "1 2", say.
bool is_several_numbers(std::string_view cell) {
  int count = 0;
  for (std::string_view word = next_word(cell); !word.empty(); word = next_word(cell), ++count)
    if (std::isnan(csv_number(std::string(word)))) return false;
  return count > 1;
}

}  // namespace

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  return path + ":" + std::to_string(lines[row]) + ":" + std::to_string(places[row][column]);
}

std::string CsvTable::lacks(const std::string& name) const {
  std::string text = "the file has no column '" + name + "'; its names are ";
  const std::size_t shown = std::min<std::size_t>(names.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
  return shown < names.size() ? text + ", ..." : text;
}

CsvTable read_csv(const Formula& file) {
  const std::filesystem::path path = std::filesystem::path(file.place.file).parent_path() / file.text;
  const InputFile in(path.string());
  if (in.size() > largest) throw DeckError(path.string() + ": is larger than 1 GiB");
  CsvTable table;
  table.path = path.string();
  Index number = 0;
  LineReader lines(in, 0, in.size());
  for (std::string_view line; lines.next(line);) {
    if (++number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    Cells cells = split(line);
    if (table.names.empty()) {
      table.names = std::move(cells.values);
      continue;
    }
    if (cells.values.size() != table.names.size())
      throw DeckError(path.string() + ":" + std::to_string(number) + ": expected " +
                      std::to_string(table.names.size()) + " values, found " + std::to_string(cells.values.size()));
    table.lines.push_back(number);
    table.places.push_back(std::move(cells.places));
    table.rows.push_back(std::move(cells.values));
    for (std::size_t c = 0; c < table.names.size(); ++c)
      if (is_several_numbers(table.rows.back()[c]))
        throw DeckError(table.place(table.rows.size() - 1, c) + ": '" + table.rows.back()[c] +
                        "' is no number; commas separate values");
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
