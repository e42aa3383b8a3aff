#include "lib/problems/sparse/sources/file/file_options.hpp"

#include <filesystem>

namespace halocline::sparse {

std::string path_of(const std::vector<NamedFormula>& file) {
  const Formula& name = file.front().formula;
  return (std::filesystem::path(name.place.file).parent_path() / name.text).string();
}

void FileOptions::describe(Describer& d) {
  d.formulas({"name", "path", "Name of the file.", true}, name);
  d.choice({"format", "", "Matrix Market, PETSc's binary, HDF5; auto: by the ending, .mtx, .petsc or .h5."}, format);
  group_given = d.item({"group", "", "h5: where indptr, indices, data and shape are."}, group);
  object_given =
      d.item({"object", "1", "petsc: which of the objects that follow each other."}, object, Bounds::between(1, 1e6));
  has_coordinates = d.group({"coordinates", "", "Places of the rows: a file of two or three columns."}, coordinates);
}

void VectorFileOptions::describe(Describer& d) {
  d.formulas({"file", "path", "A file of values: .mtx (array), .petsc (Vec), .h5 (dataset)."}, file);
  dataset_given = d.item({"dataset", "", "h5: path of the dataset, as columns/u."}, dataset);
  object_given =
      d.item({"object", "1", "petsc: which of the objects that follow each other."}, object, Bounds::between(1, 1e6));
}

}  // namespace halocline::sparse
