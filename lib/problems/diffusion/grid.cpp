#include "lib/problems/diffusion/grid.hpp"

#include <string>

namespace halocline::diffusion {

namespace {

UniformGrid nothing() {
  UniformGrid grid;
  grid.dimensions = 0;
  return grid;
}

UniformGrid make_fv(const GridOptions& options, Faults& faults) {
  if (!options.points.empty())
    faults.at("diffusion.grid.points", "belongs to layout hiperc; layout fv has size, cells");
  if (options.spacing.given())
    faults.at("diffusion.grid.spacing", "belongs to layout hiperc; layout fv has size, cells");
  if (options.cells.empty()) return faults.at("diffusion.grid", "lacks `cells`, which layout fv needs"), nothing();
  if (options.size.empty()) return faults.at("diffusion.grid", "lacks `size`, which layout fv needs"), nothing();
  return grid_of_box(GridLayout::cells, {options.size, options.cells, options.origin, options.refinement},
                     "diffusion.grid", faults);
}

UniformGrid make_hiperc(const GridOptions& options, int reach, Faults& faults) {
  if (!options.size.empty())
    faults.at("diffusion.grid.size", "belongs to layout fv; layout hiperc has points, spacing");
  if (!options.cells.empty()) faults.at("diffusion.grid.cells", "belongs to layout fv; layout hiperc has points");
  if (options.points.empty())
    return faults.at("diffusion.grid", "lacks `points`, which layout hiperc needs"), nothing();
  if (!options.spacing.given())
    return faults.at("diffusion.grid", "lacks `spacing`, which layout hiperc needs"), nothing();
  return grid_of_points({options.points, options.spacing, options.origin, options.refinement}, reach, "diffusion.grid",
                        faults);
}

}  // namespace

UniformGrid make_grid(const GridOptions& options, int reach, Faults& faults) {
  const bool fv = options.layout == Layout::fv;
  UniformGrid grid = fv ? make_fv(options, faults) : make_hiperc(options, reach, faults);
  for (int axis = 0; axis < grid.dimensions; ++axis) {
    if (grid.extent[axis] > 2 * reach) continue;
    faults.at(fv ? "diffusion.grid.cells" : "diffusion.grid.points",
              std::string("too few along ") + axis_names[static_cast<std::size_t>(axis)] +
                  " for the mask, which reaches " + std::to_string(reach) + " to either side: " +
                  std::to_string(2 * reach + 1) + (fv ? " cells" : " points inside the ring") + " at least");
    return nothing();
  }
  return grid;
}

}  // namespace halocline::diffusion
