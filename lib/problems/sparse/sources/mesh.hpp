// SourceMesh: the mesh that a source makes its rows from, made part by part, for output.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/publish.hpp"

namespace halocline::sparse {

class SourceMesh {
 public:
  virtual ~SourceMesh() = default;
  virtual CellKind kind() const = 0;
  virtual const char* length_unit() const { return ""; }

  // Row r belongs to point r / unknowns(). Behind the points of all rows lie fixed_points(), where u = 0.
  virtual int unknowns() const { return 1; }
  virtual Index fixed_points() const { return 0; }
  // Three coordinates of each of them.
  virtual Array<double, 1> points(const ExecutorPtr& executor, const Range<1>& own) const = 0;

  // Cells come in groups, the numbers of whose cells ascend with theirs; a part makes those of some groups.
  virtual Index groups() const = 0;
  virtual Index cells(const ExecutorPtr& executor, const Range<1>& groups) const = 0;  // how many they are
  virtual Array<Index, 1> corners(const ExecutorPtr& executor, const Range<1>& groups) const = 0;
  // Fields on cells, and the values of one of them.
  virtual std::vector<FieldInfo> cell_fields() const { return {}; }
  virtual Array<double, 1> cell_values(const ExecutorPtr& executor, std::size_t /*field*/,
                                       const Range<1>& /*groups*/) const {
    return {executor, {0}};
  }
};

}  // namespace halocline::sparse
