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

// A set of columns outside a part's own ones, made on its executor: first marked by kernels, then numbered.
class GhostSet {
 public:
  // Columns of `all` may be marked, and `all` may be larger than what will be; `own`: the part's own columns.
  GhostSet(const ExecutorPtr& executor, const Range<1>& own, const Range<1>& all);

  GhostMarks marks();  // for bodies that mark columns
  // Marks all of these, ascending numbers on the host that are not the part's own.
  void mark(const std::vector<Index>& columns);
  // To be called once all are marked.
  Ghosts number();
  // From global columns, own or marked, to local ones; after number().
  LocalNumbering numbering() const;

 private:
  ExecutorPtr executor_;
  GhostSpan span_;
  Array<Bits, 1> words_;
  Array<Index, 1> starts_;
  Index below_ = 0;
};

// Global numbers of ghosts in a part's memory, for bodies that go from local to global numbers.
struct GlobalNumbers {
  Array<Index, 1> ghosts;
  Index below, own_begin, own_size;
  GlobalNumbering view() const { return {ghosts.view(), below, own_begin, own_size}; }
};
GlobalNumbers global_numbers(const ExecutorPtr& executor, const Range<1>& own, const Ghosts& ghosts);

}  // namespace halocline::sparse
