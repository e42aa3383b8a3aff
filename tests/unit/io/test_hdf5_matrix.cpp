// Matrices and vectors in HDF5 files, written here and by h5py, read by any number of ranks.
#include <hdf5.h>

#include "io/h5/h5.hpp"
#include "io/hdf5_matrix.hpp"
#include "tests/unit/io/data_support.hpp"

namespace halocline {
namespace {

class Hdf5Matrix : public testing::Test, protected DataFiles {
 protected:
  Hdf5Matrix() : DataFiles("hdf5_matrix") {}

  struct Content {
    std::vector<Index> indptr{0, 2, 2, 5}, indices{3, 0, 1, 2, 0}, shape{3, 4};
    std::vector<double> data{0.5, 1.5, 2.5, 3.5, 4.5};
    bool attribute = false;
  };
  template <class T>
  static void put(h5::File& file, const std::string& name, const std::vector<T>& values, h5::Extent shape = {}) {
    constexpr h5::Type type = std::is_same_v<T, double> ? h5::Type::float64 : h5::Type::int64;
    if (shape.empty()) shape = {static_cast<Index>(values.size())};
    file.make_dataset(name, type, shape);
    const h5::Source box{h5::Extent(shape.size(), 0), shape, reinterpret_cast<const std::byte*>(values.data())};
    if (!values.empty()) file.write(name, type, shape, std::span(&box, 1));
  }
  // A dataset that claims 2^62 values and has none.
  static void put_huge(const std::string& path) {
    const hsize_t values = hsize_t{1} << 62, piece = 64;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &values, nullptr), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &piece);
    H5Dclose(H5Dcreate2(file, "/huge", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
  }
  std::string file_of(const Content& content) {
    const std::string path = *this / "a.h5";
    comm.barrier();
    if (comm.rank() == 0) {
      h5::File::create(path);
      h5::File file(path, h5::File::Mode::change);
      file.make_group("/some/A");
      put(file, "/some/A/indptr", content.indptr);
      put(file, "/some/A/indices", content.indices);
      put(file, "/some/A/data", content.data);
      if (content.attribute) {
        file.set_attribute("/some/A", "shape", std::span<const Index>(content.shape));
      } else if (!content.shape.empty()) {
        put(file, "/some/A/shape", content.shape);
      }
      put(file, "/columns/u", std::vector<double>{1, 2, 3, 4, 5});
      put(file, "/two", std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2});
      put(file, "/three", std::vector<double>{1}, {1, 1, 1});
      put(file, "/bad", std::vector<double>{1, 2, 0.0 / 0.0});
      file.close();
      put_huge(path);
    }
    comm.barrier();
    return path;
  }
  void refused(const Content& content, const std::string& message) {
    const std::string path = file_of(content);
    const std::string found = refusal_of([&] { read_hdf5_matrix(comm, hdf5_matrix_header(path, "some/A")); });
    expect_part(found, "a.h5: /some/A" + message);
  }
};

TEST_F(Hdf5Matrix, ShapeAsDatasetOrAttribute) {
  for (const bool attribute : {false, true}) {
    Content content;
    content.attribute = attribute;
    const Hdf5Header header = hdf5_matrix_header(file_of(content), "/some/A/");
    EXPECT_EQ(header.shape.rows, 3);
    EXPECT_EQ(header.shape.entries, 5);
    EXPECT_EQ(gathered(read_hdf5_matrix(comm, header)),
              (std::vector<Entry>{{0, 3, 0.5}, {0, 0, 1.5}, {2, 1, 2.5}, {2, 2, 3.5}, {2, 0, 4.5}}));
  }
}

TEST_F(Hdf5Matrix, Vectors) {
  const std::string path = file_of({});
  EXPECT_EQ(gathered(read_hdf5_vector(comm, hdf5_vector_header(path, "columns/u")), 5, 1),
            (std::vector<std::vector<double>>{{1, 2, 3, 4, 5}}));
  EXPECT_EQ(gathered(read_hdf5_vector(comm, hdf5_vector_header(path, "/two")), 3, 2),
            (std::vector<std::vector<double>>{{1, 3, 5}, {2, 4, 6}}));
}

// tests/data/make_matrices.py: 32-bit indices, numbers of single precision, everything in the root group.
TEST_F(Hdf5Matrix, OfScipyAndH5py) {
  const std::string path = std::string(HALOCLINE_DATA) + "/matrix.h5";
  const Hdf5Header header = hdf5_matrix_header(path, "/");
  EXPECT_EQ(gathered(read_hdf5_matrix(comm, header)),
            (std::vector<Entry>{{0, 0, 4}, {0, 1, -1}, {1, 0, -1}, {1, 1, 4}, {1, 2, -0.5}, {2, 1, -0.5}, {2, 2, 4}}));
  EXPECT_EQ(gathered(read_hdf5_vector(comm, hdf5_vector_header(path, "rhs")), 3, 1),
            (std::vector<std::vector<double>>{{1, 2, 3}}));
}

// The attribute `shape` of that file, changed to claim 2^61 numbers.
TEST_F(Hdf5Matrix, RefusesAnAttributeWithoutEnd) {
  std::ifstream file(std::string(HALOCLINE_DATA) + "/matrix.h5", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name = bytes.find(std::string("shape\0", 6)), numbers = bytes.find("\1\1\1", name);
  ASSERT_NE(numbers, std::string::npos);
  ASSERT_EQ(bytes[numbers + 8], 2);
  bytes[numbers + 15] = bytes[numbers + 23] = 0x20;
  const std::string path = write("endless.h5", bytes);
  expect_part(refusal_of([&] { hdf5_matrix_header(path, "/"); }), "attribute shape has more numbers than lists have");
}

TEST_F(Hdf5Matrix, Refuses) {
  Content c;
  c.indptr = {0, 2, 2};
  refused(c, ": `indptr` has 3 numbers for 3 rows");
  c.indptr = {1, 2, 2, 5};
  refused(c, "/indptr: does not begin with 0");
  c.indptr = {0, 2, 2, 4};
  refused(c, "/indptr: ends with 4, there are 5 entries");
  c.indptr = {0, 3, 2, 5};
  refused(c, "/indptr: falls, or leaves the entries, at row 1");
  c.indptr = {0, 9, 9, 5};
  refused(c, "/indptr: falls, or leaves the entries, at row 0");
  c = {};
  c.indices = {3, 0, 4, 2, 0};
  refused(c, "/indices: row 2, entry 2: column 4 lies outside of 3 x 4");
  c.indices = {3, 0};
  refused(c, ": `indices` and `data` differ in length");
  c = {};
  c.data[3] = 1 / 0.0;
  refused(c, "/data: row 2, entry 3: is not finite");
  c = {};
  c.shape = {};
  refused(c, ": has no `shape`");
  c.shape = {3, 4, 5};
  refused(c, ": `shape` is not two numbers");
  const std::string path = file_of({});
  expect_part(refusal_of([&] { hdf5_matrix_header(path, "other"); }), "a.h5: /other: there is no such group");
  expect_part(refusal_of([&] { hdf5_matrix_header(path, "columns"); }), "/columns/indptr: there is no such dataset");
  expect_part(refusal_of([&] { hdf5_vector_header(path, "v"); }), "a.h5: /v: there is no such dataset");
  expect_part(refusal_of([&] { hdf5_vector_header(path, "three"); }), "has 3 indices");
  expect_part(refusal_of([&] { read_hdf5_vector(comm, hdf5_vector_header(path, "bad")); }),
              "/bad: row 2: is not finite");
  expect_part(refusal_of([&] { hdf5_vector_header(path, "some"); }), "a.h5");
  expect_part(refusal_of([&] { hdf5_vector_header(path, "huge"); }),
              "/huge: has more values than bytes can be counted");
  const std::string text = write("text.h5", "no such thing");
  expect_part(refusal_of([&] { hdf5_vector_header(text, "u"); }), "text.h5");
  expect_part(refusal_of([&] { hdf5_vector_header(*this / "none.h5", "u"); }), "none.h5: cannot be read: No such file");
}

}  // namespace
}  // namespace halocline
