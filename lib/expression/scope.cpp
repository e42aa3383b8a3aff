#include "lib/expression/scope.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/expression/functions.hpp"
#include "lib/expression/lexer.hpp"
#include "lib/expression/parser.hpp"

namespace halocline {

namespace {

// One constant or definition on its way to a symbol.
struct Entry {
  std::string name;
  const Formula* formula;
  std::size_t begin;  // of the expression in the text
  std::size_t name_begin;
  bool constant;
  std::vector<std::size_t> uses{};  // entries named in the expression, in order of appearance
};

constexpr std::size_t longest_name = 31;
constexpr int most_names = 10000;  // constants and definitions together

// Finds name and expression of "name = expr"; throws FormulaFault.
Entry split(const Formula& formula) {
  Lexer lexer(formula);
  const Token name = lexer.next();
  if (name.kind != Token::Kind::name) throw fault_in(formula, name.begin, "a definition reads 'name = formula'");
  const Token sign = lexer.next();
  if (!sign.is("=")) throw fault_in(formula, sign.begin, "'=' is missing: a definition reads 'name = formula'");
  return {std::string(name.text), &formula, lexer.position(), name.begin, false};
}

// Names in the expression of an entry, up to the first faulty character (which the parser will report).
std::vector<std::string_view> names_in(const Entry& entry) {
  std::vector<std::string_view> names;
  try {
    Lexer lexer(*entry.formula, entry.begin);
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) {
      if (token.kind == Token::Kind::name) names.push_back(token.text);
    }
  } catch (const FormulaFault&) {
  }
  return names;
}

std::vector<std::string> strings(std::span<const char* const> names) { return {names.begin(), names.end()}; }

// Names of variables may have a subscript, those that decks define may not.
bool is_variable(std::string_view name) {
  if (name == "t") return true;
  if (name.ends_with(']')) name = name.substr(0, name.find('['));
  return fault_of_name(name).empty();
}

}  // namespace

struct Scope::State {
  explicit State(std::span<const char* const> variables)
      : graph(std::make_shared<ExpressionGraph>(strings(variables))), variables(strings(variables)) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const std::string& name = this->variables[v];
      require(is_variable(name), "Scope: not a name for a variable: " + name);
      const bool added = symbols.emplace(name, Symbol{graph->variable(static_cast<int>(v)), true}).second;
      require(added, "Scope: variable given twice: " + name);
    }
  }

  void define(const Definitions& definitions, std::vector<FormulaFault>& faults);
  void define_data(const std::vector<DataName>& data);
  void add_entry(Entry entry, std::vector<FormulaFault>& faults);
  void find_uses();
  std::vector<std::size_t> sort(std::vector<FormulaFault>& faults) const;
  void report_cycles(const std::vector<bool>& sorted, std::vector<FormulaFault>& faults) const;
  int nan() { return graph->constant(std::numeric_limits<double>::quiet_NaN()); }

  std::shared_ptr<ExpressionGraph> graph;
  std::vector<std::string> variables;
  Symbols symbols;
  std::vector<std::string> order;  // of definition
  std::vector<Entry> entries;      // while defining
  std::map<std::string, std::size_t, std::less<>> entry_of;
};

void Scope::State::add_entry(Entry entry, std::vector<FormulaFault>& faults) {
  const std::string bad = fault_of_name(entry.name);
  if (!bad.empty()) return faults.push_back(fault_in(*entry.formula, entry.name_begin, bad));
  const auto earlier = entry_of.find(entry.name);
  if (symbols.contains(entry.name) || earlier != entry_of.end()) {
    const bool data = earlier == entry_of.end() &&
                      graph->node(symbols.find(entry.name)->second.node).operation != Operation::variable;
    const std::string what = data                                ? "one of `data`"
                             : earlier == entry_of.end()         ? "a variable"
                             : entries[earlier->second].constant ? "a constant"
                                                                 : "defined";
    return faults.push_back(
        fault_in(*entry.formula, entry.name_begin, "the name '" + entry.name + "' is already " + what));
  }
  entry_of[entry.name] = entries.size();
  order.push_back(entry.name);
  entries.push_back(std::move(entry));
}

