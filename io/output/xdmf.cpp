#include "io/output/xdmf.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "io/output/vtk_grid.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

std::string dimensions(const Grid& grid, Centring centring) {
  const auto shape = file_shape(grid, centring);
  return std::to_string(shape[0]) + " " + std::to_string(shape[1]) + " " + std::to_string(shape[2]);
}

std::string inline_item(const std::vector<double>& values) {
  std::string text = "          <DataItem Format=\"XML\" Dimensions=\"" + std::to_string(values.size()) +
                     "\" NumberType=\"Float\" Precision=\"8\">";
  for (const double& value : values) text += (&value == values.data() ? "" : " ") + exact_text(value);
  return text + "</DataItem>\n";
}

std::string heavy_item(const std::string& shape, const std::string& where) {
  return "          <DataItem Format=\"HDF\" Dimensions=\"" + shape + "\" NumberType=\"Float\" Precision=\"8\">" +
         where + "</DataItem>\n";
}

// The reader of XDMF 2, which is ParaView's first choice, knows no values in cells of a plane: planes that have them
// alone are one cell thick, as images are.
bool is_thick(const Grid& grid, std::span<const FieldInfo> fields) {
  const bool plane =
      std::any_of(grid.nodes.begin(), grid.nodes.end(), [](const auto& nodes) { return nodes.size() < 2; });
  return plane && !fields.empty() && std::all_of(fields.begin(), fields.end(), [](const FieldInfo& field) {
           return field.centring == Centring::cell;
         });
}

Grid thickened(Grid grid) {
  const double half = thickness_of(grid) / 2;
  for (std::vector<double>& nodes : grid.nodes)
    if (nodes.size() == 1) nodes = {nodes[0] - half, nodes[0] + half};
  return grid;
}

// Three-dimensional also for plane grids: ParaView puts a 2DCoRectMesh into the y-z plane.
std::string mesh(const Grid& plane, const std::string& grid_file, bool thick) {
  const Grid grid = thick ? thickened(plane) : plane;
  const auto& nodes = grid.nodes;
  const bool uniform = is_uniform(grid);
  std::string text = std::string("        <Topology TopologyType=\"") + (uniform ? "3DCoRectMesh" : "3DRectMesh") +
                     "\" Dimensions=\"" + dimensions(grid, Centring::point) + "\"/>\n" +
                     "        <Geometry GeometryType=\"" + (uniform ? "ORIGIN_DXDYDZ" : "VXVYVZ") + "\">\n";
  if (uniform) {
    text += inline_item({nodes[2][0], nodes[1][0], nodes[0][0]});
    text += inline_item({spacing(nodes[2]), spacing(nodes[1]), spacing(nodes[0])});
  } else {
    const char* const names[3] = {":/nodes/x", ":/nodes/y", ":/nodes/z"};
    for (int d = 0; d < 3; ++d)
      text += plane.nodes[d] != nodes[d] ? inline_item(nodes[d])
                                         : heavy_item(std::to_string(grid.points(d)), grid_file + names[d]);
  }
  return text + "        </Geometry>\n";
}

std::string mesh(const Mesh& mesh, const std::string& mesh_file) {
  const std::string cells = std::to_string(mesh.cells), corners = std::to_string(mesh.corners());
  return std::string("        <Topology TopologyType=\"") +
         (mesh.kind == CellKind::tetrahedron ? "Tetrahedron" : "Hexahedron") + "\" NumberOfElements=\"" + cells +
         "\">\n          <DataItem Format=\"HDF\" Dimensions=\"" + cells + " " + corners +
         "\" NumberType=\"Int\" Precision=\"8\">" + mesh_file + ":/Connectivity</DataItem>\n        </Topology>\n" +
         "        <Geometry GeometryType=\"XYZ\">\n" +
         heavy_item(std::to_string(mesh.points) + " 3", mesh_file + ":/Points") + "        </Geometry>\n";
}

// In forms, for the file and the time of a step.
constexpr char file_place = '\1', time_place = '\2';

std::string begin_grid() {
  return std::string("      <Grid Name=\"") + file_place + "\" GridType=\"Uniform\">\n        <Time Value=\"" +
         time_place + "\"/>\n";
}

std::string filled(const OutputStep& step) {
  std::string text;
  for (const char c : *step.form) {
    if (c == file_place)
      text += step.file;
    else if (c == time_place)
      text += exact_text(step.time);
    else
      text += c;
  }
  return text;
}

