#include "lib/expression/parser.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "lib/expression/functions.hpp"
#include "lib/expression/lexer.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {

namespace {

std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

std::string show(const Token& token) {
  return token.kind == Token::Kind::end ? "the end" : quoted(token.text.substr(0, 40));
}

// Every parse function returns a node. Faults of meaning (an unknown name, say) are noted and give NaN, so that parsing
// goes on; faults of syntax throw FormulaFault.
class Parser {
 public:
  Parser(const ParseInput& input, std::vector<FormulaFault>& faults)
      : graph_(input.graph),
        symbols_(input.symbols),
        formula_(input.formula),
        allowed_(input.allowed),
        faults_(faults),
        lexer_(input.formula, input.begin),
        first_size_(input.graph.size()) {}

  int parse() {
    advance();
    if (token_.kind == Token::Kind::end) refuse(token_.begin, "the formula is empty");
    const int node = expression();
    if (token_.kind != Token::Kind::end) unexpected("the end");
    return node;
  }

 private:
  int expression() {
    int left = term();
    while (token_.is("+") || token_.is("-")) {
      const Token sign = token_;
      advance();
      const int right = term();
      left = make(sign.is("+") ? Operation::add : Operation::subtract, sign.begin, left, right);
    }
    return left;
  }

  int term() {
    int left = unary();
    while (token_.is("*") || token_.is("/")) {
      const Token sign = token_;
      advance();
      if (sign.is("*") && token_.is("*")) refuse(sign.begin, "a power is written with ^, as in a^2");
      const std::size_t begin = token_.begin;
      const int right = unary();
      left = sign.is("*") ? make(Operation::multiply, sign.begin, left, right)
                          : make(Operation::divide, begin, left, right);
    }
    return left;
  }

  // Every nesting (parentheses, arguments, exponents) passes here once, so this is where depth is counted.
  int unary() {
    check_depth();
    ++depth_;
    const Token sign = token_;
    if (sign.is("+") || sign.is("-")) {
      advance();
      if (token_.is("+") || token_.is("-")) refuse(token_.begin, "two signs in a row; use parentheses");
    }
    int node = power();
    if (sign.is("-")) node = make(Operation::negate, sign.begin, node);
    --depth_;
    return node;
  }

  int power() {
    const int base = atom();
    if (!token_.is("^")) return base;
    const Token sign = token_;
    advance();
    const int exponent = unary();
    return make(Operation::power, sign.begin, base, exponent);
  }

  int atom() {
    const Token token = token_;
    if (token.is_logical())
      refuse(token.begin, quoted(token.text) + " joins comparisons, in the first argument of 'if' only");
    if (token.kind == Token::Kind::number) {
      advance();
      return graph_.constant(token.value);
    }
    if (token.kind == Token::Kind::name) {
      advance();
      return token_.is("(") ? call(token) : name(token);
    }
    if (!token.is("(")) refuse_operand();
    advance();
    const int node = expression();
    expect(")");
    return node;
  }

  int name(const Token& token) {
    const auto symbol = symbols_.find(token.text);
    if (symbol != symbols_.end()) {
      symbol->second.used = true;
      return check_allowed(token, symbol->second.node);
    }
    if (token.text == "pi") return graph_.constant(std::numbers::pi);
    if (find_function(token.text) != nullptr || token.text == "if") {
      return note(token.begin, quoted(token.text) + " is a function and needs arguments in parentheses");
    }
    return unknown(token, "unknown name ", known_names());
  }

