#include "app/plot/report_page.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "app/plot/figures.hpp"
#include "app/run/summary.hpp"
#include "io/files.hpp"
#include "io/manifest.hpp"
#include "io/output/read_report.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr double figure_width = 130, figure_resolution = 120;  // mm; pixels per inch of fields
constexpr std::size_t most_fields = 4, most_kernels = 15;

constexpr const char* style = R"(
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #ccc}
table{border-collapse:collapse;font-size:.9rem}td,th{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr+tr td{border-top:1px solid #eee}
pre{background:#f6f6f4;padding:.7rem;overflow-x:auto;font-size:.82rem;line-height:1.35}
.wide{overflow-x:auto;margin:.7rem 0}.wide table{font-size:.8rem}.wide td,.wide th{padding-right:.6rem}
figure{margin:1rem 0;display:inline-block}figcaption{font-size:.85rem;color:#555}svg{max-width:100%;height:auto}
.good{color:#00714f}.bad{color:#b03000;font-weight:600}
@media print{pre{white-space:pre-wrap}figure,table{break-inside:avoid}})";

std::string escaped(const std::string& text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '&')
      made += "&amp;";
    else if (letter == '<')
      made += "&lt;";
    else if (letter == '>')
      made += "&gt;";
    else if (letter == '"')
      made += "&quot;";
    else
      made += letter;
  }
  return made;
}

void replace_all(std::string& text, const std::string& old, const std::string& fresh) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + fresh.size()))
    text.replace(at, old.size(), fresh);
}

std::string row(const std::vector<std::string>& cells, bool head = false, std::size_t numbers_from = 99) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string tag = head ? "th" : "td";
    text += "<" + tag + (i >= numbers_from ? " class=\"n\">" : ">") + escaped(cells[i]) + "</" + tag + ">";
  }
  return text + "</tr>\n";
}

// A cell of a table of numbers: whole ones as they are, others with four digits, orders with two decimals.
std::string cell_of(const std::string& word, bool order) {
  if (!order && word.find_first_not_of("0123456789") == std::string::npos) return word;
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    return word;
  }
  return used == word.size() ? (order ? formatted("{:.2f}", value) : formatted("{:.4g}", value)) : word;
}

class Page {
 public:
  explicit Page(const std::string& directory)
      : directory_(directory), report_(read_report(directory + "/report.json")) {
    const std::string tables = directory + "/tables.h5";
    if (std::error_code ignored; fs::exists(tables, ignored))
      if_readable([&] { tables_ = std::make_unique<TableFile>(tables); });
    wanted_.resolution = figure_resolution;
  }

  std::string text() && {
    const std::string title = escaped(fact("deck") + " of family " + fact("problem"));
    head();
    results();
    fields();
    if (tables_) if_readable([&] { ensemble(), convergence(), conservation(), others(); });
    study();
    times();
    layout();
    deck();
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title><style>" +
           style + "</style></head>\n<body>\n" + body_ + "</body></html>\n";
  }

 private:
  std::string fact(const std::string& name) const {
    for (const auto& [key, value] : report_.provenance)
      if (key == name) return value;
    return "";
  }
  void section(const std::string& name) { body_ += "<h2>" + name + "</h2>\n"; }
  void head();
  void results();
  void fields();
  void ensemble();
  void convergence();
  void conservation();
  void others();
  void study();
  void times();
  void profile();
  void layout();
  void deck();
  template <class Make>
  void figure(Make&& make);
  // A damaged file takes its figures with it, not the page.
  template <class Do>
  void if_readable(Do&& act) {
    try {
      act();
    } catch (const Error& error) {
      leave_out(error);
    }
  }
  void leave_out(const Error& error) {
    body_ += std::string("<p class=\"bad\">Left out: ") + escaped(error.what()) + "</p>\n";
    std::fprintf(stderr, "warning: left out of the page: %s\n", error.what());
  }
  void series(const std::vector<std::string>& paths) {
    if (!paths.empty()) figure([&] { return series_figure({tables_.get()}, paths, wanted_); });
  }
  std::vector<std::string> probes(const std::string& end) const {
    std::vector<std::string> found = tables_->columns_in("/series/probes");
    std::erase_if(found, [&](const std::string& path) { return path.find("_" + end) == std::string::npos; });
    return found;
  }

  const std::string& directory_;
  Report report_;
  std::unique_ptr<TableFile> tables_;
  Command::Plot wanted_;
  std::string body_;
  int figures_ = 0;
};

