#include "lib/expression/formula_fault.hpp"

#include <algorithm>
#include <string_view>

namespace halocline {

namespace {

constexpr std::size_t window = 60;  // characters shown on each side of the caret

// The line of `text` around `offset`, with a caret below. Bytes that a terminal might interpret are shown as '?'.
std::string excerpt_of(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::size_t end = std::min(text.find('\n', offset), text.size());
  const bool cut_left = offset - begin > window, cut_right = end - offset > window;
  if (cut_left) begin = offset - window;
  if (cut_right) end = offset + window;
  std::string line(text.substr(begin, end - begin));
  for (char& c : line) {
    if (c == '\t' || c == '\r') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  const std::string indent = "    ", left = cut_left ? "..." : "";
  return indent + left + line + (cut_right ? "..." : "") + "\n" + indent +
         std::string(left.size() + offset - begin, ' ') + "^";
}

std::string join(const std::vector<FormulaFault>& faults) {
  std::string all;
  for (const FormulaFault& fault : faults) {
    const std::string place = to_string(fault.place);
    if (!all.empty()) all += "\n";
    all += (place.empty() ? "" : place + ": ") + fault.text();
  }
  return all;
}

}  // namespace

FormulaFault fault_in(const Formula& formula, std::size_t offset, std::string message) {
  const std::string_view text = formula.text;
  offset = std::min(offset, text.size());
  const auto breaks =
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  Place place = formula.place;
  if (place.line > 0) place.line += breaks;
  if (breaks > 0) place.column = 0;
  if (place.column > 0) place.column += static_cast<int>(offset);
  return {std::move(place), std::move(message), text.empty() ? "" : excerpt_of(text, offset)};
}

ExpressionError::ExpressionError(std::vector<FormulaFault> faults)
    : DeckError(join(faults)), faults_(std::move(faults)) {}

}  // namespace halocline
