// Checkpoints of what StateArchive alone does not take: values of two or four bytes, several in each word of eight, by
// their bits; pieces of rows.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/publish.hpp"

namespace halocline {

/// Saves or restores rows `global` of an array of `total` rows with `width` values each, lying in host memory one after
/// the other: as StateArchive::block() of integers, every row being filled up with zeros to whole words. T: float,
/// Half. Collective.
template <class T>
void archive_packed(StateArchive& state, const char* name, Index total, Index width, Range<1> global,
                    std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(Index) % sizeof(T) == 0);
  require(static_cast<Index>(values.size()) == global.size() * width, "archive_packed: rows and values differ");
  constexpr Index in_word = static_cast<Index>(sizeof(Index) / sizeof(T));
  const Index words = (width + in_word - 1) / in_word;
  const auto row_bytes = static_cast<std::size_t>(width) * sizeof(T);
  std::vector<Index> packed(static_cast<std::size_t>(global.size() * words), 0);
  const auto each_row = [&](const auto& copy) {
    for (Index row = 0; row < global.size(); ++row) copy(packed.data() + row * words, values.data() + row * width);
  };
  if (!state.restoring()) each_row([=](Index* to, const T* from) { std::memcpy(to, from, row_bytes); });
  state.block(name, total, words, global, View<Index, 1>(packed.data(), static_cast<Index>(packed.size())),
              *make_omp_executor(1));
  if (state.restoring()) each_row([=](const Index* from, T* to) { std::memcpy(to, from, row_bytes); });
}

/// What archives offer beside StateArchive: arrays of which a part has pieces of rows.
class ArchivePieces {
 public:
  virtual ~ArchivePieces() = default;
  /// As StateArchive::block(), of the values in a box (row, place in the row) of the array, row after row. All parts of
  /// one array call this, or all call block().
  virtual void piece(const char* name, Index total, Index width, const Range<2>& global, View<double, 1> values,
                     const Executor& executor) = 0;
};

}  // namespace halocline
