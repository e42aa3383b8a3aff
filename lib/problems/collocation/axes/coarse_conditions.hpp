// Conditions of sides on coarser meshes, where what fixes u may lie between the nodes.
#pragma once

#include "lib/problems/collocation/axes/side_conditions.hpp"

namespace halocline::collocation {

// Of a mesh whose nodes are some of those that the conditions are of: theirs. Where that leaves all that says something
// about u between the nodes, and so equations that are singular or nearly so, every node takes what says most about u
// within half an element of this mesh.
SideConditions conditions_on_mesh(const SideConditions& fine, const Axis& x, const Axis& y);

}  // namespace halocline::collocation
