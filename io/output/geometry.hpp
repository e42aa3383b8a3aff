// What a file of fields says of its grid: nothing more than numbers for an image, every point and cell, or nothing at
// all.
//
// VTKHDF 1.0 knows images and unstructured grids. A uniform box is an image. So are the cells of a uniform plane, which
// becomes one cell thick; its points cannot be one, since ParaView 5.11 aborts on an image one point thick. All other
// grids are unstructured, and their geometry takes about eight times the room of a field: beyond a size the XDMF index
// alone, which knows rectilinear grids, describes them.
#pragma once

#include <string>

#include "lib/base/publish.hpp"
#include "lib/base/words.hpp"

namespace halocline {

// What is asked for. `automatic`: images where there can be one, else points and cells spelled out up to
// most_explicit_cells; `spelled_out`: also cells of planes, of any number; `index`: images, else never.
enum class Geometry { automatic, spelled_out, index };
constexpr auto words_of(Geometry) {
  return std::to_array<Word<Geometry>>(
      {{"auto", Geometry::automatic}, {"explicit", Geometry::spelled_out}, {"index", Geometry::index}});
}

constexpr Index most_explicit_cells = 4'000'000;

enum class GridForm { image, unstructured, index };

// The form of a grid whose fields have this centring.
GridForm form_of(const Grid& grid, Centring centring, Geometry geometry);

// A line for the log: the form and why.
std::string reason_of(GridForm form, const Grid& grid, Geometry geometry);

}  // namespace halocline
