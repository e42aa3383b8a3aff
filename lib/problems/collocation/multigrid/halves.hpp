// What the smoother of a GPU reads, in 16 bits: half of the memory that a cycle in single precision moves. A number
// keeps 11 bits within 2^-29 of the largest one of its group, and 2^-40 of that where it is smaller. Cycles compute in
// single precision and are preconditioners: what they return changes by one in a thousand, what is solved does not.
#pragma once

#include "lib/problems/collocation/discretization/equations.hpp"

namespace halocline::collocation {

// Numbers of nodes along lines: `groups` groups of `quads` x 4 rows of `width` places, even nodes in the first half,
// odd ones in the second; four rows become one of FourHalves. A group's power of two depends on nothing else.
struct HalfLayout {
  Index groups, quads, width, nodes;
};
HalfGroups halved(const ExecutorPtr& executor, const HalfLayout& layout, const float* from);

// The coefficients of `view`, whose nodes stand in order, with even nodes before odd ones (EquationView::halves); they
// must be sampled.
template <class From>
HalfGroups halved_samples(const ExecutorPtr& executor, const EquationView<From>& view);

}  // namespace halocline::collocation
