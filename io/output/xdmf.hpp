// XDMF 3: the text that lets every version of ParaView open the HDF5 files of all steps, whatever the grid.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files.hpp"
#include "lib/base/publish.hpp"

namespace halocline {

// Steps that differ in their file and time alone share it.
using XdmfForm = std::shared_ptr<const std::string>;

// One output step as it stands in the indices.
struct OutputStep {
  std::string file;  // "fields_0001.vtkhdf"
  double time = 0;
  XdmfForm form;  // its <Grid> element
};

// The <Grid> element of a step, without its file and time. `grid_file` holds /nodes/x, y, z when the grid is not
// uniform. Values have the grid's shape here, also where they lie flat: one of ParaView's readers takes slices of that
// shape.
std::string xdmf_form(const Grid& grid, const std::string& grid_file, std::span<const FieldInfo> fields);
// The same of values on a mesh, whose geometry lies in `mesh_file`.
std::string xdmf_form(const Mesh& mesh, const std::string& mesh_file, std::span<const FieldInfo> fields);
// That text, or the one of `before` where it is the same.
XdmfForm shared_form(const XdmfForm& before, std::string text);
// The whole index, and the steps found in one that was written by it.
void put_xdmf_index(const Put& put, const std::string& name, std::span<const OutputStep> steps);
std::vector<OutputStep> steps_of_xdmf(const std::string& text);

// ParaView's own index of a series of files, JSON.
void put_series_index(const Put& put, std::span<const OutputStep> steps);

// Columns of a file as point values of a plane over two axes, x the second one: names and "file:dataset".
std::string xdmf_maps(const std::array<MapAxis, 2>& axes, const std::vector<std::pair<std::string, std::string>>& maps);

}  // namespace halocline