void Scope::State::find_uses() {
  for (Entry& entry : entries) {
    for (std::string_view name : names_in(entry)) {
      const auto found = entry_of.find(name);
      if (found == entry_of.end()) continue;
      const bool known = std::find(entry.uses.begin(), entry.uses.end(), found->second) != entry.uses.end();
      if (!known) entry.uses.push_back(found->second);
    }
  }
}

// Entries such that each comes after those it uses (Kahn, CACM 5, 1962); those on or behind a circle are missing.
std::vector<std::size_t> Scope::State::sort(std::vector<FormulaFault>& faults) const {
  std::vector<std::size_t> waiting_for(entries.size()), sorted;
  std::vector<std::vector<std::size_t>> users(entries.size());
  std::vector<bool> done(entries.size(), false);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    waiting_for[i] = entries[i].uses.size();
    for (std::size_t used : entries[i].uses) users[used].push_back(i);
    if (waiting_for[i] == 0) sorted.push_back(i);
  }
  for (std::size_t next = 0; next < sorted.size(); ++next) {
    done[sorted[next]] = true;
    for (std::size_t user : users[sorted[next]]) {
      if (--waiting_for[user] == 0) sorted.push_back(user);
    }
  }
  if (sorted.size() < entries.size()) report_cycles(done, faults);
  return sorted;
}

void Scope::State::report_cycles(const std::vector<bool>& sorted, std::vector<FormulaFault>& faults) const {
  std::vector<std::size_t> walk_of(entries.size(), 0);  // number of the walk that came by, 0: none
  for (std::size_t start = 0; start < entries.size(); ++start) {
    std::size_t at = start;
    while (!sorted[at] && walk_of[at] == 0) {
      walk_of[at] = start + 1;
      const std::vector<std::size_t>& uses = entries[at].uses;
      at = *std::find_if(uses.begin(), uses.end(), [&](std::size_t used) { return !sorted[used]; });
    }
    if (sorted[at] || walk_of[at] != start + 1) continue;  // nothing new
    std::string circle = entries[at].name;
    std::size_t next = at;
    do {
      const std::vector<std::size_t>& uses = entries[next].uses;
      next = *std::find_if(uses.begin(), uses.end(), [&](std::size_t used) { return !sorted[used]; });
      if (circle.size() < 200) circle += " uses " + entries[next].name;
    } while (next != at);
    faults.push_back(fault_in(*entries[at].formula, entries[at].name_begin, "circular definition: " + circle));
  }
}

// What has not been read yet stands for a raster of one number. The family tells of names that cannot be.
void Scope::State::define_data(const std::vector<DataName>& data) {
  if (variables.size() < 2) return;  // of the parameter of a mesh, say
  for (const DataName& one : data) {
    if (!fault_of_name(one.name).empty() || symbols.contains(one.name)) continue;
    const std::shared_ptr<const Raster> raster = one.raster ? one.raster : make_raster({0}, {});
    const bool deep = variables.size() > 2 && raster->view.extent[2] > 1;
    const int z = deep ? graph->variable(2) : graph->constant(0);
    symbols[one.name] = {graph->look(raster, {graph->variable(0), graph->variable(1), z}), false};
  }
}

void Scope::State::define(const Definitions& definitions, std::vector<FormulaFault>& faults) {
  if (definitions.constants.size() + definitions.definitions.size() > most_names) {
    const std::string message = "more than " + std::to_string(most_names) + " constants and definitions";
    return faults.push_back(fault_in(Formula{}, 0, message));
  }
  define_data(definitions.data);
  for (const auto& [name, formula] : definitions.constants) add_entry({name, &formula, 0, 0, true}, faults);
  for (const Formula& formula : definitions.definitions) {
    try {
      add_entry(split(formula), faults);
    } catch (const FormulaFault& fault) {
      faults.push_back(fault);
    }
  }
  find_uses();
  const std::vector<bool> none(variables.size(), false);
  const std::vector<std::size_t> sorted = sort(faults);
  for (const Entry& entry : entries) symbols[entry.name] = {nan(), false};
  for (std::size_t i : sorted) {
    const Entry& entry = entries[i];
    const int node =
        halocline::parse({*graph, symbols, *entry.formula, entry.begin, entry.constant ? &none : nullptr}, faults);
    if (node >= 0) symbols[entry.name].node = node;
  }
  entries.clear();
  entry_of.clear();
}

