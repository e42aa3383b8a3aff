// Tables: named columns (one row per system of an ensemble) and series (residual history, probes) in one HDF5 file.
//
// Datasets /columns/NAME (or the column's own path) and /series/NAME, fp64 or int64, with an attribute `unit`;
// two-dimensional where a row has several values. The file holds the columns of the last step that published any, and
// every series and text as last given; it is replaced as a whole, by rename. Where rows are numbered over two axes an
// index beside it, FILE.xdmf, shows columns as maps to ParaView.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/h5/parts.hpp"
#include "io/h5/writers.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class Tables {
 public:
  // `metadata`: names and texts of attributes of the file.
  Tables(Writers writers, std::string path, std::vector<std::pair<std::string, std::string>> metadata);

  // One more attribute of the file.
  void mark(const std::string& name, const std::string& text) { metadata_.emplace_back(name, text); }
  // A text at a path, as attribute of its group: "model/source".
  void text(const std::string& path, const std::string& text) { texts_[path] = text; }
  // Rows of columns lie on two axes, see FieldSink.
  void map(const std::array<MapAxis, 2>& axes) { axes_ = axes; }
  // The next column replaces all columns of earlier steps.
  void begin_step() { stale_ = true; }
  // As in FieldSink: once per part, the parts of all ranks cover rows 0 ... total - 1.
  void column(const FieldInfo& info, const Range<1>& block, View<const double, 1> values, const Executor& executor);
  void column(const FieldInfo& info, const Range<1>& block, View<const Index, 1> values, const Executor& executor);
  // `width` values per row; a dataset with two axes unless it is 1.
  void series(const std::string& name, const std::string& unit, std::span<const double> values, Index width = 1);
  // Series of at most so many single values, by their names.
  std::vector<std::pair<std::string, std::vector<double>>> short_series(std::size_t most) const;
  // Writes the file. Collective; nothing happens when there is nothing to write.
  void write() const;

 private:
  struct Column {
    FieldInfo info;
    bool whole_numbers;
    std::vector<Part<double>> reals;
    std::vector<Part<Index>> integers;
  };
  struct Series {
    std::string unit;
    std::vector<double> values;
    Index width;
  };
  void write_maps(const std::vector<Index>& lengths) const;
  Column& column_of(const FieldInfo& info, bool whole_numbers);
  Index rows(const Column& column) const;

  Writers writers_;
  const Communicator& comm_;
  std::string path_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  bool stale_ = false;
  std::vector<Column> columns_;
  std::optional<std::array<MapAxis, 2>> axes_;
  std::map<std::string, Series> series_;
  std::map<std::string, std::string> texts_;
};

}  // namespace halocline
