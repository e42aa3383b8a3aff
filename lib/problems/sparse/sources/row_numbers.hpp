// Orders of rows, and RowNumbers: how rows are numbered here and in the input, for what is read, told and written in
// the order of the input.
#pragma once

#include <array>
#include <functional>

#include "lib/base/types.hpp"
#include "lib/base/words.hpp"

namespace halocline::sparse {

enum class RowOrder { automatic, natural, rcm, bisection };
constexpr auto words_of(RowOrder) {
  return std::to_array<Word<RowOrder>>({{"auto", RowOrder::automatic},
                                        {"natural", RowOrder::natural},
                                        {"rcm", RowOrder::rcm},
                                        {"bisection", RowOrder::bisection}});
}

struct RowNumbers {
  std::function<Index(Index)> here;     // of a row of the input
  std::function<Index(Index)> input;    // and back
  bool empty() const { return !here; }  // they are the same
};

}  // namespace halocline::sparse
