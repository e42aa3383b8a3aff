// How a grid is cut for the parts of a run: slabs, or boxes, in 3D of y and z, in 2D of x and y, whichever exchanges
// less.
//
// The model of a step on the largest part: 16 bytes a cell and field at 4 TB/s; what it sends meanwhile at 50 GB/s and
// 2 us a message: of a GPU that takes several steps at once, and of its share of a network. An eighth of that comes on
// top: cells at edges that are computed twice, packing. In 2D steps of a sweep share messages and the way through
// memory, and cells at edges are counted. Slabs are kept where boxes gain less than a tenth, on up to four parts where
// these have planes, and where parts have unequal weights.
#pragma once

#include <string>
#include <vector>

#include "lib/fields/slab_layout.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "mpi/box_partition.hpp"

namespace halocline::diffusion {

/// As `columns` along y and `layers` along z, in 2D along x and y; 0: to be chosen.
struct BoxCounts {
  Index columns = 0, layers = 0;
};

struct BoxNeeds {
  UniformGrid grid;
  bool around_y = false, around_z = false;  // periodic, the axis of columns and that of layers
  Index reach = 1;                          // rows of neighbors that a step reads
  Index least = 1;                          // rows (planes) of a part that is cut along an axis
  Index fields = 1;
  std::size_t value_bytes = 8;
  std::string whole_lines = {};  // why lines along x are not cut, in 2D; empty: they may be
  Index steps = 1;               // of a sweep, in 2D

  bool deep() const { return grid.dimensions == 3; }
  bool may_be_boxes() const { return deep() || whole_lines.empty(); }
  Index across() const { return grid.extent[deep() ? 1 : 0]; }  // unknowns that columns share
  Index along() const { return grid.extent[deep() ? 2 : 1]; }   // that layers share
  Index chunk() const { return deep() ? 1 : line_piece; }       // columns begin with multiples
};

/// What an inner part sends in a step, and what its step takes by the model.
struct BoxCost {
  double messages = 0, bytes = 0, seconds = 0;
};
BoxCost cost_of(const BoxNeeds& needs, const BoxCounts& counts);

/// Whether some table of columns and layers has so many parts: not all numbers below one that fits do, as 7 of 3 x 3.
bool fits(const BoxNeeds& needs, Index parts);

/// Parts for all weights. Throws DeckError where they do not fit; what `wish` asks for has been checked.
BoxPartition choose_boxes(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish);

/// What a deck asks for: two numbers, or nothing. Reports what is no pair of counts.
BoxCounts read_wish(const std::vector<double>& given, Faults& faults);

/// What is wrong with a wish for so many parts of these weights; empty: nothing.
std::string fault_of_wish(const BoxNeeds& needs, const std::vector<double>& weights, const BoxCounts& wish);

}  // namespace halocline::diffusion
