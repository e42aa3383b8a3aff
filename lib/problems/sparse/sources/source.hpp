// RowSource: a matrix whose rows are pure functions of their number, so that every part makes its own, without
// messages.
#pragma once

#include <memory>
#include <string>

#include "lib/base/executor.hpp"
#include "lib/linalg/sparse/global_rows.hpp"
#include "lib/problems/sparse/sources/mesh.hpp"
#include "lib/problems/sparse/sources/row_numbers.hpp"

namespace halocline::sparse {

// The lowest row of a part that cannot be made, and why; row -1: all can.
struct RowFault {
  Index row = -1;
  std::string message = {};
  bool found() const { return row >= 0; }
};

// The rows of one part at one time.
class PartRows {
 public:
  virtual ~PartRows() = default;
  // To be asked first; matrix() and rhs() are of use only where nothing is wrong.
  virtual RowFault fault() const { return {}; }
  virtual GlobalRows matrix() const = 0;
  virtual Array<double, 1> rhs() const = 0;  // the source's own right side
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;
  // Rows `own` in memory of the executor, at time t of a sequence; the source may be gone before they are used.
  virtual std::unique_ptr<PartRows> part(const ExecutorPtr& executor, const Range<1>& own, double t) const = 0;
  virtual RowNumbers row_numbers() const { return {}; }
  virtual bool matrix_depends_on_time() const { return false; }
  virtual bool depends_on_time() const { return false; }
  // Null where rows do not come from a mesh. The source outlives it.
  virtual std::unique_ptr<SourceMesh> mesh() const { return nullptr; }
};

}  // namespace halocline::sparse
