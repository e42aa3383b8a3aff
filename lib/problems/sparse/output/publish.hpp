// What a run publishes of values on rows: fields on the grid of a box, columns of other sources.
#pragma once

#include <string>

#include "lib/amg/setup/facts.hpp"
#include "lib/base/publish.hpp"
#include "lib/linalg/sparse/rows.hpp"
#include "lib/problems/sparse/output/row_groups.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"

namespace halocline::sparse {

// The grid of a box: the corners of its cells, or its points.
Grid output_grid(const BoxLayout& layout);

// Rows of a part are no box of the grid. A part hands over the whole grid lines that begin in its rows, for which it
// gets the rest of its last line from the parts behind, as up to three boxes: lines of a plane that others have begun,
// whole planes, lines of a plane that others end. Collective.
class BoxPublisher {
 public:
  BoxPublisher(const RowSpacePtr& rows, const BoxLayout& layout)
      : rows_(rows), layout_(layout), lines_(rows, layout.n[0]) {}
  void publish(FieldSink& sink, const std::string& name, const PartValues& values) const;

 private:
  void publish_lines(FieldSink& sink, const FieldInfo& info, int part, const double* first_row,
                     const Executor& executor) const;

  RowSpacePtr rows_;
  BoxLayout layout_;
  RowGroups lines_;
};

// columns/NAME, a value per row.
void publish_columns(FieldSink& sink, const RowSpace& rows, const std::string& name, const PartValues& values);

// The same of several values per row.
void publish_columns(FieldSink& sink, const RowSpace& rows, const std::string& name,
                     const std::vector<PartValues>& values);

// series/levels_...: what every level of a hierarchy is like.
void publish_levels(FieldSink& sink, const amg::HierarchyFacts& facts);

}  // namespace halocline::sparse
