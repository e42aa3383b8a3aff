// Meshes as VTK knows them, and values on them, written row by row as parts hand them over.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/h5/output_file.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// A dataset of `rows` rows of `width` values under construction; several axes unless it is flat or the width 1.
// Collective, as all calls are.
class RowDataset {
 public:
  RowDataset(const Communicator& comm, OutputFile& file, std::string path, const std::string& unit, h5::Type type,
             Index rows, Index width, bool flat);
  const std::string& path() const { return path_; }
  // Rows of this rank's parts, T of 8 bytes.
  template <class T>
  void add(std::span<const RowsOf<T>> parts);
  // To be asked for at the end; rows given twice or not at all are a defect.
  void finish() const;

 private:
  const Communicator& comm_;
  OutputFile& file_;
  std::string path_;
  h5::Type type_;
  Index rows_, width_, covered_ = 0;
};

// The geometry of a mesh as /Points, /Connectivity, /Offsets, /Types, /NumberOf... of a VTKHDF unstructured grid.
class MeshFile {
 public:
  MeshFile(const Writers& writers, const std::string& path, const Mesh& mesh);
  void points(std::span<const RowsOf<double>> parts);
  void cells(std::span<const RowsOf<Index>> parts);  // after all points
  void commit();

 private:
  const Communicator& comm_;
  OutputFile file_;
  Mesh mesh_;
  std::optional<RowDataset> rows_;
  bool at_cells_ = false;
};

// True when `path` is a file of a mesh with so many points and cells. By one rank.
bool is_mesh_file_of(const std::string& path, const Mesh& mesh);

}  // namespace halocline
