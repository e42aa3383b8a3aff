#include "app/sweep/sweep_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "io/output/table.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t line_width = 118;

struct Named {
  std::string name, unit;
};

// Names of findings in the order in which they are met, of any case.
std::vector<Named> findings_of(const SweepReports& reports) {
  std::vector<Named> names;
  for (const auto& report : reports) {
    if (!report) continue;
    for (const Finding& finding : report->findings) {
      const auto same = [&](const Named& one) { return one.name == finding.name; };
      if (std::none_of(names.begin(), names.end(), same)) names.push_back({finding.name, finding.unit});
    }
  }
  return names;
}

double value_of(const std::optional<Report>& report, const std::string& name) {
  if (!report) return none;
  for (const Finding& finding : report->findings)
    if (finding.name == name) return finding.value;
  return none;
}

bool ended(const std::optional<Report>& report) {
  return report && (report->finished || !report->failure.empty() || report->exit_code != 0);
}

// Why a case has no results, without line breaks.
std::string reason_of(const std::optional<Report>& report) {
  std::string text = report ? report->failure : "";
  if (report && text.empty() && !report->stopped_by.empty()) text = "stopped by " + report->stopped_by;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string quoted(std::string text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

struct TextColumn {
  std::vector<std::string> cells;  // the head first
  std::size_t width() const {
    std::size_t most = 0;
    for (const std::string& cell : cells) most = std::max(most, cell.size());
    return most + 2;
  }
};

class TextTable {
 public:
  explicit TextTable(Index rows) : rows_(static_cast<std::size_t>(rows)) {}
  // False, and nothing added, where the line would become too long.
  bool add(const std::string& head, const std::function<std::string(std::size_t)>& cell, bool always) {
    TextColumn column{{head}};
    for (std::size_t r = 0; r < rows_; ++r) column.cells.push_back(cell(r));
    if (!always && width_ + column.width() > line_width) return false;
    width_ += column.width();
    columns_.push_back(std::move(column));
    return true;
  }
  std::string text() const {
    std::string text;
    for (std::size_t r = 0; r <= rows_; ++r) {
      for (const TextColumn& column : columns_)
        text += std::string(column.width() - column.cells[r].size(), ' ') + column.cells[r];
      text += "\n";
    }
    return text;
  }

 private:
  std::size_t rows_, width_ = 0;
  std::vector<TextColumn> columns_;
};

// One column of values after the other, as one part.
class Columns {
 public:
  Columns(Tables& tables, const SweepReports& reports) : tables_(tables), reports_(reports) {}
  void add(const FieldInfo& info, const std::function<double(std::size_t)>& value) {
    std::vector<double> values;
    for (std::size_t c = 0; c < reports_.size(); ++c) values.push_back(value(c));
    put<double>(info, values);
  }
  void add_whole(const FieldInfo& info, const std::function<Index(std::size_t)>& value) {
    std::vector<Index> values;
    for (std::size_t c = 0; c < reports_.size(); ++c) values.push_back(value(c));
    put<Index>(info, values);
  }

 private:
  template <class T>
  void put(const FieldInfo& info, const std::vector<T>& values) {
    const auto rows = static_cast<Index>(values.size());
    tables_.column(info, {{0}, {rows}}, View<const T, 1>(values.data(), rows), *host_);
  }
  Tables& tables_;
  const SweepReports& reports_;
  ExecutorPtr host_ = make_omp_executor(1);
};

void add_keys(const SweepCases& cases, Tables& tables, Columns& columns) {
  std::string order;
  for (std::size_t k = 0; k < cases.keys().size(); ++k) {
    const SweptKey& key = cases.keys()[k];
    FieldInfo info{"sweep/" + key.name, "1"};
    info.attributes = {{"spacing", key.spacing()}, {"key", key.path}};
    if (key.words) {
      std::string words;
      for (const std::string& value : key.values) words += (words.empty() ? "" : ", ") + value;
      info.attributes.emplace_back("words", words);
    }
    columns.add(info, [&](std::size_t c) { return key.numbers[cases.place(static_cast<Index>(c), k)]; });
    order += (k > 0 ? "," : "") + key.name;
  }
  tables.text("sweep/order", order);
  const auto& keys = cases.keys();
  if (keys.size() == 2) tables.map({MapAxis{keys[0].name, keys[0].numbers}, MapAxis{keys[1].name, keys[1].numbers}});
}

}  // namespace

const char* state_of(const std::optional<Report>& report) {
  if (!report) return "waiting";
  if (!report->failure.empty()) return "failed";
  if (!report->finished) return "stopped";
  return report->exit_code == static_cast<int>(ExitCode::verification) ? "out of limits" : "finished";
}

std::string sweep_table(const SweepCases& cases, const SweepReports& reports) {
  TextTable table(cases.size());
  table.add(
      "case", [](std::size_t c) { return std::to_string(c + 1); }, true);
  for (std::size_t k = 0; k < cases.keys().size(); ++k) {
    const SweptKey& key = cases.keys()[k];
    table.add(
        key.name, [&](std::size_t c) { return key.values[cases.place(static_cast<Index>(c), k)]; }, true);
  }
  table.add(
      "result", [&](std::size_t c) { return std::string(state_of(reports[c])); }, true);
  const auto seconds = [&](std::size_t c) { return reports[c] ? formatted("{:.3g}", reports[c]->seconds) : "-"; };
  table.add("seconds", seconds, true);
  std::size_t left_out = 0;
  for (const Named& finding : findings_of(reports)) {
    const auto cell = [&](std::size_t c) {
      const double value = value_of(reports[c], finding.name);
      return std::isnan(value) ? "-" : brief_text(value);
    };
    if (!table.add(finding.name, cell, false)) ++left_out;
  }
  std::string text = table.text();
  if (left_out > 0) text += "and " + std::to_string(left_out) + (left_out == 1 ? " finding" : " findings") + " more\n";
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const std::string reason = reason_of(reports[c]);
    if (!reason.empty())
      text += "case " + std::to_string(c + 1) + " (" + cases.label(static_cast<Index>(c)) + "): " + reason + "\n";
  }
  return text;
}

