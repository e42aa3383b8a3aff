#include "lib/problems/ode_ensemble/names.hpp"

#include <algorithm>
#include <cctype>

namespace halocline::ode_ensemble {

namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// lib/expression reports places as characters along the formula's line: the line then serves as the formula's number.
Formula numbered(std::string text, std::size_t number) {
  return {std::move(text), {"", static_cast<int>(number) + 1, 1}};
}

}  // namespace

void Names::fault(const Formula& at, std::size_t character, const std::string& message) {
  ++count_;
  if (faults_ != nullptr) faults_->at(at, character, message);
}

void Names::fault(const std::string& path, const std::string& message) {
  ++count_;
  if (faults_ != nullptr) faults_->at(path, message);
}

std::optional<std::string> Names::refusal(const std::string& name, const std::string& what) {
  const std::string bad = fault_of_name(name);
  if (!bad.empty()) return bad;
  for (const auto& [other, kind] : known_) {
    if (other == name) return "the name '" + name + "' is " + kind + " already; it cannot be " + what + " too";
  }
  known_.emplace_back(name, what);
  return std::nullopt;
}

bool Names::add(const std::string& name, const std::string& what, const Formula& at) {
  const auto bad = refusal(name, what);
  if (bad) fault(at, 0, *bad);
  return !bad;
}

bool Names::add(const std::string& name, const std::string& what, const std::string& path) {
  const auto bad = refusal(name, what);
  if (bad) fault(path, *bad);
  return !bad;
}

std::optional<Assignment> Names::cut(const NamedFormula& one, const std::string& mark) {
  const Formula& text = one.formula;
  if (!one.name.empty()) {
    const bool marked = !mark.empty() && one.name.ends_with(mark);
    return Assignment{one.name.substr(0, one.name.size() - (marked ? mark.size() : 0)), 0, 0, text};
  }
  const std::string& line = text.text;
  const auto blank = [&](std::size_t at) { return at < line.size() && line[at] == ' '; };
  std::size_t at = 0;
  while (blank(at)) ++at;
  const std::size_t begin = at;
  while (at < line.size() && is_name_character(line[at])) ++at;
  const std::size_t close = at > begin && at < line.size() && line[at] == '[' ? line.find(']', at) : std::string::npos;
  if (close != std::string::npos) at = close + 1;
  const std::size_t end = at;
  while (blank(at)) ++at;
  const bool marked = line.compare(at, mark.size(), mark) == 0;
  if (marked) at += mark.size();
  while (blank(at)) ++at;
  if (begin == end || !marked || at >= line.size() || line[at] != '=') {
    fault(text, at, mark.empty() ? "an assignment reads 'name = formula'" : "an equation reads \"state' = formula\"");
    return std::nullopt;
  }
  return Assignment{line.substr(begin, end - begin), begin, at + 1, text};
}

void Names::report(const std::vector<FormulaFault>& found,
                   const std::vector<std::pair<const Formula*, std::size_t>>& texts) {
  for (const FormulaFault& one : found) {
    const auto number = static_cast<std::size_t>(std::max(one.place.line - 1, 0));
    const auto character = static_cast<std::size_t>(std::max(one.place.column - 1, 0));
    const auto& [text, shift] = texts[std::min(number, texts.size() - 1)];
    // `shift`: characters that the text in the deck has more (from) or less than what was parsed.
    std::string message = one.text();
    if (shown_ != nullptr && shown_->original(*text).text != text->text)
      message = fault_in({shown_->original(*text).text, {}}, character + shift, one.message).text();
    fault(*text, character + shift, Vectors::shown(message));
  }
}

void Names::open(const BlockOptions& block, const std::vector<std::string>& states,
                 const std::vector<std::string>& quadratures, const std::vector<std::string>& swept,
                 const std::vector<std::string>& means, const std::vector<std::string>& accumulators,
                 const std::vector<std::string>& forcings, const std::vector<std::string>& replaced) {
  storage_ = {"t"};
  std::vector<Allowed> least{Allowed::motion};
  const auto add = [&](const std::vector<std::string>& names, Allowed first) {
    for (const std::string& name : names) {
      const bool mean = std::find(means.begin(), means.end(), name) != means.end();
      storage_.push_back(name);
      least.push_back(mean ? Allowed::all : first);
    }
  };
  add(states, Allowed::motion);
  add(quadratures, Allowed::integrals);
  add(swept, Allowed::swept);
  add(accumulators, Allowed::events);
  add(forcings, Allowed::motion);
  for (const std::string& name : replaced) {
    // Elements of vectors are states; other names that are replaced may depend on swept values alone.
    const auto parts = subscripted(name);
    const bool state = parts && std::any_of(states.begin(), states.end(),
                                            [&](const std::string& one) { return one.starts_with(parts->name + "["); });
    add({name}, state ? Allowed::motion : Allowed::swept);
  }
  for (std::size_t i = 0; i < storage_.size(); ++i)
    for (auto kind = static_cast<std::size_t>(least[i]); kind < allowed_.size(); ++kind)
      allowed_[kind].push_back(storage_[i].c_str());
  Definitions definitions;
  std::vector<std::pair<const Formula*, std::size_t>> texts;
  for (const NamedFormula& one : block.constants) {
    definitions.constants.emplace_back(one.name, numbered(one.formula.text, texts.size()));
    texts.emplace_back(&one.formula, 0);
  }
  for (const NamedFormula& one : block.definitions) {
    const std::string prefix = one.name.empty() ? "" : one.name + " = ";
    definitions.definitions.push_back(numbered(prefix + one.formula.text, texts.size()));
    texts.emplace_back(&one.formula, 0 - prefix.size());
  }
  std::vector<FormulaFault> found;
  scope_.emplace(allowed(Allowed::all), definitions, found);
  report(found, texts);
}

void Names::use(Vectors& vectors, OdeSystem& system, Allowed kind) {
  vectors_ = &vectors;
  system_ = &system;
  vectors.open(*scope_, system,
               [this, kind](const Formula& text, std::size_t from) { return parse_names(text, from, kind); });
}

std::optional<Expression> Names::parse_names(const Formula& text, std::size_t from, Allowed kind) {
  std::vector<FormulaFault> found;
  const auto expression = scope_->parse(numbered(text.text.substr(from), 0), allowed(kind), found);
  report(found, {{&text, from}});
  return expression;
}

std::optional<Expression> Names::parse(const Formula& text, std::size_t from, Allowed kind, const Vectors::Range* range,
                                       Sums sums) {
  const auto named = parse_names(text, from, kind);
  if (!named || vectors_ == nullptr) return named;
  auto made = vectors_->resolve(*named, text, range);
  if (!made || sums == Sums::loops) return made;
  const Expression whole = written_out(*system_, *made);
  if (kind == Allowed::swept && stage_of(*system_, whole) > Stage::system) {
    fault(text, from, "may depend on constants and swept values only");
    return std::nullopt;
  }
  return range == nullptr ? whole : made;
}

}  // namespace halocline::ode_ensemble
