#include "io/output/geometry.hpp"

#include "io/output/vtk_grid.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

int axes_of(const Grid& grid) {
  int axes = 0;
  for (int d = 0; d < 3; ++d) axes += grid.points(d) > 1 ? 1 : 0;
  return axes;
}

bool can_be_image(const Grid& grid, Centring centring, Geometry geometry) {
  if (!is_uniform(grid)) return false;
  const int axes = axes_of(grid);
  return axes == 3 || (axes == 2 && centring == Centring::cell && geometry != Geometry::spelled_out);
}

}  // namespace

GridForm form_of(const Grid& grid, Centring centring, Geometry geometry) {
  if (can_be_image(grid, centring, geometry)) return GridForm::image;
  if (geometry == Geometry::automatic)
    return count(grid, Centring::cell) > most_explicit_cells ? GridForm::index : GridForm::unstructured;
  return geometry == Geometry::index ? GridForm::index : GridForm::unstructured;
}

std::string reason_of(GridForm form, const Grid& grid, Geometry geometry) {
  const std::string key = std::string("output.geometry: ") + word_for(geometry) + ": ";
  const Index cells = count(grid, Centring::cell);
  if (form == GridForm::image)
    return key + (axes_of(grid) == 3 ? "the grid is uniform, and an image"
                                     : "the plane is uniform with values in cells, and an image one cell thick");
  const std::string many = formatted("{} cells are {} than {}", cells,
                                     cells > most_explicit_cells ? "more" : "not more", most_explicit_cells);
  if (form == GridForm::unstructured)
    return key + "points and cells are spelled out" + (geometry == Geometry::automatic ? ", since " + many : "");
  return key + "the geometry is left to the index, fields.xdmf" +
         (geometry == Geometry::automatic ? ", since " + many : "");
}

}  // namespace halocline
