// SourceRecords: what the source of a field has added to the mass since the start, see source_kernels.hpp.
#pragma once

#include <string>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/base/publish.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/balance/source_kernels.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::diffusion {

class SourceRecords {
 public:
  // `parts`: how the parts of this rank lie in the grid.
  SourceRecords(const Context& context, const UniformGrid& grid, std::vector<SlabLayout> parts);

  // For kernels that have the source at hand, or bodies of add_pass().
  SourceRecord of(int part, double share) const;
  // Adds a source in memory, `values` of cell (0, 0, 0), on a box of a part's cells. On the compute queue.
  void add(int part, const double* values, const SlabBox& cells, double share);

  // Copies records of a part aside, or back. On the compute queue.
  void keep(int part);
  void restore(int part);

  // In units of c times cells: an exact sum over pieces. Collective.
  ExactSum total() const;
  // `name`: a prefix of the names in the archive.
  void archive(StateArchive& state, const std::string& name);

 private:
  struct Part {
    SlabLayout slab;
    Index pieces;
    Array<double, 1> sum, carry, kept_sum, kept_carry;
  };
  Context context_;
  UniformGrid grid_;
  std::vector<Part> parts_;
};

}  // namespace halocline::diffusion
