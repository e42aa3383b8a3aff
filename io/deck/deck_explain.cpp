#include <algorithm>
#include <cmath>
#include <string_view>

#include "io/deck/deck_schema.hpp"
#include "io/deck/wording.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {
namespace {

constexpr std::size_t line_width = 100;

// Breaks `text` at spaces, each line indented.
std::string wrapped(std::string_view text, const std::string& indent) {
  std::string lines, line;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > line_width) {
      lines += indent + line + "\n";
      line.clear();
    }
    (line += line.empty() ? "" : " ") += word;
  }
  return line.empty() ? lines : lines + indent + line + "\n";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (double value : values) texts.push_back(shortest_text(value));
  return bracketed(texts);
}

}  // namespace

bool DeckExplainer::add(const Key& key, std::string kind, std::string fallback, const std::string& words) {
  if (key.required) {
    fallback = "required";
  } else {
    fallback = fallback.empty() ? "optional" : "default " + fallback;
  }
  const std::string help = words.empty() ? key.help : std::string(key.help) + " One of " + words + ".";
  rows_.push_back({prefix_ + key.name, std::move(kind), std::move(fallback), help});
  return false;
}

bool DeckExplainer::item(const Key& key, double& value, const Bounds& bounds) {
  return add(key, expected_number("number", key, bounds),
             std::isfinite(value) && within(value, bounds) ? shortest_text(value) : "");
}
bool DeckExplainer::item(const Key& key, Index& value, const Bounds& bounds) {
  const bool valid = within(static_cast<double>(value), bounds);
  return add(key, expected_number("integer", key, bounds), valid ? std::to_string(value) : "");
}
bool DeckExplainer::item(const Key& key, bool& value) { return add(key, "true or false", value ? "true" : "false"); }
bool DeckExplainer::item(const Key& key, std::string& value) { return add(key, "text", value); }
bool DeckExplainer::item(const Key& key, std::vector<double>& values, const Bounds& bounds) {
  return add(key, expected_number("list of numbers", key, bounds), values.empty() ? "" : numbers_text(values));
}
bool DeckExplainer::item(const Key& key, std::vector<std::string>& values) {
  return add(key, "list of texts", values.empty() ? "" : bracketed(values));
}
bool DeckExplainer::item(const Key& key, std::vector<std::vector<double>>& rows, int columns) {
  std::vector<std::string> texts;
  for (const std::vector<double>& row : rows) texts.push_back(numbers_text(row));
  return add(key, "list of lists of " + (columns > 0 ? std::to_string(columns) + " " : "") + "numbers",
             texts.empty() ? "" : bracketed(texts));
}
bool DeckExplainer::item(const Key& key, NamedNumbers& value, std::span<const char* const> names,
                         const Bounds& bounds) {
  std::vector<std::string> texts;
  for (const auto& [name, number] : value.entries) {
    texts.push_back((name.empty() ? "" : name + ": ") + shortest_text(number));
  }
  return add(key, expected_number("number, or map of name to number", key, bounds), join(texts),
             join(to_strings(names)));
}
bool DeckExplainer::subset(const Key& key, std::vector<std::string>& values, std::span<const char* const> words) {
  return add(key, "list of words", values.empty() ? "" : bracketed(values), join(to_strings(words)));
}
bool DeckExplainer::formula(const Key& key, Formula& value, std::span<const char* const> variables) {
  const std::string names = join(to_strings(variables));
  return add(key, names.empty() ? "formula" : "formula in " + names, value.text);
}
bool DeckExplainer::choice(const Key& key, int& value, std::span<const char* const> names) {
  const bool valid = value >= 0 && value < static_cast<int>(names.size());
  return add(key, "word", valid ? names[static_cast<std::size_t>(value)] : "", join(to_strings(names)));
}

void DeckExplainer::definitions(Definitions&, std::span<const char* const> variables) {
  add({"constants", "", "Numbers by name, as formulas without variables.", false}, "map of name to formula", "");
  const std::string names = join(to_strings(variables));
  const std::string help = "Names for parts of formulas" + (names.empty() ? "." : ", in " + names + ".");
  add({"definitions", "", help.c_str(), false}, "list of 'name = formula', or map of name to formula", "");
}

bool DeckExplainer::group(const Key& key, Options& options) {
  add(key, "block", "");
  const std::string outer = prefix_;
  prefix_ += std::string(key.name) + ".";
  options.describe(*this);
  prefix_ = outer;
  return false;
}

bool DeckExplainer::groups(const Key& key, OptionsList& list) {
  add(key, "list of blocks", "");
  const std::string outer = prefix_;
  prefix_ += std::string(key.name) + "[].";
  list.sample()->describe(*this);
  prefix_ = outer;
  return false;
}

bool DeckExplainer::groups(const Key& key, OptionsList& list, std::vector<std::string>&) {
  add(key, "map of names to blocks", "");
  const std::string outer = prefix_;
  prefix_ += std::string(key.name) + ".NAME.";
  list.sample()->describe(*this);
  prefix_ = outer;
  return false;
}

bool DeckExplainer::formulas(const Key& key, std::vector<NamedFormula>&) {
  return add(key, names_file(key) ? "name of a file" : "formulas, as a list or by name", "");
}

bool DeckExplainer::word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) {
  const bool valid = word >= 0 && word < static_cast<int>(names.size());
  add(key, "word, or block", valid ? names[static_cast<std::size_t>(word)] : "", join(to_strings(names)));
  const std::string outer = prefix_;
  prefix_ += std::string(key.name) + ".";
  options.describe(*this);
  prefix_ = outer;
  return false;
}

std::vector<DeckExplainer::Row> DeckExplainer::rows_below(const std::string& path) const {
  std::vector<Row> rows;
  std::vector<std::string> known;
  for (const Row& row : rows_) {
    const bool starts = row.path.starts_with(path);
    const char next = starts && row.path.size() > path.size() ? row.path[path.size()] : '.';
    if (starts && (next == '.' || next == '[')) rows.push_back(row);
    known.push_back(row.path);
  }
  if (!rows.empty()) return rows;
  const std::string near = nearest_name(path, known);
  throw DeckError("halocline: there is no key '" + path + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

std::string DeckExplainer::text(const std::string& below) const {
  const std::vector<Row> rows = below.empty() ? rows_ : rows_below(below);
  std::size_t path_width = 3, kind_width = 5;
  for (const Row& row : rows) {
    path_width = std::max(path_width, std::min<std::size_t>(row.path.size(), 40));
    kind_width = std::max(kind_width, std::min<std::size_t>(row.kind.size(), 40));
  }
  const auto line = [&](const Row& row) {
    const std::string start = padded(row.path, path_width) + "  ";
    const std::string rest = padded(row.kind, kind_width) + "  " + row.fallback;
    if (start.size() + rest.size() <= line_width) return start + rest + "\n";
    return row.path + "\n" + wrapped(row.kind + "; " + row.fallback, "    ");
  };
  std::string text = line({"key", "value", "", ""});
  text.erase(text.find_last_not_of(" \n") + 1);
  text += "\n";
  for (const Row& row : rows) text += line(row) + wrapped(row.help, "    ");
  return text;
}

}  // namespace halocline
