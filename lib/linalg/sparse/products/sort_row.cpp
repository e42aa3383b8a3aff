#include "lib/linalg/sparse/products/sort_row.hpp"

#include <algorithm>

namespace halocline::sparse {
namespace {

constexpr Index most_ranked = 1024;  // beyond, comparing every entry with every other costs more than sorting
constexpr int width = 8, block = 2 * width;
typedef LocalIndex Columns __attribute__((vector_size(width * sizeof(LocalIndex)), may_alias, aligned(4)));

// How many columns are smaller, for sixteen of them.
void rank_block(Index size, const LocalIndex* col, const LocalIndex* of, LocalIndex* rank) {
  const Columns low = *reinterpret_cast<const Columns*>(of), high = *reinterpret_cast<const Columns*>(of + width);
  Columns low_rank{}, high_rank{};
  for (Index j = 0; j < size; ++j) {
    const Columns other = Columns{} + col[j];
    low_rank -= other < low;  // true is -1
    high_rank -= other < high;
  }
  *reinterpret_cast<Columns*>(rank) = low_rank;
  *reinterpret_cast<Columns*>(rank + width) = high_rank;
}

}  // namespace

void sort_row(Index size, const LocalIndex* col, const double* val, LocalIndex* to_col, double* to_val,
              std::vector<std::pair<LocalIndex, double>>& room) {
  if (size > most_ranked) {
    room.clear();
    for (Index j = 0; j < size; ++j) room.emplace_back(col[j], val[j]);
    std::sort(room.begin(), room.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : room) {
      *to_col++ = column;
      *to_val++ = value;
    }
    return;
  }
  for (Index first = 0; first < size; first += block) {
    const Index count = std::min<Index>(block, size - first);
    LocalIndex of[block] = {}, rank[block];
    for (Index l = 0; l < count; ++l) of[l] = col[first + l];
    rank_block(size, col, of, rank);
    for (Index l = 0; l < count; ++l) {
      to_col[rank[l]] = of[l];
      to_val[rank[l]] = val[first + l];
    }
  }
}

}  // namespace halocline::sparse
