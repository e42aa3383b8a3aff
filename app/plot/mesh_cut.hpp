// A cut through a mesh of tetrahedra or hexahedra, as a raster.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "app/plot/plane.hpp"

namespace halocline {

struct MeshValues {
  std::vector<double> points;  // three coordinates each
  std::vector<Index> corners;  // of cells, 4 or 8 each in VTK's order
  Index per_cell = 4;
  std::vector<double> values;  // one per point, or per cell
  bool of_cells = false;
};

// Values on the plane across `axis` at `place`, about `pixels` along the longer side: linear in tetrahedra, of which a
// hexahedron has six. x, y, values and cells of the plane are set. DeckError when the plane misses the mesh.
void cut_mesh(const MeshValues& mesh, int axis, double place, Index pixels, FieldPlane& plane);

}  // namespace halocline
