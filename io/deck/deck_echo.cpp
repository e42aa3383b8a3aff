#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/deck/deck_schema.hpp"
#include "io/deck/wording.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

// As YAML: plain when nothing in it can be misread, in double quotes otherwise.
std::string yaml_text(const std::string& text) {
  const auto word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto plain = [&](char c) { return word(c) || std::string_view("./+-*^()= ").find(c) != std::string::npos; };
  const bool null = text == "null" || text == "Null" || text == "NULL";
  if (!null && !text.empty() && word(text.front()) && text.back() != ' ' &&
      std::all_of(text.begin(), text.end(), plain)) {
    return text;
  }
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// The path of an input file, which is relative to the deck, or to the working directory in an override.
std::string absolute_path(const Formula& file) {
  const std::filesystem::path folder = std::filesystem::path(file.place.file).parent_path();
  return std::filesystem::absolute(folder / file.text).lexically_normal().string();
}

template <class T, class F>
std::string yaml_list(const std::vector<T>& values, F to_text) {
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(to_text(value));
  return bracketed(texts);
}

}  // namespace

bool DeckEcho::add(const Key& key, const std::string& value, bool readable) {
  const bool given = deck_.has(prefix_ + key.name);
  if (given) {
    text_ += indent_ + key.name + ": " + value + "\n";
  } else if (readable) {
    text_ += indent_ + (in_given_block_ ? "# " : "") + key.name + ": " + value + "  # default\n";
  } else {
    text_ += indent_ + "# " + key.name + ": not given\n";
  }
  return given;
}

bool DeckEcho::item(const Key& key, double& value, const Bounds& bounds) {
  return add(key, shortest_text(value), std::isfinite(value) && within(value, bounds));
}
bool DeckEcho::item(const Key& key, Index& value, const Bounds& bounds) {
  return add(key, std::to_string(value), within(static_cast<double>(value), bounds));
}
bool DeckEcho::item(const Key& key, bool& value) { return add(key, value ? "true" : "false", true); }
bool DeckEcho::item(const Key& key, std::string& value) { return add(key, yaml_text(value), !value.empty()); }
bool DeckEcho::item(const Key& key, std::vector<double>& values, const Bounds&) {
  return add(key, yaml_list(values, shortest_text), !values.empty());
}
bool DeckEcho::item(const Key& key, std::vector<std::string>& values) {
  return add(key, yaml_list(values, yaml_text), !values.empty());
}
bool DeckEcho::item(const Key& key, std::vector<std::vector<double>>& rows, int) {
  const auto row_text = [](const std::vector<double>& row) { return yaml_list(row, shortest_text); };
  return add(key, yaml_list(rows, row_text), !rows.empty());
}
bool DeckEcho::item(const Key& key, NamedNumbers& value, std::span<const char* const>, const Bounds&) {
  std::vector<std::string> texts;
  bool all_named = true;
  for (const auto& [name, number] : value.entries) {
    all_named = all_named && !name.empty();
    texts.push_back((name.empty() ? "" : yaml_text(name) + ": ") + shortest_text(number));
  }
  const std::string text = all_named ? bracketed(texts, "{}") : texts.front();
  return add(key, text, value.given() && (all_named || texts.size() == 1));
}
bool DeckEcho::subset(const Key& key, std::vector<std::string>& values, std::span<const char* const>) {
  return item(key, values);
}
bool DeckEcho::formula(const Key& key, Formula& value, std::span<const char* const>) {
  return add(key, yaml_text(value.text), value.given());
}
bool DeckEcho::choice(const Key& key, int& value, std::span<const char* const> names) {
  const bool valid = value >= 0 && value < static_cast<int>(names.size());
  return add(key, valid ? yaml_text(names[static_cast<std::size_t>(value)]) : "", valid);
}

void DeckEcho::definitions(Definitions& value, std::span<const char* const>) {
  if (!value.constants.empty()) text_ += indent_ + "constants:\n";
  for (const auto& [name, formula] : value.constants) {
    text_ += indent_ + "  " + yaml_text(name) + ": " + yaml_text(formula.text) + "\n";
  }
  if (!value.definitions.empty()) text_ += indent_ + "definitions:\n";
  for (const Formula& formula : value.definitions) text_ += indent_ + "  - " + yaml_text(formula.text) + "\n";
}

bool DeckEcho::group(const Key& key, Options& options) {
  const std::string outer_prefix = prefix_, outer_indent = indent_;
  const std::string outer_text = std::exchange(text_, "");
  const bool given = deck_.has(prefix_ + key.name);
  const bool outer_given = std::exchange(in_given_block_, given);
  prefix_ += std::string(key.name) + ".";
  indent_ += "  ";
  options.describe(*this);
  in_given_block_ = outer_given;
  const std::string members = std::exchange(text_, outer_text);
  prefix_ = outer_prefix;
  indent_ = outer_indent;
  if (given) {
    text_ += indent_ + key.name + ":\n" + members;
    return true;
  }
  text_ += indent_ + "# " + key.name + ":  not given\n";
  for_each_line(members, [&](std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    text_ += indent_ + "#";
    text_.append(line.substr(std::min(indent_.size(), start))) += "\n";
  });
  return false;
}

bool DeckEcho::groups(const Key& key, OptionsList& list) {
  if (list.size() == 0) return add(key, "[]", false);
  const std::string outer_prefix = prefix_, outer_indent = indent_;
  text_ += indent_ + key.name + ":\n";
  const bool listed = deck_.has(prefix_ + key.name + "[0]");
  for (Index n = 0; n < list.size(); ++n) {
    prefix_ = outer_prefix + key.name + (listed ? "[" + std::to_string(n) + "]." : ".");
    indent_ = outer_indent + "    ";
    const std::size_t start = text_.size();
    list.at(n).describe(*this);
    if (text_.size() > start) text_[start + outer_indent.size() + 2] = '-';
  }
  prefix_ = outer_prefix;
  indent_ = outer_indent;
  return true;
}

bool DeckEcho::groups(const Key& key, OptionsList& list, std::vector<std::string>& names) {
  if (list.size() == 0) return add(key, "{}", false);
  const std::string outer_prefix = prefix_, outer_indent = indent_;
  text_ += indent_ + key.name + ":\n";
  indent_ += "    ";
  for (Index n = 0; n < list.size(); ++n) {
    const std::string& name = names[static_cast<std::size_t>(n)];
    prefix_ = outer_prefix + key.name + "." + name + ".";
    text_ += outer_indent + "  " + yaml_text(name) + ":\n";
    list.at(n).describe(*this);
  }
  prefix_ = outer_prefix;
  indent_ = outer_indent;
  return true;
}

bool DeckEcho::formulas(const Key& key, std::vector<NamedFormula>& values) {
  if (values.empty()) return add(key, "[]", false);
  text_ += indent_ + key.name + ":";
  if (names_file(key)) {
    text_ += " " + yaml_text(absolute_path(values[0].formula)) + "\n";
    return true;
  }
  text_ += "\n";
  for (const NamedFormula& value : values) {
    const std::string name = value.name.empty() ? "- " : yaml_text(value.name) + ": ";
    text_ += indent_ + "  " + name + yaml_text(value.formula.text) + "\n";
  }
  return true;
}

bool DeckEcho::word_or_group(const Key& key, int& word, std::span<const char* const> names, Options& options) {
  return word >= 0 ? choice(key, word, names) : group(key, options);
}

}  // namespace halocline