// Figures of one page share its names: each gets a beginning of its own. One that cannot be drawn says why.
template <class Make>
void Page::figure(Make&& make) {
  std::string svg, words;
  try {
    NamedFigure made = make();
    made.figure.width = figure_width;
    made.figure.resolution = figure_resolution;
    svg = draw(made.figure, FigureFormat::svg);
    words = made.words;
  } catch (const DeckError& error) {
    body_ += std::string("<p>Not drawn: ") + escaped(error.what()) + "</p>\n";
    return;
  } catch (const MachineError& error) {
    return leave_out(error);
  }
  const std::string own = "f" + std::to_string(++figures_) + "-";
  svg.erase(0, svg.find("<svg"));
  replace_all(svg, " id=\"", " id=\"" + own);
  replace_all(svg, "href=\"#", "href=\"#" + own);
  replace_all(svg, "url(#", "url(#" + own);
  body_ += "<figure>" + svg + "<figcaption>" + escaped(words) + "</figcaption></figure>\n";
}

void Page::head() {
  const bool limits = std::all_of(report_.findings.begin(), report_.findings.end(),
                                  [](const Finding& one) { return !one.checked() || one.holds(); });
  std::string state = "finished";
  if (!report_.finished) state = "stopped by " + report_.stopped_by + " before the end";
  if (!limits) state += ", verification failed";
  if (!report_.failure.empty()) state = "not converged: " + report_.failure;
  const bool good = report_.exit_code == 0 && limits && report_.failure.empty();
  body_ += "<h1>" + escaped(fact("deck")) + "</h1>\n<p>Family " + escaped(fact("problem")) + ", " +
           std::to_string(report_.unknowns) + " unknowns, <span class=\"" + (good ? "good" : "bad") + "\">" +
           escaped(state) + "</span>, " + formatted("{:.3g} s", report_.seconds) + ", started " +
           escaped(report_.started) + "</p>\n";
}

void Page::results() {
  section("Results");
  body_ += "<table>\n" + row({"", "value", "limits", ""}, true, 99);
  for (const Finding& one : report_.findings) {
    const std::string unit = one.unit == "1" || one.unit.empty() ? "" : " " + one.unit;
    const std::string limits = one.checked() ? limits_text(one) : "";
    body_ += row({one.name, value_text(one.value) + unit, limits, !one.checked() ? "" : one.holds() ? "ok" : "FAILED"});
  }
  body_ += "</table>\n";
}

void Page::fields() {
  std::vector<std::string> names;
  if_readable([&] { names = fields_of(directory_); });
  if (names.empty()) return;
  if (names.size() > most_fields) names.resize(most_fields);
  section("Fields");
  for (const std::string& name : names) figure([&] { return field_figure(directory_, name, wanted_); });
}

void Page::ensemble() {
  const bool ways = !tables_->columns_in("/trajectory").empty();
  if (tables_->swept().empty() && !ways) return;
  section("Ensemble");
  if (!tables_->swept().empty()) figure([&] { return ensemble_figure(*tables_, wanted_); });
  Command::Plot along = wanted_;
  along.x = "trajectory/t";
  if (ways) figure([&] { return ensemble_figure(*tables_, along); });
}

void Page::convergence() {
  std::vector<std::string> residuals, newton;
  for (const std::string& path : tables_->columns_in("/series")) {
    if (path.find("residual_history") != std::string::npos) residuals.push_back(path);
    if (path.ends_with("newton_residual")) newton.push_back(path);
  }
  if (residuals.empty() && newton.empty()) return;
  section("Convergence");
  if (residuals.size() > 1) residuals = {"residual_history"};
  series(residuals);
  series(newton);
}

void Page::conservation() {
  std::string rows;
  for (const Finding& one : report_.findings)
    for (const char* word : {"mass", "balance", "energy", "integral"})
      if (one.name.find(word) != std::string::npos) {
        rows += row({one.name, value_text(one.value)});
        break;
      }
  std::vector<std::string> integrals = probes("integral");
  std::erase_if(integrals, [&](const std::string& path) { return tables_->extent(path)[0] < 2; });
  if (rows.empty() && integrals.empty()) return;
  section("Conservation");
  if (!rows.empty()) body_ += "<table>\n" + rows + "</table>\n";
  for (const std::string& path : integrals) series({path});
}

void Page::others() {
  std::vector<std::string> more = probes("points");
  for (const std::string& path : probes("line_")) more.push_back(path);
  std::erase_if(more, [&](const std::string& path) {
    return path.ends_with("_points") && tables_->extent(path)[0] < 2;  // one value is no curve
  });
  for (const std::string& path : default_series(*tables_))
    if (path.find("residual") == std::string::npos && std::find(more.begin(), more.end(), path) == more.end() &&
        !path.ends_with("_integral"))
      more.push_back(path);
  if (more.empty()) return;
  section("Series");
  for (const std::string& path : more) series({path});
}

