#include "app/plot/plot.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/plot/figures.hpp"
#include "io/files.hpp"
#include "io/manifest.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

// A run or a sweep, or tables alone.
struct Run {
  std::string directory;
  std::string tables;  // "" where there are none
};

Run run_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    const std::string name = fs::path(path).filename().string();
    if (name.starts_with("fields") && name.find("hdf") != std::string::npos) {
      const std::string directory = fs::path(path).parent_path().string();
      throw DeckError(path + ": give the directory of the run, " + (directory.empty() ? "." : directory) +
                      ", and an output of its fields with --time");
    }
    const fs::path parent = fs::path(path).parent_path();
    return {parent.empty() ? "." : parent.string(), path};
  }
  for (const char* name : {"/sweep.h5", "/tables.h5"})
    if (fs::exists(path + name, ignored)) return {path, path + name};
  return {path, ""};
}

NamedFigure figure_of_one(const Run& run, const std::string& given, const Command::Plot& wanted) {
  if (!wanted.field.empty()) return field_figure(run.directory, wanted.field, wanted);
  const bool asked = !wanted.x.empty() || !wanted.y.empty() || !wanted.map.empty();
  const std::vector<std::string> fields =
      asked || given == run.tables ? std::vector<std::string>{} : fields_of(run.directory);
  if (run.tables.empty()) {
    if (asked) throw DeckError(given + " holds no tables.h5");
    if (fields.empty()) throw DeckError(given + " holds neither fields nor tables of a run");
    return field_figure(run.directory, fields.front(), wanted);
  }
  const TableFile tables(run.tables);
  if (!wanted.y.empty() && is_series(tables.find(wanted.y.front()))) return series_figure({&tables}, wanted.y, wanted);
  if (asked || !tables.swept().empty() || !tables.columns_in("/trajectory").empty())
    return ensemble_figure(tables, wanted);
  if (!fields.empty()) return field_figure(run.directory, fields.front(), wanted);
  const std::vector<std::string> series = default_series(tables);
  return series.empty() ? ensemble_figure(tables, wanted) : series_figure({&tables}, series, wanted);
}

// The ends of the vertical axis of what has no colors.
void take_range(const Command::Plot& wanted, Figure& figure) {
  if (wanted.range.size() != 2 || figure.map) return;
  if (figure.y.logarithmic && wanted.range[0] <= 0)
    throw DeckError("halocline: --range " + shortest_text(wanted.range[0]) + ": a logarithmic axis begins above 0");
  figure.y.low = wanted.range[0];
  figure.y.high = wanted.range[1];
}

// The series of several runs: residuals, where nobody says.
NamedFigure figure_of_several(const Command::Plot& wanted) {
  if (!wanted.field.empty() || !wanted.map.empty())
    throw DeckError("of several runs series can be drawn together, no fields and no maps");
  std::vector<std::unique_ptr<TableFile>> files;
  std::vector<const TableFile*> tables;
  for (const std::string& path : wanted.files) {
    const Run run = run_of(path);
    if (run.tables.empty())
      throw DeckError(path + " holds no tables.h5: several runs are drawn together as series only; draw fields of one");
    files.push_back(std::make_unique<TableFile>(run.tables));
    tables.push_back(files.back().get());
  }
  if (!wanted.y.empty()) return series_figure(tables, wanted.y, wanted);
  const auto has_residuals = [](const TableFile* table) {
    for (const std::string& path : table->columns_in("/series"))
      if (path.find("residual_history") != std::string::npos) return true;
    return false;
  };
  if (std::none_of(tables.begin(), tables.end(), has_residuals))
    throw DeckError("several runs are drawn together as series only, and these have no residuals: name a series with " +
                    std::string("--y, or draw one run"));
  return series_figure(tables, {"residual_history"}, wanted);
}

}  // namespace

std::string plot_runs(const Command::Plot& wanted) {
  const Run first = run_of(wanted.files.front());
  NamedFigure made =
      wanted.files.size() > 1 ? figure_of_several(wanted) : figure_of_one(first, wanted.files.front(), wanted);
  take_range(wanted, made.figure);
  if (wanted.width > 0) made.figure.width = wanted.width, made.figure.height = wanted.height;
  made.figure.resolution = wanted.resolution;
  const std::string output = wanted.output.empty() ? first.directory + "/plot_" + made.name + ".png" : wanted.output;
  claim_file(output, !wanted.output.empty());
  replace_file(output, draw(made.figure, format_of(output)));
  return output + ": " + made.words;
}

}  // namespace halocline
