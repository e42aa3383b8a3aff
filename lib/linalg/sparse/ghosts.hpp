// Ghosts: rows of other parts that a part refers to by its columns, and the numbering of columns of a part.
//
// Local numbers keep the global order: ghosts below the own rows come first, then the own rows, then ghosts above.
// Comparing local numbers is comparing global ones.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/sparse/numbering_kernels.hpp"

namespace halocline::sparse {

struct Ghosts {
  std::vector<Index> rows;  // global numbers, ascending
  Index below = 0;          // how many lie below the own rows
  Index size() const { return static_cast<Index>(rows.size()); }
  Index above() const { return size() - below; }
};

// A set of columns outside a part's own ones, made on its executor: marked by kernels, then numbered. Takes 256 bytes
// for every 1024 columns in a row of which any is marked, and 1/4096 byte for every other one.
class GhostSet {
 public:
  // Columns of `all` may be marked, and `all` may be larger than what will be; `own`: the part's own columns.
  // `mark(marks)` marks all of them, twice: first their pages, then themselves.
  template <class Mark>
  GhostSet(const ExecutorPtr& executor, const Range<1>& own, const Range<1>& all, const Mark& mark)
      : GhostSet(executor, own, all) {
    mark(GhostMarks{span_, {}, used_.view().data, nullptr});
    hold_pages();
    mark(GhostMarks{span_, pages(), nullptr, words_.view().data});
    list();
  }

  const Ghosts& ghosts() const { return ghosts_; }
  // From global columns, own or marked, to local ones.
  LocalNumbering numbering() const;
  // Of marks and what finds them.
  std::size_t bytes() const;

 private:
  GhostSet(const ExecutorPtr& executor, const Range<1>& own, const Range<1>& all);
  GhostPages pages() const { return {used_.view().data, starts_of_pages_.view().data}; }
  void hold_pages();
  void list();

  ExecutorPtr executor_;
  GhostSpan span_;
  Array<Bits, 1> used_;  // pages
  Array<Index, 1> starts_of_pages_, held_;
  Array<Bits, 1> words_;  // of those that are held
  Array<Index, 1> starts_;
  Ghosts ghosts_;
};

// For GhostSet: marks all of these, ascending numbers that are not the part's own.
void mark_list(const Executor& executor, const Array<Index, 1>& columns, const GhostMarks& marks);
// The local numbers of columns.
void number_list(const Executor& executor, const Array<Index, 1>& columns, const LocalNumbering& numbering,
                 Array<LocalIndex, 1>& local);

// Global numbers of ghosts in a part's memory, for bodies that go from local to global numbers.
struct GlobalNumbers {
  Array<Index, 1> ghosts;
  Index below, own_begin, own_size;
  GlobalNumbering view() const { return {ghosts.view(), below, own_begin, own_size}; }
};
GlobalNumbers global_numbers(const ExecutorPtr& executor, const Range<1>& own, const Ghosts& ghosts);

}  // namespace halocline::sparse