  int call(const Token& function) {
    if (function.text == "if") return conditional(function);
    const Function* found = find_function(function.text);
    if (found == nullptr) {
      if (symbols_.contains(function.text) || function.text == "pi") {
        refuse(token_.begin, quoted(function.text) + " is not a function; a product is written with *");
      }
      unknown(function, "unknown function ", function_names(), true);
    }
    std::array<int, 3> arguments{-1, -1, -1};
    const std::size_t count = read_arguments(arguments);
    if (found == nullptr) return nan();
    const int wanted = arity(found->operation);
    if (count != static_cast<std::size_t>(wanted)) {
      return note(function.begin, quoted(function.text) + " takes " + std::to_string(wanted) +
                                      (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(count) +
                                      (count == 1 ? " is given" : " are given"));
    }
    return make(found->operation, function.begin, arguments[0], arguments[1]);
  }

  // Reads "( expr { , expr } )"; keeps the first three, returns how many there were.
  std::size_t read_arguments(std::array<int, 3>& arguments) {
    std::size_t count = 0;
    do {
      advance();
      if (count == 0 && token_.is(")")) break;
      const int node = expression();
      if (count < arguments.size()) arguments[count] = node;
      ++count;
    } while (token_.is(","));
    expect(")");
    return count;
  }

  // Conditions are numbers, 1 or 0, and logical operations are selections between them.
  int choose(const Token& at, int test, int yes, int no) { return make(Operation::select, at.begin, test, yes, no); }

  // condition = conjunction { "or" conjunction }; conjunction = negation { "and" negation };
  // negation = "not" negation | "(" condition ")" | comparison.
  int condition() {
    int left = conjunction();
    while (token_.is_word("or")) {
      const Token word = token_;
      advance();
      left = choose(word, left, graph_.constant(1), conjunction());
    }
    return left;
  }

  int conjunction() {
    int left = negation();
    while (token_.is_word("and")) {
      const Token word = token_;
      advance();
      left = choose(word, left, negation(), graph_.constant(0));
    }
    return left;
  }

  int negation() {
    check_depth();
    ++depth_;
    const Token first = token_;
    int node = -1;
    if (first.is_word("not")) {
      advance();
      node = opposite(first, negation());
    } else if (first.is("(") && holds_condition()) {
      advance();
      node = condition();
      expect(")");
    } else {
      node = comparison();
    }
    --depth_;
    return node;
  }
  int opposite(const Token& at, int test) { return choose(at, test, graph_.constant(0), graph_.constant(1)); }

  int comparison() {
    const int left = expression();
    const Token sign = token_;
    if (!sign.is_comparison()) {
      refuse(sign.begin, "the first argument of 'if' must compare two values with <, <=, >, >=, == or !=");
    }
    advance();
    const int right = expression();
    if (token_.is_comparison())
      refuse(token_.begin, "only one comparison at a time; several are joined by 'and' or 'or'");
    if (sign.is("==") || sign.is("!=")) {
      const int below = make(Operation::less_equal, sign.begin, left, right);
      const int equal = choose(sign, below, make(Operation::less_equal, sign.begin, right, left), graph_.constant(0));
      return sign.is("==") ? equal : opposite(sign, equal);
    }
    const bool turned = sign.is(">") || sign.is(">=");
    const bool strict = sign.is("<") || sign.is(">");
    return make(strict ? Operation::less : Operation::less_equal, sign.begin, turned ? right : left,
                turned ? left : right);
  }

  // Whether the parenthesis that is the current token groups a condition: a comparison or a logical word stands in it
  // and in no function's arguments.
  bool holds_condition() const {
    Lexer ahead = lexer_;
    std::vector<bool> groups{true};  // by open parenthesis: whether it and all around it only group
    for (Token before = token_, token = ahead.next(); token.kind != Token::Kind::end;
         before = token, token = ahead.next()) {
      if (token.is("(")) groups.push_back(groups.back() && (before.kind != Token::Kind::name || before.is_logical()));
      if (token.is(")")) groups.pop_back();
      if (groups.empty()) return false;
      if (groups.back() && (token.is_comparison() || token.is_logical())) return true;
    }
    return false;
  }

  void check_depth() {
    if (depth_ >= Scope::max_depth) {
      refuse(token_.begin, "the formula is nested more than " + std::to_string(Scope::max_depth) + " levels deep");
    }
  }

  // if(a < b, x, y), the current token being the parenthesis.
  int conditional(const Token& function) {
    advance();
    const int condition = this->condition();
    if (token_.is(")")) refuse(token_.begin, "'if' takes 3 arguments: a comparison and two values");
    expect(",");
    const int yes = expression();
    if (token_.is(")")) refuse(token_.begin, "'if' takes 3 arguments: a comparison and two values");
    expect(",");
    const int no = expression();
    if (token_.is(",")) refuse(token_.begin, "'if' takes 3 arguments: a comparison and two values");
    expect(")");
    return make(Operation::select, function.begin, condition, yes, no);
  }

  // The node of an operation, refusing what has no finite value on constants.
  int make(Operation operation, std::size_t position, int a, int b = -1, int c = -1) {
    if (operation == Operation::divide && graph_.is_constant(b, 0)) return note(position, "division by zero");
    const int node = graph_.make(operation, a, b, c);
    if (graph_.size() - first_size_ > Scope::max_nodes) {
      refuse(position, "the formula has more than " + std::to_string(Scope::max_nodes) + " operations");
    }
    if (!graph_.is_constant(node) || std::isfinite(graph_.node(node).value)) return node;
    for (int operand : {a, b, c}) {
      if (operand >= 0 && graph_.is_constant(operand) && std::isnan(graph_.node(operand).value)) return node;
    }
    if (operation == Operation::sqrt) return note(position, "square root of a negative number");
    if (operation == Operation::log || operation == Operation::log10) {
      return note(position, "logarithm of a number that is not positive");
    }
    return note(position, "this operation on constants has no finite value");
  }

  // A variable below `node` that may not be used here; -1 if there is none.
  int forbidden_variable(int node) const {
    if (allowed_ == nullptr || node < 0) return -1;
    for (int index : graph_.reachable(std::span(&node, 1))) {
      const ExpressionGraph::Node& found = graph_.node(index);
      if (found.operation != Operation::variable) continue;
      const int position = found.operands[0];
      if (!(*allowed_)[static_cast<std::size_t>(position)]) return position;
    }
    return -1;
  }

  int check_allowed(const Token& token, int node) {
    if (const int position = forbidden_variable(node); position >= 0) {
      const std::string& variable = graph_.variables()[static_cast<std::size_t>(position)];
      if (variable == token.text) return note(token.begin, quoted(variable) + " may not be used here" + usable());
      return note(token.begin, quoted(token.text) + " depends on " + quoted(variable) + ", which may not be used here");
    }
    return node;
  }

  // "; this formula may depend on x, y", after a message.
  std::string usable() const {
    std::string list;
    int listed = 0;
    for (std::size_t v = 0; v < graph_.variables().size() && listed <= 12; ++v)
      if ((*allowed_)[v]) list += (list.empty() ? "" : ", ") + (++listed > 12 ? "..." : graph_.variables()[v]);
    return list.empty() ? "; a constant is expected" : "; the formula may depend on " + list;
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const auto& [name, symbol] : symbols_)
      if (forbidden_variable(symbol.node) < 0) names.push_back(name);
    names.emplace_back("pi");
    return names;
  }

