// The parts of a deck's formulas that have to do with indices, found in their texts: ranges, subscripts, sums.
//
// What is cut out of a text leaves blanks, so that faults in the rest keep their places.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halocline::ode_ensemble {

// Characters begin ... end - 1 of a text.
struct Piece {
  std::size_t begin = 0, end = 0;
  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

// `text` with blanks for all characters outside the piece.
std::string only(const std::string& text, Piece piece);

// "name[subscript]", taken apart; no subscript: nothing.
struct Subscripted {
  std::string name;
  Piece subscript;
};
std::optional<Subscripted> subscripted(const std::string& text);

// "for INDEX in FIRST..LAST" or "for INDEX in FIRST..LAST, periodic" at the end of a text.
struct RangeText {
  Piece all, index, first, last;
  std::string wrong;  // what is expected, where it has another form
  bool periodic = false;
};
std::optional<RangeText> range_in(const std::string& text);

// The names of a text with their subscripts, x or x[i - 1]; functions and numbers left out.
std::vector<Piece> names_in(const std::string& text);

// The first "sum(...)" of a text and its arguments.
struct SumText {
  Piece all;
  std::vector<Piece> arguments;
  bool closed = false;  // whether it ends
};
std::optional<SumText> sum_in(const std::string& text, std::size_t from = 0);

}  // namespace halocline::ode_ensemble
