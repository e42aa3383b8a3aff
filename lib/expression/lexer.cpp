#include "lib/expression/lexer.hpp"

#include <charconv>

namespace halocline {

void Lexer::refuse(std::size_t offset, const std::string& message) const { throw fault_in(formula_, offset, message); }

void Lexer::refuse_character() const {
  const char c = at(position_);
  if (static_cast<unsigned char>(c) >= 0x80) refuse(position_, "only ASCII characters are allowed in formulas");
  if (c < ' ' || c > '~') refuse(position_, "control character in a formula");
  refuse(position_, std::string("unexpected character '") + c + "'");
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  const Token token{kind, position_, std::string_view(formula_.text).substr(position_, length), 0};
  position_ += length;
  return token;
}

Token Lexer::next() {
  while (position_ < formula_.text.size() &&
         std::string_view(" \t\r\n").find(at(position_)) != std::string_view::npos) {
    ++position_;
  }
  if (position_ >= formula_.text.size()) return take(Token::Kind::end, 0);
  const char c = at(position_);
  if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return number();
  if (is_letter(c)) {
    std::size_t end = position_;
    while (is_letter(at(end)) || is_digit(at(end)) || at(end) == '_') ++end;
    if (at(end) == '[') {
      const std::size_t close = formula_.text.find(']', end);
      if (close == std::string::npos) refuse(end, "']' is missing");
      end = close + 1;
    }
    return take(Token::Kind::name, end - position_);
  }
  if ((c == '<' || c == '>' || c == '=' || c == '!') && at(position_ + 1) == '=') return take(Token::Kind::symbol, 2);
  if (c != '\0' && std::string_view("+-*/^(),=<>").find(c) != std::string_view::npos) {
    return take(Token::Kind::symbol, 1);
  }
  refuse_character();
}

Token Lexer::number() {
  std::size_t end = position_;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.') ++end;
  while (is_digit(at(end))) ++end;
  if (at(end) == 'e' || at(end) == 'E') {
    const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
    if (!is_digit(at(end + 1 + sign))) refuse(end, "the exponent of this number has no digits");
    end += 1 + sign;
    while (is_digit(at(end))) ++end;
  }
  Token token = take(Token::Kind::number, end - position_);
  const char* first = token.text.data();
  const auto read = std::from_chars(first, first + token.text.size(), token.value);
  if (read.ec != std::errc{}) refuse(token.begin, "this number is outside the range of double precision");
  return token;
}

}  // namespace halocline
