// How a grid is cut for the parts of a run: slabs of planes, or boxes, which are slabs cut along y too; both between
// strips of lines, so that sweeps have the same bits in all of them.
//
// The model of a step on the largest part: what it moves at 4 TB/s; what it sends at 50 GB/s and 2 us a message, of a
// GPU and its share of a network. Slabs are kept where boxes gain less than a tenth, on up to four parts, and where
// parts have unequal weights.
#pragma once

#include <vector>

#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/problem.hpp"
#include "mpi/box_partition.hpp"

namespace halocline::fractional {

/// The largest part of a partition.
struct PartSize {
  Index rows = 0, planes = 0;  // along y and z
  bool cut_y = false, cut_z = false;
};
PartSize largest_part(const BoxPartition& boxes);

/// What an inner part sends to others in a step.
struct BoxCost {
  double messages = 0, bytes = 0;
};
BoxCost cost_of(const Formulation& formulation, const PartCounts& counts);

/// Why parts of this problem hold whole planes, for people; empty: they need not.
std::string why_slabs(const Formulation& formulation);

/// Parts of all weights. Nothing, with a fault at fractional.grid.parts or .cells, where they do not fit.
std::optional<BoxPartition> plan_boxes(const Formulation& formulation, const std::vector<double>& weights,
                                       Faults& faults);
/// What a plan has chosen: slabs are its partition, boxes are found again.
BoxPartition boxes_of(const Formulation& formulation, const std::vector<double>& weights, const Partition& planned);

/// The largest number of parts up to `most` for which there is a table of columns and layers.
Index largest_table(const Formulation& formulation, Index most);

}  // namespace halocline::fractional
