// VentriclePatch: the mesh of a ventricle on some lines of its lattice, in memory of an executor.
#pragma once

#include "lib/base/array.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

namespace halocline::sparse {

class VentriclePatch {
 public:
  // Cubes, numbers, places and voltages at time t of the nodes on `lines`; on all lines where rows are not numbered
  // along the lattice, since no part of that order is known alone.
  VentriclePatch(ExecutorPtr executor, const VentricleSource& source, Range<1> lines, double t);

  // Lines that the nodes of rows lie on. With what lies around: lines of all neighbors of their nodes.
  static Range<1> lines_of(const VentricleSource& source, const Range<1>& rows);
  static Range<1> with_neighbors(const VentricleLattice& lattice, const Range<1>& lines);

  const VentricleMesh& mesh() const { return mesh_; }  // without nodes
  // Lattice nodes of rows that lie on the lines.
  Array<Index, 1> nodes(const Range<1>& rows) const;

 private:
  void make_cubes(const Range<1>& lines);
  void number_lines(const VentricleSource& source, const Range<1>& lines);
  void make_points(double t);

  ExecutorPtr executor_;
  VentricleMesh mesh_;
  Array<CubeCode, 1> cubes_;
  Array<Index, 1> numbers_;
  Array<Point, 1> points_;
  Array<double, 1> voltages_;
};

}  // namespace halocline::sparse
