// What the sides give (boundary.hpp), in memory of an executor.
#pragma once

#include "lib/base/array.hpp"
#include "lib/problems/collocation/discretization/boundary.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

class PlacedSides {
 public:
  PlacedSides(const ExecutorPtr& executor, const Boundary& boundary);
  const SidesView& view() const { return view_; }

 private:
  Array<double, 1> sides_[4], liftings_;
  SidesView view_;
};

// u += factor * G on the lines of a block: u in the layout of nodal_layout.hpp, in memory of the executor. T is double
// or float. Asynchronous.
template <class T>
void add_sides(const ExecutorPtr& executor, const Boundary& boundary, const NodalBlock& block, double factor, T* u);

}  // namespace halocline::collocation