// The form that was filled to this text.
std::string emptied(std::string text, const OutputStep& step) {
  // An index that somebody has changed may lack a name.
  for (std::size_t at = 0; !step.file.empty() && (at = text.find(step.file, at)) != std::string::npos;)
    text.replace(at, step.file.size(), 1, file_place);
  const std::string time = "<Time Value=\"", end = "\"/>";
  const std::size_t begin = text.find(time);
  if (begin == std::string::npos) return text;
  // Nor does it keep every line whole: what ends elsewhere is no time.
  const std::size_t from = begin + time.size(), last = text.find(end, from);
  if (last >= text.find('\n', from)) return text;
  return text.replace(from, last - from, 1, time_place);
}

std::string attribute(const FieldInfo& field, const std::string& shape) {
  const bool at_points = field.centring == Centring::point;
  const char* kind = field.width == 1 ? "Scalar" : field.width == 3 ? "Vector" : "Matrix";
  return "        <Attribute Name=\"" + field.name + "\" AttributeType=\"" + kind + "\" Center=\"" +
         (at_points ? "Node" : "Cell") + "\">\n" +
         heavy_item(shape,
                    file_place + std::string(at_points ? ":/VTKHDF/PointData/" : ":/VTKHDF/CellData/") + field.name) +
         "        </Attribute>\n";
}

// The line in front of every step, by which steps_of_xdmf() finds it again.
constexpr const char* mark = "      <!-- step ";

}  // namespace

std::string xdmf_form(const Grid& grid, const std::string& grid_file, std::span<const FieldInfo> fields) {
  std::string text = begin_grid() + mesh(grid, grid_file, is_thick(grid, fields));
  for (const auto& field : fields) text += attribute(field, dimensions(grid, field.centring));
  return text + "      </Grid>\n";
}

std::string xdmf_form(const Mesh& cells, const std::string& mesh_file, std::span<const FieldInfo> fields) {
  std::string text = begin_grid() + mesh(cells, mesh_file);
  for (const auto& field : fields) {
    const std::string rows = std::to_string(field.centring == Centring::point ? cells.points : cells.cells);
    text += attribute(field, field.width == 1 ? rows : rows + " " + std::to_string(field.width));
  }
  return text + "      </Grid>\n";
}

XdmfForm shared_form(const XdmfForm& before, std::string text) {
  return before && *before == text ? before : std::make_shared<const std::string>(std::move(text));
}

void put_xdmf_index(const Put& put, const std::string& name, std::span<const OutputStep> steps) {
  put("<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
      "    <Grid Name=\"" +
      name + "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (const auto& step : steps) put(mark + step.file + " " + exact_text(step.time) + " -->\n" + filled(step));
  put("    </Grid>\n  </Domain>\n</Xdmf>\n");
}

std::vector<OutputStep> steps_of_xdmf(const std::string& text) {
  std::vector<OutputStep> steps;
  std::string element;
  const auto complete = [&] {
    if (!steps.empty())
      steps.back().form = shared_form(steps.size() > 1 ? steps[steps.size() - 2].form : nullptr,
                                      emptied(std::exchange(element, {}), steps.back()));
  };
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with(mark)) {
      complete();
      line.remove_prefix(std::string_view(mark).size());
      steps.emplace_back().file = next_word(line);
      steps.back().time = std::strtod(std::string(next_word(line)).c_str(), nullptr);
    } else if (!steps.empty() && line.starts_with("      ")) {
      (element += line) += "\n";
    }
  });
  complete();
  return steps;
}

void put_series_index(const Put& put, std::span<const OutputStep> steps) {
  put("{\"file-series-version\": \"1.0\", \"files\": [");
  for (const auto& step : steps) {
    put(&step == steps.data() ? "\n" : ",\n");
    put("  {\"name\": \"" + step.file + "\", \"time\": " + exact_text(step.time) + "}");
  }
  put("\n]}\n");
}

std::string xdmf_maps(const std::array<MapAxis, 2>& axes,
                      const std::vector<std::pair<std::string, std::string>>& maps) {
  const std::string shape = "1 " + std::to_string(axes[0].values.size()) + " " + std::to_string(axes[1].values.size());
  std::string text = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.2\">\n  <Domain>\n    <Grid Name=\"" + axes[0].name +
                     " over " + axes[1].name + "\" GridType=\"Uniform\">\n" +
                     "        <Topology TopologyType=\"3DRectMesh\" Dimensions=\"" + shape + "\"/>\n" +
                     "        <Geometry GeometryType=\"VXVYVZ\">\n" + inline_item(axes[1].values) +
                     inline_item(axes[0].values) + inline_item({0}) + "        </Geometry>\n";
  for (const auto& [name, where] : maps)
    text += "        <Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Node\">\n" +
            heavy_item(shape, where) + "        </Attribute>\n";
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace halocline
