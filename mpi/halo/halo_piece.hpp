// One side of one link of a halo: an index set of a part, and its stretch of the part's buffer.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/view.hpp"
#include "mpi/halo/halo_kernels.hpp"
#include "mpi/halo/links.hpp"

namespace halocline {

template <class T>
View<T, 1> stretch(View<T, 1> view, Index start, Index count) {
  return View<T, 1>(view.data + start, count);
}

// Whether its positions follow each other.
bool is_run(const IndexSet& set);

class HaloPiece {
 public:
  // `start`: of the stretch. A list is copied to the executor's memory, unless its positions follow each other.
  HaloPiece(const ExecutorPtr& executor, const IndexSet& set, Index start);

  // Whether the set is one run of positions: copied as it is, without a kernel.
  bool contiguous() const { return contiguous_; }
  // The set itself, when contiguous.
  template <class T>
  View<T, 1> of(View<T, 1> data) const {
    check_range(data.size());
    return stretch(data, offset_, count);
  }

  // From the part's data to the buffer, and back; on the compute queue.
  template <class T>
  void collect(const Executor& executor, View<const T, 1> data, View<T, 1> buffer) const {
    check_range(data.size());
    const View<T, 1> mine = stretch(buffer, start, count);
    if (contiguous_) {
      executor.copy_async(mine.data, of(data).data, static_cast<std::size_t>(count) * sizeof(T), Queue::compute);
    } else if (list_) {
      gather(executor, data, positions(), mine);
    } else {
      gather(executor, data, box_, mine);
    }
  }
  template <class T>
  void distribute(const Executor& executor, View<T, 1> buffer, View<T, 1> data) const {
    put<T>(executor, stretch(buffer, start, count), data);
  }
  // The same from values that lie anywhere, one behind the other.
  template <class T>
  void put(const Executor& executor, View<const T, 1> mine, View<T, 1> data) const {
    check_range(data.size());
    if (contiguous_) {
      executor.copy_async(of(data).data, mine.data, static_cast<std::size_t>(count) * sizeof(T), Queue::compute);
    } else if (list_) {
      scatter(executor, mine, positions(), data);
    } else {
      scatter(executor, mine, box_, data);
    }
  }

  Index start, count;

 private:
  void check_range(Index size) const {
    require(lowest_ >= 0 && highest_ < size, "Halo: link reaches outside its part's data");
  }
  ListPositions positions() const { return {std::as_const(*list_).view()}; }

  Index offset_;
  Index lowest_ = 0, highest_ = -1;  // of the positions; of none: as here
  BoxPositions box_{};
  bool contiguous_ = false;
  std::optional<Array<Index, 1>> list_;
};

// What several index sets of a part name, one set behind the other, in memory of its device, so that one launch serves
// them all.
class JoinedPositions {
 public:
  // Nothing where a set is a box that is no run.
  static std::optional<JoinedPositions> of(const ExecutorPtr& executor, const std::vector<const IndexSet*>& sets);

  // For data of so many numbers.
  ListPositions within(Index size) const {
    require(lowest_ >= 0 && highest_ < size, "Halo: link reaches outside its part's data");
    return {list_.view()};
  }
  Index count() const { return list_.size(); }

 private:
  JoinedPositions(const ExecutorPtr& executor, const std::vector<Index>& list);

  Array<Index, 1> list_;
  Index lowest_ = 0, highest_ = -1;
};

}  // namespace halocline
