#include "io/output/vtk_mesh.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "io/h5/staging.hpp"
#include "io/output/row_batches.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

int vtk_type(CellKind kind) { return kind == CellKind::tetrahedron ? 10 : 12; }

}  // namespace

RowDataset::RowDataset(const Communicator& comm, OutputFile& file, std::string path, const std::string& unit,
                       h5::Type type, Index rows, Index width, bool flat)
    : comm_(comm), file_(file), path_(std::move(path)), type_(type), rows_(rows), width_(width) {
  const h5::Extent extent = flat || width == 1 ? h5::Extent{rows * width} : h5::Extent{rows, width};
  file_.structure(static_cast<std::size_t>(8 * rows * width), [&](h5::File& made) {
    made.make_dataset(path_, type_, extent);
    if (!unit.empty()) made.set_attribute(path_, "unit", unit);
  });
}

template <class T>
void RowDataset::add(std::span<const RowsOf<T>> parts) {
  std::vector<std::vector<T>> staged;
  std::vector<h5::Source> boxes;
  for (const RowsOf<T>& part : parts) {
    const Index rows = part.block.extent(0);
    require(part.values.size() == rows * width_, "RowDataset: the view does not have the size of its rows");
    covered_ += rows;
    if (rows == 0) continue;
    staged.push_back(stage(part.values, *part.executor));
    boxes.push_back({{part.block.lo[0], 0}, {rows, width_}, reinterpret_cast<const std::byte*>(staged.back().data())});
  }
  file_.write(path_, type_, {rows_, width_}, boxes);
}

template void RowDataset::add(std::span<const RowsOf<double>>);
template void RowDataset::add(std::span<const RowsOf<Index>>);

void RowDataset::finish() const {
  Index covered = covered_;
  comm_.sum(std::span(&covered, 1));
  require(covered == rows_, "RowDataset: the parts do not cover " + path_);
}

MeshFile::MeshFile(const Writers& writers, const std::string& path, const Mesh& mesh)
    : comm_(writers.comm()), file_(writers, path), mesh_(mesh) {
  const Index cells = mesh.cells, corners = mesh.corners();
  file_.structure(static_cast<std::size_t>(9 * cells + 8), [&](h5::File& made) {
    made.make_dataset("/Offsets", h5::Type::int64, {cells + 1});
    made.make_dataset("/Types", h5::Type::uint8, {cells});
    write_number(made, "/NumberOfPoints", mesh.points);
    write_number(made, "/NumberOfCells", cells);
    write_number(made, "/NumberOfConnectivityIds", corners * cells);
  });
  write_rows(comm_, file_, "/Offsets", h5::Type::int64, {cells + 1}, [&](Index first, Index rows) {
    std::vector<Index> offsets(static_cast<std::size_t>(rows));
    for (Index n = 0; n < rows; ++n) offsets[static_cast<std::size_t>(n)] = (first + n) * corners;
    return offsets;
  });
  write_rows(comm_, file_, "/Types", h5::Type::uint8, {cells}, [&](Index, Index rows) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(rows), static_cast<std::uint8_t>(vtk_type(mesh.kind)));
  });
  rows_.emplace(comm_, file_, "/Points", mesh.unit, h5::Type::float64, mesh.points, 3, false);
}

void MeshFile::points(std::span<const RowsOf<double>> parts) { rows_->add(parts); }

void MeshFile::cells(std::span<const RowsOf<Index>> parts) {
  if (!at_cells_) {
    rows_->finish();
    rows_.emplace(comm_, file_, "/Connectivity", "", h5::Type::int64, mesh_.cells, mesh_.corners(), true);
    at_cells_ = true;
  }
  rows_->add(parts);
}

void MeshFile::commit() {
  rows_->finish();
  file_.commit();
}

bool is_mesh_file_of(const std::string& path, const Mesh& mesh) {
  if (!std::filesystem::exists(path)) return false;
  const h5::File file(path, h5::File::Mode::read);
  return file.contains("/Points") && file.extent("/Points") == h5::Extent{mesh.points, 3} &&
         file.contains("/Connectivity") && file.extent("/Connectivity") == h5::Extent{mesh.cells * mesh.corners()};
}

}  // namespace halocline
