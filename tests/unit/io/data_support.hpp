// What the tests of data files share: files written by rank 0, entries gathered from all ranks, messages of refusals.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "io/triplets.hpp"
#include "mpi/exchange.hpp"
#include "tests/unit/io/output_support.hpp"

namespace halocline {

using Entry = std::tuple<Index, Index, double>;

class DataFiles {
 public:
  explicit DataFiles(const std::string& name) : comm(MPI_COMM_WORLD), scratch_(comm, name) {}

  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = scratch_ / name;
    comm.barrier();  // nobody reads the file of that name any more
    if (comm.rank() == 0) std::ofstream(path, std::ios::binary) << bytes;
    comm.barrier();
    return path;
  }
  std::string operator/(const std::string& name) const { return scratch_ / name; }

  // Of all ranks, in their order.
  std::vector<Entry> gathered(const Triplets& mine) const {
    const auto row = gather_lists(comm, mine.row).values, col = gather_lists(comm, mine.col).values;
    const auto value = gather_lists(comm, mine.value).values;
    std::vector<Entry> made;
    for (std::size_t n = 0; n < row.size(); ++n) made.emplace_back(row[n], col[n], value[n]);
    return made;
  }
  // [column][row]
  std::vector<std::vector<double>> gathered(const std::vector<ColumnPiece>& pieces, Index rows, Index columns) const {
    std::vector<Index> place;
    std::vector<double> value;
    for (const ColumnPiece& piece : pieces)
      for (std::size_t n = 0; n < piece.values.size(); ++n) {
        place.push_back(piece.column * rows + piece.first + static_cast<Index>(n));
        value.push_back(piece.values[n]);
      }
    place = gather_lists(comm, place).values;
    value = gather_lists(comm, value).values;
    std::vector<std::vector<double>> made(static_cast<std::size_t>(columns),
                                          std::vector<double>(static_cast<std::size_t>(rows), -99));
    EXPECT_EQ(static_cast<Index>(place.size()), rows * columns);
    for (std::size_t n = 0; n < place.size(); ++n)
      made[static_cast<std::size_t>(place[n] / rows)][static_cast<std::size_t>(place[n] % rows)] = value[n];
    return made;
  }

  Communicator comm;

 private:
  Scratch scratch_;
};

// The message of the DeckError that `work` ends with, or "".
inline std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

inline void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected: " << part << "\nfound:    " << text;
}

}  // namespace halocline
