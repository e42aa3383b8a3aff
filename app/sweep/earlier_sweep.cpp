#include "app/sweep/earlier_sweep.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/plot/columns.hpp"
#include "io/files.hpp"
#include "io/manifest.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/lines.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {
namespace {

// The cells of a line of sweep.csv.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

bool same_value(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::vector<FormulaFault> faults;
  const std::optional<double> first = parse_number({one, {}}, faults), second = parse_number({other, {}}, faults);
  return faults.empty() && first && second && *first == *second;
}

// The paths of keys whose names sweep.csv has already shown to agree; those that cannot be read agree.
bool same_paths(const std::string& file, const SweepCases& cases) {
  try {
    const TableFile tables(file);
    for (const SweptKey& key : cases.keys()) {
      const std::string column = "/sweep/" + key.name;
      if (tables.contains(column) && tables.text(column, "key") != key.path) return false;
    }
  } catch (const Error&) {
    return true;  // damaged or not there
  }
  return true;
}

bool same_keys(const std::vector<std::string>& head, const std::string& directory, const SweepCases& cases) {
  const std::vector<SweptKey>& keys = cases.keys();
  if (head.size() < keys.size() + 2 || head[keys.size() + 1] != "result") return false;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (head[k + 1] != keys[k].name) return false;
  return same_paths(directory + "/sweep.h5", cases);
}

}  // namespace

std::string fault_of_going_on(const std::string& directory, const SweepCases& cases) {
  const std::string file = directory + "/sweep.csv";
  if (std::error_code ignored; !std::filesystem::exists(file, ignored)) return "";
  const std::string text = read_text(file);
  std::string_view lines = text, line;
  if (!next_line(lines, line)) return "";
  if (!same_keys(cells_of(line), directory, cases)) return "other keys were swept there";
  Index number = 0;
  for (; next_line(lines, line); ++number) {
    const std::vector<std::string> cells = cells_of(line);
    if (number >= cases.size()) return "it has more cases";
    const std::vector<SweptKey>& keys = cases.keys();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::string& value = keys[k].values[cases.place(number, k)];
      if (k + 1 < cells.size() && same_value(cells[k + 1], value)) continue;
      return "its case " + std::to_string(number + 1) + " has " + keys[k].name + "=" +
             (k + 1 < cells.size() ? cells[k + 1] : "") + ", not " + value;
    }
  }
  return "";
}

std::vector<std::string> cases_in(const std::string& directory, Index cases) {
  const std::string prefix = "case_";
  std::vector<std::string> names;
  for (const std::string& name : list_files(directory, prefix, "")) {
    const Index number = std::strtoll(name.c_str() + prefix.size(), nullptr, 10);
    if (number < 1 || name != SweepCases::folder(number - 1)) continue;
    if (std::error_code none; std::filesystem::is_symlink(directory + "/" + name, none))
      throw MachineError(directory + "/" + name +
                         " is in the way: it is a link; nothing was computed. Remove the link, " +
                         "or choose another directory with --set output.directory=DIR");
    const std::string place = directory + "/" + name;
    if (Manifest(place).is_case())
      names.push_back(name);
    else if (std::error_code none; number <= cases && std::filesystem::exists(place + "/deck.yaml", none))
      throw MachineError(place +
                         " is in the way: it is a run that no sweep has made, or an older version; nothing was " +
                         "computed. Move it, or choose another directory with --set output.directory=DIR");
  }
  return names;
}

}  // namespace halocline
