#include "lib/linalg/sparse/formats/windows.hpp"

#include <algorithm>

#include "lib/linalg/sparse/formats/row_layout.hpp"

namespace halocline::sparse {
namespace {

constexpr Index pieces_per_thread = 8;
constexpr Index work_of_window = 128;  // besides its entries, in entries

// Windows of very unequal rows are shared out by their entries: begins of the pieces, empty where that is not needed.
std::vector<LocalIndex> cut(const std::vector<Index>& work, Index pieces) {
  Index all = 0, most = 0;
  for (const Index w : work) {
    all += w;
    most = std::max(most, w);
  }
  const auto count = static_cast<Index>(work.size());
  if (count < 2 || most * count <= 2 * all) return {};
  std::vector<LocalIndex> begin{0};
  Index done = 0;
  for (Index n = 0; n < count; ++n) {
    // A window goes where its middle lies.
    const Index piece = std::min(pieces - 1, (2 * done + work[n]) * pieces / (2 * all));
    while (static_cast<Index>(begin.size()) <= piece) begin.push_back(static_cast<LocalIndex>(n));
    done += work[n];
  }
  begin.resize(static_cast<std::size_t>(pieces) + 1, static_cast<LocalIndex>(count));
  return begin;
}

WindowSet make_set(const ExecutorPtr& executor, Index rows, const std::vector<Index>& entries,
                   const std::vector<LocalIndex>& windows) {
  WindowSet set;
  set.rows = rows;
  set.count = static_cast<Index>(windows.size());
  std::vector<Index> work;
  for (const LocalIndex w : windows) {
    set.entries += entries[w];
    work.push_back(entries[w] + work_of_window);
  }
  if (!windows.empty() && static_cast<std::size_t>(windows.back()) >= windows.size())
    set.list = make_array(executor, windows);
  if (executor->backend() == Backend::cuda) return set;
  const std::vector<LocalIndex> pieces = cut(work, pieces_per_thread * executor->threads());
  if (!pieces.empty()) set.piece_begin = make_array(executor, pieces);
  return set;
}

}  // namespace

// A window with rows of others is late, also where it has own ones.
WindowSets divide_windows(const ExecutorPtr& executor, const StoredCounts& rows, const std::vector<Index>& entries,
                          const std::vector<unsigned char>& late) {
  std::vector<LocalIndex> inside, with_ghosts, with_others, own;
  for (std::size_t w = 0; w < entries.size(); ++w) {
    const auto first = static_cast<Index>(w) * window_rows;
    const bool others = std::min(first + window_rows, rows.all) > rows.own;
    const auto window = static_cast<LocalIndex>(w);
    if (late[w] != 0 || others) with_others.push_back(window);
    if (first >= rows.own) continue;
    own.push_back(window);
    (late[w] != 0 || others ? with_ghosts : inside).push_back(window);
  }
  WindowSets sets;
  sets.inside = make_set(executor, rows.own, entries, inside);
  sets.with_ghosts = make_set(executor, rows.own, entries, with_ghosts);
  sets.own = make_set(executor, rows.own, entries, own);
  sets.has_others = rows.all > rows.own;
  if (sets.has_others) sets.with_others = make_set(executor, rows.all, entries, with_others);
  return sets;
}

}  // namespace halocline::sparse
