// Lexer: cuts a formula into tokens. For use inside lib/expression.
//
// A name with a subscript, x[i - 1], is one name: what subscripts mean is up to who gives the names of variables.
#pragma once

#include <string>
#include <string_view>

#include "lib/expression/formula_fault.hpp"

namespace halocline {

struct Token {
  enum class Kind { end, number, name, symbol };
  Kind kind = Kind::end;
  std::size_t begin = 0;
  std::string_view text;  // for a symbol one of + - * / ^ ( ) , = < <= > >= == !=
  double value = 0;       // of a number
  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_comparison() const { return is("<") || is("<=") || is(">") || is(">=") || is("==") || is("!="); }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
  bool is_logical() const { return is_word("and") || is_word("or") || is_word("not"); }
};

class Lexer {
 public:
  // Reads formula.text from character `begin`; the formula outlives the lexer and its tokens.
  explicit Lexer(const Formula& formula, std::size_t begin = 0) : formula_(formula), position_(begin) {}
  // The next token; `end` for ever after the last. Throws FormulaFault.
  Token next();
  std::size_t position() const { return position_; }

 private:
  Token take(Token::Kind kind, std::size_t length);
  Token number();
  char at(std::size_t position) const { return position < formula_.text.size() ? formula_.text[position] : '\0'; }
  [[noreturn]] void refuse(std::size_t offset, const std::string& message) const;
  [[noreturn]] void refuse_character() const;

  const Formula& formula_;
  std::size_t position_;
};

// ASCII tests, independent of the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace halocline
