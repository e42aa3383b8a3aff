// SelfConvergence: the order of a method where no exact solution is known, from the changes between three grids or
// more.
//
// With an error of c h^p the change from one grid to the next is c (1 - 2^-p) h^p, of the same order: its quotients
// give p, and the last of them the error of the finest grid.
#pragma once

#include <string>
#include <vector>

#include "app/run/launcher.hpp"
#include "app/run/run_options.hpp"

namespace halocline {

class SelfConvergence {
 public:
  // Largest and mean changes of all fields since the grid before, NaN for the first: "max_change.u", "rms_change.u".
  using Changes = std::vector<std::pair<std::string, double>>;
  // Compares at points inside the first grid's box that are nodes of all grids. Nothing for families without a grid.
  // Collective; after the run of each grid, coarse to fine.
  Changes add(const Context& context, const LoadedDeck& deck, const Problem& problem, double t);
  std::size_t points() const { return probes_.points.size(); }
  // Whether values lay at the points; else they were interpolated linearly, which hides orders beyond 2.
  bool at_nodes() const { return at_nodes_; }

 private:
  ProbeOptions probes_;
  bool at_nodes_ = true;
  std::vector<double> before_;  // values of the last grid, field by field
};

// Nodes inside a grid, at most about `most` of them, evenly over their numbers; with as many coordinates as axes.
std::vector<std::vector<double>> inner_nodes(const Grid& grid, Index most);

}  // namespace halocline
