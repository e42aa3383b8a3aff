// What the file tables.h5 of a run holds, as columns of numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/h5/h5.hpp"

namespace halocline {

// One value per row, or several.
struct Column {
  std::string path, name, label;  // "/result/x", "x", "x (m)"
  Index rows = 0, width = 1;
  std::vector<double> values;  // rows * width
  double at(Index row, Index k = 0) const { return values[static_cast<std::size_t>(row * width + k)]; }
};

class TableFile {
 public:
  // A file of tables. DeckError when there is none, MachineError when it cannot be read.
  explicit TableFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool contains(const std::string& column) const { return file_->contains(column); }
  // Paths of the columns of a group, in the order of the alphabet; swept ones in that of the deck, those of
  // `halocline sweep` in that of its table.
  std::vector<std::string> columns_in(const std::string& group) const;
  std::vector<std::string> swept() const;
  // The path of a column by its name, "ymax", or a part of its path, "result/ymax". DeckError with those that there
  // are.
  std::string find(const std::string& name) const;
  // The same, and series that go on, NAME_1, NAME_2, ..., where there is no NAME.
  std::vector<std::string> find_all(const std::string& name) const;
  // DeckError where it holds no numbers, or has more than two indices.
  Column read(const std::string& path) const;
  h5::Extent extent(const std::string& path) const { return file_->extent(path); }
  // A text that belongs to a column, or to the file ("/"); "" where there is none.
  std::string text(const std::string& path, const std::string& name) const;
  // Names of the values 0, 1, ... of a swept key whose values are words; else none.
  std::vector<std::string> words(const std::string& path) const;

 private:
  std::vector<std::string> all() const;
  std::vector<double> values_of(const std::string& path, const h5::Extent& extent) const;

  std::string path_;
  std::unique_ptr<h5::File> file_;
};

// "x (m)"; the name where the unit is none, "t" for problem time.
std::string label_of(const std::string& name, const std::string& unit);

}  // namespace halocline