std::string sweep_csv(const SweepCases& cases, const SweepReports& reports) {
  std::vector<Named> findings = findings_of(reports);
  std::erase_if(findings, [](const Named& one) { return one.name == "unknowns"; });  // a column of every sweep
  std::string text = "case";
  for (const SweptKey& key : cases.keys()) text += "," + quoted(key.name);
  text += ",result,exit_code,seconds,seconds_of_solve,unknowns";
  for (const Named& finding : findings) text += "," + quoted(finding.name);
  text += ",reason\n";
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const std::optional<Report>& report = reports[c];
    text += std::to_string(c + 1);
    for (std::size_t k = 0; k < cases.keys().size(); ++k)
      text += "," + quoted(cases.keys()[k].values[cases.place(static_cast<Index>(c), k)]);
    text += std::string(",") + state_of(report) + ",";
    if (report) {
      text += std::to_string(report->exit_code) + "," + exact_text(report->seconds) + "," +
              exact_text(report->seconds_of_solve) + "," +
              (report->unknowns > 0 ? std::to_string(report->unknowns) : "");
    } else {
      text += ",,,";
    }
    for (const Named& finding : findings) {
      const double value = value_of(report, finding.name);
      text += "," + (std::isnan(value) ? "" : exact_text(value));
    }
    text += "," + quoted(reason_of(report)) + "\n";
  }
  return text;
}

void write_sweep(const Communicator& alone, const std::string& path, const std::string& deck, const SweepCases& cases,
                 const SweepReports& reports) {
  Tables tables(alone, path, {{"version", HALOCLINE_VERSION}, {"deck", deck}});
  Columns columns(tables, reports);
  add_keys(cases, tables, columns);
  std::string order;
  for (const Named& finding : findings_of(reports)) {
    std::string name = finding.name;
    std::replace(name.begin(), name.end(), '/', '_');
    order += (order.empty() ? "" : ",") + name;
    columns.add({"result/" + name, finding.unit}, [&](std::size_t c) { return value_of(reports[c], finding.name); });
  }
  if (!order.empty()) tables.text("result/order", order);
  columns.add({"cost/seconds", "s"}, [&](std::size_t c) { return reports[c] ? reports[c]->seconds : none; });
  columns.add({"cost/seconds_of_solve", "s"},
              [&](std::size_t c) { return reports[c] ? reports[c]->seconds_of_solve : none; });
  columns.add({"cost/unknowns", "1"}, [&](std::size_t c) {
    return reports[c] && reports[c]->unknowns > 0 ? static_cast<double>(reports[c]->unknowns) : none;
  });
  columns.add_whole({"columns/case", "1"}, [](std::size_t c) { return static_cast<Index>(c) + 1; });
  columns.add_whole({"/status", "1"}, [&](std::size_t c) {
    return ended(reports[c]) ? static_cast<Index>(reports[c]->exit_code) : Index{-1};
  });
  tables.write();
}

}  // namespace halocline
