// Keys that name data files: of a matrix, and of vectors.
#pragma once

#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::sparse {

enum class FileFormat { by_ending, matrix_market, petsc, hdf5 };
constexpr auto words_of(FileFormat) {
  return std::to_array<Word<FileFormat>>({{"auto", FileFormat::by_ending},
                                          {"mtx", FileFormat::matrix_market},
                                          {"petsc", FileFormat::petsc},
                                          {"h5", FileFormat::hdf5}});
}

// The path of a file, which a deck gives relative to itself.
std::string path_of(const std::vector<NamedFormula>& file);

// The keys `file`, `dataset` and `object` of a block that describes a vector.
struct VectorFileOptions final : Options {
  std::vector<NamedFormula> file;
  std::string dataset;
  Index object = 1;
  bool dataset_given = false, object_given = false;
  bool given() const { return !file.empty(); }
  void describe(Describer& d) override;
};

struct FileOptions final : Options {
  std::vector<NamedFormula> name;
  FileFormat format = FileFormat::by_ending;
  std::string group = "/";
  bool group_given = false;
  Index object = 1;
  bool object_given = false;
  VectorFileOptions coordinates;
  bool has_coordinates = false;
  void describe(Describer& d) override;
};

}  // namespace halocline::sparse
