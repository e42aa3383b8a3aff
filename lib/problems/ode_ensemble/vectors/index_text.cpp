#include "lib/problems/ode_ensemble/vectors/index_text.hpp"

namespace halocline::ode_ensemble {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool in_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

std::size_t past_blanks(const std::string& text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

Piece trimmed(const std::string& text, Piece piece) {
  while (piece.begin < piece.end && is_blank(text[piece.begin])) ++piece.begin;
  while (piece.begin < piece.end && is_blank(text[piece.end - 1])) --piece.end;
  return piece;
}

// The words of a text: names without subscripts.
std::vector<Piece> words_in(const std::string& text) {
  std::vector<Piece> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && in_name(text[at])) ++at;
    if (at > begin && is_letter(text[begin])) words.push_back({begin, at});
    if (at == begin) ++at;
  }
  return words;
}

}  // namespace

std::string only(const std::string& text, Piece piece) {
  std::string made = text;
  for (std::size_t i = 0; i < made.size(); ++i)
    if ((i < piece.begin || i >= piece.end) && made[i] != '\n') made[i] = ' ';
  return made;
}

std::optional<Subscripted> subscripted(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return std::nullopt;
  return Subscripted{text.substr(0, open), {open + 1, text.size() - 1}};
}

std::optional<RangeText> range_in(const std::string& text) {
  const std::vector<Piece> words = words_in(text);
  for (std::size_t w = words.size(); w-- > 0;) {
    if (words[w].in(text) != "for") continue;
    RangeText made{
        {words[w].begin, text.size()}, {}, {}, {}, "a range reads 'for i in 1..N' or 'for i in 1..N, periodic'"};
    if (w + 2 >= words.size() || words[w + 2].in(text) != "in") return made;
    made.index = words[w + 1];
    const std::size_t from = words[w + 2].end, dots = text.find("..", from);
    if (dots == std::string::npos) return made;
    const std::size_t comma = text.find(',', dots);
    made.first = trimmed(text, {from, dots});
    made.last = trimmed(text, {dots + 2, comma == std::string::npos ? text.size() : comma});
    if (comma != std::string::npos) {
      made.periodic = trimmed(text, {comma + 1, text.size()}).in(text) == "periodic";
      if (!made.periodic) return made;
    }
    if (made.first.begin == made.first.end || made.last.begin == made.last.end) return made;
    made.wrong.clear();
    return made;
  }
  return std::nullopt;
}

std::vector<Piece> names_in(const std::string& text) {
  std::vector<Piece> names;
  for (const Piece word : words_in(text)) {
    if (!names.empty() && word.begin < names.back().end) continue;  // inside a subscript
    if (word.end < text.size() && text[word.end] == '[') {
      const std::size_t close = text.find(']', word.end);
      if (close != std::string::npos) names.push_back({word.begin, close + 1});
      continue;
    }
    const std::size_t next = past_blanks(text, word.end);
    if (next >= text.size() || text[next] != '(') names.push_back(word);
  }
  return names;
}

std::optional<SumText> sum_in(const std::string& text, std::size_t from) {
  for (const Piece word : words_in(text)) {
    const std::size_t open = past_blanks(text, word.end);
    if (word.begin < from || word.in(text) != "sum" || open >= text.size() || text[open] != '(') continue;
    SumText made{{word.begin, text.size()}, {}};
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t at = open; at < text.size(); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')') --depth;
      if (depth == 0 || (depth == 1 && text[at] == ',')) {
        made.arguments.push_back(trimmed(text, {begin, at}));
        begin = at + 1;
      }
      if (depth > 0) continue;
      made.all.end = at + 1;
      made.closed = true;
      break;
    }
    return made;
  }
  return std::nullopt;
}

}  // namespace halocline::ode_ensemble
