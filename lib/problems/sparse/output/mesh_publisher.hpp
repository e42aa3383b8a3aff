// MeshPublisher: values on rows as values at the points of the mesh that the rows come from.
//
// Points are numbered by rows. Cells are shared out by themselves, and handed over some at a time, so that a mesh takes
// little memory beside a solve.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/problems/sparse/output/row_groups.hpp"
#include "lib/problems/sparse/sources/mesh.hpp"

namespace halocline::sparse {

class MeshPublisher {
 public:
  // Counts the cells. Collective, as all calls are.
  MeshPublisher(const RowSpacePtr& rows, std::unique_ptr<SourceMesh> mesh);

  // The mesh itself; before all that follows.
  void publish_mesh(FieldSink& sink) const;
  void publish(FieldSink& sink, const std::string& name, const PartValues& values) const;
  void publish_parts(FieldSink& sink) const;        // the number of the part that has a point's rows
  void publish_cell_fields(FieldSink& sink) const;  // of the mesh

 private:
  Range<1> points(int part) const;
  Range<1> groups(int part, Index piece) const;
  // make(part) gives the values of points(part).
  template <class Make>
  void give_points(const std::function<void(std::span<const RowsOf<double>>)>& take, const Make& make) const;
  template <class T, class Make>
  void give_cells(const std::function<void(std::span<const RowsOf<T>>)>& take, const Make& make) const;

  RowSpacePtr rows_;
  std::unique_ptr<SourceMesh> mesh_;
  RowGroups nodes_;
  Index pieces_;              // of every part's cells
  std::vector<Index> cells_;  // the first of every piece of every part, and how many there are
};

}  // namespace halocline::sparse
