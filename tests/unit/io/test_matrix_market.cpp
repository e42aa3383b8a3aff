// Matrix Market files, written by hand and by scipy, read by any number of ranks; refusals with their lines.
#include "io/input_file.hpp"
#include "io/matrix_market.hpp"
#include "tests/unit/io/data_support.hpp"

namespace halocline {
namespace {

class MatrixMarket : public testing::Test, protected DataFiles {
 protected:
  MatrixMarket() : DataFiles("matrix_market") {}

  std::vector<Entry> read(const std::string& text) {
    return gathered(read_matrix_market(comm, matrix_market_header(write("a.mtx", text))));
  }
  std::vector<std::vector<double>> read_array(const std::string& text) {
    const MatrixMarketHeader header = matrix_market_header(write("a.mtx", text));
    return gathered(read_matrix_market_array(comm, header), header.shape.rows, header.shape.columns);
  }
  void refused(const std::string& text, const std::string& message) {
    const std::string path = write("bad.mtx", text);
    const std::string found = refusal_of([&] {
      const MatrixMarketHeader header = matrix_market_header(path);
      header.array ? void(read_matrix_market_array(comm, header)) : void(read_matrix_market(comm, header));
    });
    expect_part(found, message);
    expect_part(found, "bad.mtx");
  }
};

TEST_F(MatrixMarket, GeneralWithCommentsBlanksAndDuplicates) {
  const auto entries = read(
      "%%MatrixMarket MATRIX Coordinate Real General\n% a comment\n\n  3 4   6 \n"
      "1 1 2.5\r\n3 4 -1e-3\n% another\n\n2\t2 +7\n1 1 0.5\n2 3 0\n3 1 .25");
  const std::vector<Entry> expected{{0, 0, 2.5}, {2, 3, -1e-3}, {1, 1, 7}, {0, 0, 0.5}, {1, 2, 0}, {2, 0, 0.25}};
  EXPECT_EQ(entries, expected);
}

TEST_F(MatrixMarket, SymmetricSkewAndPatternAreExpanded) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 -4\n"),
            (std::vector<Entry>{{0, 0, 3}, {1, 0, -4}, {0, 1, -4}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n"),
            (std::vector<Entry>{{1, 0, 5}, {0, 1, -5}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n"),
            (std::vector<Entry>{{1, 2, 1}, {0, 0, 1}}));
}

TEST_F(MatrixMarket, Arrays) {
  EXPECT_EQ(read_array("%%MatrixMarket matrix array real general\n4 1\n1\n2\n-3\n4e2\n"),
            (std::vector<std::vector<double>>{{1, 2, -3, 400}}));
  EXPECT_EQ(read_array("%%MatrixMarket matrix array integer general\n%\n2 3\n1\n2\n3\n\n4\n5\n6"),
            (std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}}));
}

// As many entries as lines of very different lengths: ranks begin anywhere in a line.
TEST_F(MatrixMarket, LongFiles) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 5000\n";
  std::vector<Entry> expected;
  for (Index n = 0; n < 5000; ++n) {
    const Index row = n * 7919 % 1000, col = n * n % 1000;
    const double value = n % 3 == 0 ? 1 : 1.0 / static_cast<double>(n + 1);
    char line[80];
    std::snprintf(line, sizeof line, n % 2 == 0 ? "%ld %ld %.17g\n" : "  %ld    %ld   %.17g   \n", row + 1, col + 1,
                  value);
    text += line;
    expected.emplace_back(row, col, value);
  }
  EXPECT_EQ(read(text), expected);
}

TEST_F(MatrixMarket, LinesBelongToOneRange) {
  for (const std::string& text : {std::string("a\n\nbcd\r\ne"), std::string("\n\n"), std::string("abc"),
                                  std::string("ab\ncd\n"), std::string("")}) {
    const InputFile file(write("lines", text));
    std::vector<std::string> all;
    std::string_view line;
    for (LineReader lines(file, 0, file.size()); lines.next(line);) all.emplace_back(line);
    for (Index a = 0; a <= file.size(); ++a)
      for (Index b = a; b <= file.size(); ++b) {
        std::vector<std::string> found;
        const Index bounds[4] = {0, a, b, file.size()};
        for (int range = 0; range < 3; ++range)
          for (LineReader lines(file, bounds[range], bounds[range + 1]); lines.next(line);) {
            EXPECT_EQ(file.text(lines.at(), static_cast<Index>(line.size())), line);
            EXPECT_GE(lines.at(), bounds[range]);
            EXPECT_LT(lines.at(), bounds[range + 1]);
            found.emplace_back(line);
          }
        EXPECT_EQ(found, all) << a << " " << b;
      }
  }
}

TEST_F(MatrixMarket, RefusesHeaders) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  refused("", "is empty");
  refused("MatrixMarket\n1 1 1\n", "bad.mtx:1: begins with 'MatrixMarket'");
  refused("\x89HDF\r\n", "no Matrix Market file");
  refused("\x1f\x8b\x08xxxx", "is compressed; unpack it first");
  refused("%%MatrixMarket vector coordinate real general\n", "object 'vector'");
  refused("%%MatrixMarket matrix dense real general\n", "format 'dense'");
  refused("%%MatrixMarket matrix coordinate complex general\n", "complex matrices are not solved");
  refused("%%MatrixMarket matrix coordinate complex hermitian\n", "complex");
  refused("%%MatrixMarket matrix coordinate real hermitian\n", "hermitian matrices are not solved");
  refused("%%MatrixMarket matrix coordinate quaternion general\n", "field 'quaternion'");
  refused("%%MatrixMarket matrix array pattern general\n", "field 'pattern'");
  refused("%%MatrixMarket matrix array real symmetric\n", "symmetry 'symmetric'");
  refused(banner, "has no line of sizes");
  refused(banner + "% only\n%\n", "has no line of sizes");
  refused(banner + "2 2\n1 1 1\n", "bad.mtx:2: expected three numbers");
  refused(banner + "2 2 1 7\n1 1 1\n", "bad.mtx:2: expected three numbers");
  refused(banner + "2 -2 1\n1 1 1\n", "expected three numbers");
  refused(banner + "2 2 1e3\n", "expected three numbers");
  refused(banner + "2 2 99999999999999999999\n", "expected three numbers");
  refused(banner + "2 2 1000000000000\n1 1 1\n", "bad.mtx:2: promises 1000000000000 entries, more than the file has");
  refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "as many rows as columns");
  refused("%%MatrixMarket matrix array real general\n4000000000 4000000000\n", "more values than can be counted");
}