Scope::Scope(std::span<const char* const> variables, const Definitions& definitions)
    : state_(std::make_shared<State>(variables)) {
  std::vector<FormulaFault> faults;
  state_->define(definitions, faults);
  if (!faults.empty()) throw ExpressionError(std::move(faults));
}

Scope::Scope(std::span<const char* const> variables, const Definitions& definitions, std::vector<FormulaFault>& faults)
    : state_(std::make_shared<State>(variables)) {
  state_->define(definitions, faults);
}

std::optional<Expression> Scope::parse(const Formula& formula, std::vector<FormulaFault>& faults) const {
  const int node = halocline::parse({*state_->graph, state_->symbols, formula}, faults);
  if (node < 0) return std::nullopt;
  return Expression(state_->graph, node);
}

std::optional<Expression> Scope::parse(const Formula& formula, std::span<const char* const> allowed,
                                       std::vector<FormulaFault>& faults) const {
  std::vector<bool> mask(state_->variables.size(), false);
  for (const char* name : allowed) {
    const auto found = std::find(state_->variables.begin(), state_->variables.end(), name);
    require(found != state_->variables.end(), "Scope::parse: an allowed name is not a variable");
    mask[static_cast<std::size_t>(found - state_->variables.begin())] = true;
  }
  const int node = halocline::parse({*state_->graph, state_->symbols, formula, 0, &mask}, faults);
  if (node < 0) return std::nullopt;
  return Expression(state_->graph, node);
}

Expression Scope::parse(const Formula& formula) const {
  std::vector<FormulaFault> faults;
  const std::optional<Expression> expression = parse(formula, faults);
  if (!expression) throw ExpressionError(std::move(faults));
  return *expression;
}

Expression Scope::parse(const Formula& formula, std::span<const char* const> allowed) const {
  std::vector<FormulaFault> faults;
  const std::optional<Expression> expression = parse(formula, allowed, faults);
  if (!expression) throw ExpressionError(std::move(faults));
  return *expression;
}

Expression Scope::variable(int position) const {
  require(position >= 0 && position < static_cast<int>(state_->variables.size()), "Scope::variable: no such variable");
  return {state_->graph, state_->graph->variable(position)};
}

std::optional<Expression> Scope::find(std::string_view name) const {
  const auto found = state_->symbols.find(name);
  if (found == state_->symbols.end()) return std::nullopt;
  return Expression(state_->graph, found->second.node);
}

std::vector<std::string> Scope::unused() const {
  std::vector<std::string> names;
  for (const std::string& name : state_->order) {
    if (!state_->symbols.at(name).used) names.push_back(name);
  }
  return names;
}

std::optional<double> parse_number(const Formula& text, std::vector<FormulaFault>& faults) {
  const std::optional<Expression> number = Scope(std::span<const char* const>{}).parse(text, faults);
  if (!number) return std::nullopt;
  return number->value();
}

double parse_number(const Formula& text) {
  std::vector<FormulaFault> faults;
  const std::optional<double> number = parse_number(text, faults);
  if (!number) throw ExpressionError(std::move(faults));
  return *number;
}

std::string fault_of_name(std::string_view name) {
  const std::string shown = "the name '" + std::string(name.substr(0, 40)) + "' ";
  const bool good =
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (name.empty() || !good || !is_letter(name[0])) {
    return "a name consists of letters, digits and '_' and begins with a letter";
  }
  if (name.size() > longest_name) return shown + "is longer than " + std::to_string(longest_name) + " characters";
  const bool word = name == "if" || name == "and" || name == "or" || name == "not";
  const bool reserved = name == "t" || name == "pi" || word || find_function(name) != nullptr;
  return reserved ? shown + "is reserved" : "";
}

}  // namespace halocline