// The table of `halocline study`, in this directory or in the one it makes beside it.
void Page::study() {
  std::string file;
  std::error_code ignored;
  for (const std::string& one : {directory_ + "/study.csv", directory_ + "_study/study.csv"})
    if (fs::exists(one, ignored)) file = one;
  if (file.empty()) return;
  section("Orders observed on finer and finer grids");
  std::vector<std::vector<std::string>> rows;
  const std::string text = read_text(file);
  for_each_line(text, [&rows](std::string_view line) {
    rows.emplace_back();
    for (std::string_view word; next_part(line, word, ',');) {
      const std::size_t k = rows.back().size();
      rows.back().push_back(
          cell_of(std::string(word), rows.size() > 1 && k < rows[0].size() && rows[0][k].starts_with("order")));
    }
  });
  if (rows.empty()) return;
  // Side by side all errors are wider than a page: first what grids have, then four errors with their orders.
  constexpr std::size_t most = 8;
  const std::vector<std::string>& head = rows.front();
  const auto first = std::find_if(head.begin(), head.end(), [](const auto& name) { return name.starts_with("order"); });
  const std::size_t columns = head.size(),
                    of_grids = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first - head.begin() - 1));
  for (std::size_t from = of_grids; from < columns; from += most) {
    body_ += "<div class=\"wide\"><table>\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::string> cells(rows[i].begin(), rows[i].begin() + std::min(of_grids, rows[i].size()));
      for (std::size_t k = from; k < std::min(from + most, rows[i].size()); ++k)
        cells.push_back(i == 0 && rows[i][k].starts_with("order") ? "order" : rows[i][k]);
      body_ += row(cells, i == 0, 0);
    }
    body_ += "</table></div>\n";
  }
  body_ += "<p>From <code>" + escaped(file) + "</code>.</p>\n";
}

void Page::times() {
  section("Times");
  body_ += "<table>\n" + row({"phase", "calls", "mean over ranks (s)", "most (s)"}, true, 1);
  for (const Report::Timer& timer : report_.timers)
    body_ +=
        row({timer.path, std::to_string(timer.calls), formatted("{:.3g}", timer.mean), formatted("{:.3g}", timer.max)},
            false, 1);
  body_ += "</table>\n";
  if (report_.profile) profile();
}

void Page::profile() {
  body_ += "<h2>Profile of kernels</h2>\n<table>\n" +
           row({"kernel", "calls", "mean (s)", "share", "of the copy rate"}, true, 1);
  std::size_t shown = 0;
  for (const ProfileReport::Kernel& kernel : report_.profile->kernels) {
    if (++shown > most_kernels) break;
    body_ += row({kernel.name, std::to_string(kernel.calls), formatted("{:.3g}", kernel.mean),
                  formatted("{:.1f} %", 100 * report_.profile->share(kernel.mean)),
                  kernel.of_copy_rate > 0 ? formatted("{:.2f}", kernel.of_copy_rate) : ""},
                 false, 1);
  }
  body_ += "</table>\n";
}

void Page::layout() {
  section("Versions and layout");
  body_ += "<table>\n";
  for (const auto& [name, value] : report_.provenance) body_ += row({name, value});
  body_ += row({"ranks", std::to_string(report_.ranks)}) + row({"parts", std::to_string(report_.parts)});
  for (const std::string& device : report_.devices) body_ += row({"device", device});
  Traffic most;
  for (const Traffic& rank : report_.sent) {
    most.messages = std::max(most.messages, rank.messages);
    most.bytes = std::max(most.bytes, rank.bytes);
  }
  body_ += row({"sent", std::to_string(most.messages) + " messages, " + bytes_text(static_cast<double>(most.bytes)) +
                            " per rank at most"}) +
           "</table>\n";
}

void Page::deck() {
  const std::string file = directory_ + "/deck.yaml";
  section("To run it again");
  const std::string ranks = report_.ranks > 1 ? "mpirun -n " + std::to_string(report_.ranks) + " " : "";
  body_ += "<pre>" + escaped(ranks + "halocline run " + shell_word(file) + " --set output.directory=DIR") + "</pre>\n";
  section("Deck");
  std::error_code ignored;
  if (fs::exists(file, ignored)) body_ += "<pre>" + escaped(read_text(file)) + "</pre>\n";
}

}  // namespace

std::string report_page(const std::string& directory) {
  std::error_code ignored;
  if (fs::exists(directory + "/sweep.csv", ignored))
    throw DeckError(directory + " is a sweep: a page is of one case, as " + directory +
                    "/case_0001; `halocline plot` draws the table");
  if (!fs::exists(directory + "/report.json", ignored))
    throw DeckError(directory + " holds no report.json: it is no directory of a run");
  return Page(directory).text();
}

std::string write_report_page(const Command::Plot& wanted) {
  std::string directory = wanted.files.front();
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  const std::string output = wanted.output.empty() ? directory + "/report.html" : wanted.output;
  if (!output.ends_with(".html") && !output.ends_with(".htm"))  // a slip, and a checkpoint or deck would be gone
    throw DeckError(output + ": pages are .html");
  claim_file(output, !wanted.output.empty());
  replace_file(output, report_page(directory));
  return output;
}

}  // namespace halocline
