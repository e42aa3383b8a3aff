// Smoother: what a multigrid cycle does on every level, and what it knows there. Node smoothing: node_smoother.cpp,
// smoothing by lines: line_smoother.cpp.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/collocation/discretization/equations.hpp"
#include "lib/problems/collocation/discretization/nodal_vectors.hpp"

namespace halocline::collocation {

// A mesh of the hierarchy and its equations. Outlives its smoothers.
template <class T>
struct LevelMesh {
  const Axis *x, *y;  // of the whole mesh
  const NodalSpace* space;
  std::vector<EquationView<T>> views;  // of every part of this rank
  const EquationView<T>& view(int part) const { return views[static_cast<std::size_t>(part)]; }
};

// What u holds before a sweep: nothing, it is taken for 0; its own lines; the nearest ones of other parts too.
enum class SweepStart { zero, own_lines, nearest_lines };

template <class T>
class Smoother {
 public:
  virtual ~Smoother() = default;
  // One sweep for A u = f: all half-sweeps, always in the same order. f: equation layout, own lines set. u: unknowns,
  // (v, w) on sides (nodal_layout.hpp), as `start` says, the same on all ranks. Ghost lines of u are not right after:
  // whoever reads them exchanges first (NodalSpace::halo). u may be given other memory of the same space by
  // Vector::swap. Results do not depend on the number of parts unless said. Collective, main thread; launches on
  // compute queues.
  virtual void sweep(const Vector<T>& f, Vector<T>& u, SweepStart start) = 0;
  // After the coefficients of the mesh have got new values. Collective.
  virtual void refresh() = 0;
  virtual Traffic sent() const { return {}; }  // by this rank, since construction
};

// vline, hline: zebra over vertical, horizontal lines; alt: vline, then hline.
enum class Smoothing { node, vline, hline, alt };

// Red-black over nodes, color (i + j) mod 2: for every node the correction that solves its own equations, with the
// residual before the half-sweep.
template <class T>
std::unique_ptr<Smoother<T>> make_node_smoother(const LevelMesh<T>& mesh);

// vline, hline or alt. Defined in line_smoother.cpp.
template <class T>
std::unique_ptr<Smoother<T>> make_line_smoother(const LevelMesh<T>& mesh, Smoothing smoothing);

}  // namespace halocline::collocation