TEST_F(MatrixMarket, RefusesEntries) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n";
  refused(head + "1 1 1\n% padding\n", "bad.mtx:3: promises 2 entries, the file has 1; it is cut short");
  refused(head + "1 1 1\n2 2 1\n3 3 1\n", "bad.mtx:3: promises 2 entries, the file has 3");
  refused(head + "1 1 1\n4 1 1\n", "bad.mtx:5: entry (4, 1) lies outside of 3 x 3");
  refused(head + "1 0 1\n1 1 1\n", "bad.mtx:4: entry (1, 0)");
  refused(head + "1 1 x\n1 1 1\n", "bad.mtx:4: 'x' in '1 1 x' is no number");
  refused(head + "1 1\n1 1 1  \n", "bad.mtx:4: '' in '1 1' is no number");
  refused(head + "1 1 1 1\n1 1 1\n", "bad.mtx:4: has more than an entry");
  refused(head + "1 1 1\n1 1 nan\n", "bad.mtx:5: a value is not finite");
  refused(head + "1 1 1\n\n1 1 -inf\n", "bad.mtx:6: a value is not finite");
  refused(head + "1 1 1\n1 1 1e999\n", "bad.mtx:5: '1e999' in '1 1 1e999' lies outside of the range of double");
  refused(head + "1 1 1\n1 1 1e-999\n", "'1e-999' in '1 1 1e-999' lies outside of the range");
  refused(head + "1 1 1\n1 1 2.0D+0\n", "'2.0D+0' in '1 1 2.0D+0' is no number; expected 2.0e+0");
  refused(head + "1 1 1\n1 1 " + std::string("2\0", 2) + "\n", "bad.mtx:5: '2?' in '1 1 2?' is no number");
  refused(head + "a b c\n1 1 1\n", "bad.mtx:4: expected row and column");
  refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "bad.mtx:3: a symmetric file has entries");
  refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "bad.mtx:3: a skew-symmetric file");
  refused("%%MatrixMarket matrix array real general\n2 1\n1\n%\n", "bad.mtx:2: promises 2 values, the file has 1");
  refused("%%MatrixMarket matrix array real general\n2 1\n1 2\n3\n", "bad.mtx:3: has more than a value");
}

// The lowest line of several, whichever ranks meet them.
TEST_F(MatrixMarket, TellsTheFirstFault) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n10 10 400\n";
  for (int n = 0; n < 400; ++n) text += n % 100 == 57 ? "1 11 1\n" : "1 1 1\n";
  refused(text, "bad.mtx:60: entry (1, 11)");
}

TEST_F(MatrixMarket, RefusesWhatIsNoFile) {
  expect_part(refusal_of([&] { matrix_market_header(*this / "none.mtx"); }), "none.mtx: cannot be read: No such file");
  expect_part(refusal_of([&] { matrix_market_header("."); }), "is a directory, no plain file");
}

}  // namespace
}  // namespace halocline
