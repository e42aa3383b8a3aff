// Strips of lines and their tree on the host side: how lines are cut, which pairs of nodes are joined by whom, and
// tables for lines that have their coefficients in common. The arithmetic is in strip_kernels.hpp and tree_kernels.hpp.
//
// Strips and tree follow from the number of rows alone, so results have the same bits on any partition that cuts lines
// between strips.
#pragma once

#include <array>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/strips/tree_kernels.hpp"
#include "mpi/partition.hpp"

namespace halocline {

/// Rows of a strip, as far as the number of rows allows: 2, 4, 8, 16 or 32, about half the root of `rows`.
Index strip_length(Index rows);

namespace strips {

/// `rows` >= 1 in strips of strip_length(rows) rows or one more; fewer than four rows are one strip.
StripLayout strip_layout(Index rows);

/// All pairs of a line of so many strips, places by strip.
std::vector<JoinStep> join_steps(Index strips);
/// The pairs of strips in `own`; places count from own.lo.
std::vector<JoinStep> join_steps(Index strips, const Range<1>& own);
/// The nodes which these leave, in order: ranges of strips, the maximal ones of the heap inside `own`.
std::vector<Range<1>> top_nodes(Index strips, const Range<1>& own);
/// The pairs that are left when `nodes`, which follow each other from strip 0 to the last, are joined; places number
/// the nodes.
std::vector<JoinStep> join_steps_above(Index strips, const std::vector<Range<1>>& nodes);

/// Where the rows of parts begin that hold these strips.
Partition rows_of_strips(const StripLayout& layout, const Partition& strips);
/// How many chunks of whole rows, of `pitch` columns each, ChunkedExchange sends one by one: up to `most_chunks`, fewer
/// where what they hide takes no longer than their exchanges.
Index chunks_of(Index rows, Index pitch);
constexpr Index most_chunks = 4;
/// `rows` in so many chunks.
Partition column_chunks(Index rows, Index pitch, Index count);

/// A row  diagonal u_i = right + before u_{i-1} + behind u_{i+1}  of I - nu Lambda: nu lo, 1 - nu di, nu up. In a
/// periodic line the first and the last row are neighbors; in others their outer coefficient is ignored.
struct RowCoefficients {
  double before = 0, diagonal = 1, behind = 0;
};

constexpr Index table_lanes = 32;
/// Order of factors in memory.
enum class TableOrder {
  by_strip,  // [strip][row][factor]: for solving strip by strip
  by_row     // [row][factor][strip], places of strips a multiple of `table_lanes`: for threads that have a strip each
};

/// The tables of an axis on a device, to be set anew whenever coefficients change.
template <class T>
class StripTables {
 public:
  StripTables(ExecutorPtr executor, Index rows, TableOrder order);
  /// Coefficients of all rows of a line. Queued on the compute queue: kernels launched before see the old ones. Throws
  /// NumericalError where elimination without pivoting breaks down.
  void assign(const std::vector<RowCoefficients>& rows, bool periodic);
  CommonLine<T> line() const;

 private:
  struct Staged {  // lives until its copy has run
    std::vector<T> factors;
    std::vector<Join<T>> joins;
    Event copied;
  };
  StripLayout layout_;
  TableOrder order_;
  Index longest_;
  Array<T, 1> factors_;
  Array<Join<T>, 1> joins_;
  Array<JoinStep, 1> steps_;
  Closure<T> closure_{};
  bool periodic_ = false;
  std::array<Staged, 2> staged_;
  int next_ = 0;
};

}  // namespace strips
}  // namespace halocline