  static std::vector<std::string> function_names() {
    std::vector<std::string> names{"if"};
    for (const Function& function : functions()) names.emplace_back(function.name);
    return names;
  }

  // `all`: what is known is listed however much it is, and beside a near name too.
  int unknown(const Token& token, const std::string& what, const std::vector<std::string>& known, bool all = false) {
    constexpr std::size_t max_listed = 12;
    const std::string nearest = nearest_name(token.text, known);
    std::string list;
    if (all || (nearest.empty() && known.size() <= max_listed)) {
      for (const std::string& name : known) list += (list.empty() ? "; known are " : ", ") + name;
    }
    const std::string hint = nearest.empty() ? "" : "; did you mean " + quoted(nearest) + "?";
    return note(token.begin, what + show(token) + hint + list);
  }

  void expect(std::string_view symbol) {
    if (!token_.is(symbol)) unexpected(quoted(symbol));
    advance();
  }

  // The current token does not continue an expression that could have ended here.
  [[noreturn]] void unexpected(const std::string& wanted) {
    if (token_.is_comparison()) refuse(token_.begin, "a comparison is allowed only as the first argument of 'if'");
    if (token_.is_logical())
      refuse(token_.begin, quoted(token_.text) + " joins comparisons, in the first argument of 'if' only");
    if (token_.is("=")) refuse(token_.begin, "'=' is not allowed inside a formula");
    if (token_.kind == Token::Kind::number || token_.kind == Token::Kind::name || token_.is("(")) {
      refuse(token_.begin, "an operator is missing before " + show(token_) + "; a product is written with *");
    }
    if (token_.is(")")) refuse(token_.begin, "')' without '(' before it");
    if (token_.is(",") && wanted == "the end") refuse(token_.begin, "',' outside the arguments of a function");
    refuse(token_.begin, wanted + " is missing before " + show(token_));
  }

  // The current token cannot start a value.
  [[noreturn]] void refuse_operand() { refuse(token_.begin, "a value is missing before " + show(token_)); }

  void advance() { token_ = lexer_.next(); }
  int nan() { return graph_.constant(std::numeric_limits<double>::quiet_NaN()); }
  int note(std::size_t offset, const std::string& message) {
    if (++notes_ > max_notes) refuse(offset, message);
    faults_.push_back(fault_in(formula_, offset, message));
    return nan();
  }
  [[noreturn]] void refuse(std::size_t offset, const std::string& message) const {
    throw fault_in(formula_, offset, message);
  }

  ExpressionGraph& graph_;
  Symbols& symbols_;
  const Formula& formula_;
  const std::vector<bool>* allowed_;
  std::vector<FormulaFault>& faults_;
  Lexer lexer_;
  Token token_;
  int first_size_;
  int depth_ = 0;
  int notes_ = 0;
  static constexpr int max_notes = 10;  // faults reported for one formula
};

}  // namespace

int parse(const ParseInput& input, std::vector<FormulaFault>& faults) {
  if (input.formula.text.size() > Scope::max_text) {
    faults.push_back(
        {input.formula.place, "the formula is longer than " + std::to_string(Scope::max_text) + " characters", ""});
    return -1;
  }
  const std::size_t before = faults.size();
  try {
    const int node = Parser(input, faults).parse();
    return faults.size() == before ? node : -1;
  } catch (const FormulaFault& fault) {
    faults.push_back(fault);
    return -1;
  }
}

}  // namespace halocline
