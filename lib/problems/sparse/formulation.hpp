// Formulation: the options of a deck turned into a source and what else is given, with every rule across keys checked.
#pragma once

#include <memory>
#include <optional>

#include "lib/expression/expression.hpp"
#include "lib/problems/sparse/options.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"
#include "lib/problems/sparse/sources/file/data_file.hpp"

namespace halocline::sparse {

// What a vector of a deck stands for.
struct GivenValues {
  std::optional<Expression> formula;
  std::optional<DataFile> file;
};

struct Formulation {
  std::shared_ptr<const RowSource> source;  // null: a file
  const BoxSource* box = nullptr;           // the source, where it is one
  std::optional<DataFile> file;
  std::optional<DataFile> near_null;                // vectors on rows, a column each
  std::optional<DataFile> components, coordinates;  // of a file: a column; a column per axis
  RowOrder order = RowOrder::natural;               // never automatic
  Index rows = 0, entries = 0;                      // entries: of generated ones, or a forecast
  bool entries_known = false;
  GivenValues rhs, start;
  std::optional<Expression> exact;
  std::optional<DataFile> reference;
  Index solves = 1;
};

// Nothing, with faults reported, when something is wrong. Reads headers of files.
std::optional<Formulation> formulate(const SparseOptions& options, Faults& faults);
// For options that are known to be right; throws DeckError otherwise.
Formulation formulate(const SparseOptions& options);

}  // namespace halocline::sparse
