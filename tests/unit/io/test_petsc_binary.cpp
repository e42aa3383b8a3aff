// PETSc's binary files, byte by byte, with 32- and 64-bit numbers, read by any number of ranks.
#include <bit>
#include <cmath>
#include <cstdint>

#include "io/petsc_binary.hpp"
#include "tests/unit/io/data_support.hpp"

namespace halocline {
namespace {

std::string big_endian(std::uint64_t value, int width) {
  std::string bytes;
  for (int n = width - 1; n >= 0; --n) bytes += static_cast<char>(value >> (8 * n) & 255);
  return bytes;
}
std::string number(double value) { return big_endian(std::bit_cast<std::uint64_t>(value), 8); }

class Petsc : public testing::TestWithParam<int>, protected DataFiles {
 protected:
  Petsc() : DataFiles("petsc_binary") {}
  int width() const { return GetParam(); }
  std::string integers(const std::vector<Index>& values) const {
    std::string bytes;
    for (const Index value : values) bytes += big_endian(static_cast<std::uint64_t>(value), width());
    return bytes;
  }
  // 3 x 4 with an empty row and unsorted columns.
  std::string matrix(std::vector<Index> lengths = {2, 0, 3}, std::vector<Index> columns = {3, 0, 1, 2, 0}) const {
    std::string bytes = integers({1211216, 3, 4, 5}) + integers(lengths) + integers(columns);
    for (int n = 0; n < 5; ++n) bytes += number(n + 0.5);
    return bytes;
  }
  std::string vector() const { return integers({1211214, 3}) + number(1) + number(-2) + number(0.25); }

  void refused(const std::string& bytes, const std::string& message, Index object = 1) {
    const std::string path = write("bad.petsc", bytes);
    const std::string found = refusal_of([&] {
      const PetscHeader header = petsc_header(path, object);
      header.matrix ? void(read_petsc_matrix(comm, header)) : void(read_petsc_vector(comm, header));
    });
    expect_part(found, "bad.petsc: " + message);
  }
};

TEST_P(Petsc, ObjectsFollowEachOther) {
  const std::string path = write("good.petsc", matrix() + vector() + matrix());
  for (const Index object : {1, 3}) {
    const PetscHeader header = petsc_header(path, object);
    EXPECT_TRUE(header.matrix);
    EXPECT_EQ(header.integer, width());
    EXPECT_EQ(gathered(read_petsc_matrix(comm, header)),
              (std::vector<Entry>{{0, 3, 0.5}, {0, 0, 1.5}, {2, 1, 2.5}, {2, 2, 3.5}, {2, 0, 4.5}}));
  }
  const PetscHeader header = petsc_header(path, 2);
  EXPECT_FALSE(header.matrix);
  EXPECT_EQ(gathered(read_petsc_vector(comm, header), 3, 1), (std::vector<std::vector<double>>{{1, -2, 0.25}}));
}

TEST_P(Petsc, Refuses) {
  refused("", "byte 0: expected an object of PETSc; the file ends here");
  refused("%%MatrixMarket", "byte 0: expected a matrix (1211216) or a vector");
  refused(integers({1211215, 3, 4, 5}), "byte 0: expected a matrix");
  refused(integers({1211216, 3, 4}), "byte " + std::to_string(3 * width()) + ": the file ends inside of a header");
  refused(integers({1211216, 3, 4, -1}) + matrix(), "byte 0: a dense matrix of PETSc");
  refused(integers({1211216, -3, 4, 5}), "byte " + std::to_string(width()) + ": a negative size");
  refused(matrix().substr(0, matrix().size() - 1), "byte 0: an object of 3 rows and 5 entries begins here");
  refused(integers({1211216, 2000000000, 4, 2000000000}), "byte 0: an object of 2000000000 rows");
  refused(matrix({2, 0, 2}),
          "byte " + std::to_string(4 * width()) + ": the rows have 4 entries, the header promises 5");
  refused(matrix({2, -1, 4}), "byte " + std::to_string(5 * width()) + ": row 1 has -1 entries");
  refused(matrix({2, 0, 3}, {3, 0, 4, 2, 0}),
          "byte " + std::to_string(9 * width()) + ": column 4 of row 2 lies outside of 3 x 4");
  refused(matrix() + "junkjunk", "byte " + std::to_string(matrix().size()) + ": expected a matrix");
  refused(matrix() + vector(), "has 2 objects; object 3 is asked for", 3);
  refused(integers({1211214, 1}) + number(std::nan("")),
          "byte " + std::to_string(2 * width()) + ": a value is not finite");
}

INSTANTIATE_TEST_SUITE_P(Widths, Petsc, testing::Values(4, 8));

}  // namespace
}  // namespace halocline
