// Fuzz target: the input is a table of text, as ensembles read it for their systems and forcings. What is read has a
// value for every name, and places that are in the file; points of a forcing increase.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/tables/csv.hpp"
#include "lib/problems/ode_ensemble/tables/forcing.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline::ode_ensemble {
namespace {

using fuzz::must;

void check(const CsvTable& table, std::string_view input) {
  const auto lines = 1 + std::count(input.begin(), input.end(), '\n');
  must(!table.names.empty() && table.lines.size() == table.rows.size() && table.places.size() == table.rows.size());
  Index before = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    must(table.rows[row].size() == table.names.size() && table.places[row].size() == table.names.size());
    must(table.lines[row] > before && table.lines[row] <= lines);
    before = table.lines[row];
    for (std::size_t c = 0; c < table.names.size(); ++c) {
      const std::string& value = table.rows[row][c];
      must(table.places[row][c] >= 1 && value.find(',') == std::string::npos);
      const double number = csv_number(value);
      must(std::isnan(number) || !value.empty());
    }
  }
  for (const std::string& name : table.names) must(table.names[static_cast<std::size_t>(table.column(name))] == name);
  must(!table.lacks("no such name").empty());
}

// The first two columns as times and values.
void check_points(const Points& read) {
  if (!read.fault.empty()) return must(!read.key.empty());
  must(read.x.size() == read.y.size() && read.x.size() >= 2);
  for (std::size_t i = 0; i < read.x.size(); ++i) must(i == 0 || read.x[i] > read.x[i - 1]);
  std::vector<double> numbers;
  for (const bool cubic : {false, true}) {
    const TableShape shape = add_table(read.x, read.y, cubic, false, numbers);
    must(shape.at >= 0 && static_cast<std::size_t>(shape.count) == read.x.size());
  }
}

void run(std::string_view input) {
  static const fuzz::Folder folder;
  static fuzz::File file(folder, "table.csv");
  static const Formula named{file.path(), {"", 1, 1}};
  file.set(input);
  CsvTable table;
  if (fuzz::refused([&] { table = read_csv(named); })) return;
  check(table, input);
  check_points(read_points({{"", named}}, table.names.front(), table.names.back()));
}

}  // namespace
}  // namespace halocline::ode_ensemble

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::ode_ensemble::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
