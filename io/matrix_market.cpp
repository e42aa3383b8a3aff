#include "io/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/collective.hpp"
#include "io/input_file.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

using Header = MatrixMarketHeader;

constexpr Index longest_head = Index{1} << 20;  // bytes up to the line of sizes

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The words of a line, one after the other.
struct Words {
  std::string_view left;
  std::string_view next() {
    while (!left.empty() && is_blank(left.front())) left.remove_prefix(1);
    std::size_t length = 0;
    while (length < left.size() && !is_blank(left[length])) ++length;
    const std::string_view word = left.substr(0, length);
    left.remove_prefix(length);
    return word;
  }
};

std::string lower(std::string_view word) {
  std::string made(word);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

// Text of a line for messages: its beginning, printable.
std::string shown(std::string_view line) {
  std::string made;
  for (const char c : line.substr(0, 40)) made += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return "'" + made + (line.size() > 40 ? "...'" : "'");
}

template <class T>
std::errc parsed(std::string_view word, T& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  return read.ptr == word.data() + word.size() ? read.ec : std::errc::invalid_argument;
}

template <class T>
bool parse(std::string_view word, T& value) {
  return parsed(word, value) == std::errc();
}

// Why a word is no value, and what would be right.
std::string why_no_number(std::string_view word, std::errc found) {
  if (found == std::errc::result_out_of_range) return "lies outside of the range of double precision";
  std::string other(word);
  std::replace_if(
      other.begin(), other.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  double value = 0;
  return "is no number" + (parse(other, value) ? "; expected " + other : std::string());
}

void read_banner(const InputFile& file, std::string_view line, Header& header) {
  Words words{line};
  const std::string banner = lower(words.next()), object = lower(words.next()), format = lower(words.next()),
                    field = lower(words.next()), symmetry = lower(words.next());
  if (banner != "%%matrixmarket")
    file.refuse_line(0, "begins with " + shown(line) + ", not with %%MatrixMarket: no Matrix Market file");
  if (object != "matrix") file.refuse_line(0, "object '" + object + "' is not known; expected matrix");
  if (format != "coordinate" && format != "array")
    file.refuse_line(0, "format '" + format + "' is not known; expected coordinate or array");
  header.array = format == "array";
  if (field == "complex" || symmetry == "hermitian")
    file.refuse_line(0, (field == "complex" ? field : symmetry) + " matrices are not solved here, real ones are");
  if (field == "real" || field == "double") {
    header.field = Header::Field::real;
  } else if (field == "integer") {
    header.field = Header::Field::integer;
  } else if (field == "pattern" && !header.array) {
    header.field = Header::Field::pattern;
  } else {
    file.refuse_line(0, "field '" + field + "' is not known; expected real, integer or, of coordinates, pattern");
  }
  if (symmetry == "general") {
    header.symmetry = Header::Symmetry::general;
  } else if (symmetry == "symmetric" && !header.array) {
    header.symmetry = Header::Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric" && !header.array) {
    header.symmetry = Header::Symmetry::skew;
  } else {
    file.refuse_line(0, "symmetry '" + symmetry + "' is not known; expected general" +
                            (header.array ? " of an array" : ", symmetric or skew-symmetric"));
  }
}

void read_sizes(const InputFile& file, Index at, std::string_view line, Header& header) {
  Words words{line};
  DataShape& s = header.shape;
  const bool read = parse(words.next(), s.rows) && parse(words.next(), s.columns) &&
                    (header.array || parse(words.next(), s.entries)) && words.next().empty();
  if (!read || s.rows < 0 || s.columns < 0 || s.entries < 0)
    file.refuse_line(at, "expected " +
                             std::string(header.array ? "two numbers, rows and columns"
                                                      : "three numbers, rows, columns and entries") +
                             ", not " + shown(line));
  if (header.array && s.columns > 0 && s.rows > std::numeric_limits<Index>::max() / s.columns)
    file.refuse_line(at, "promises more values than can be counted");
  if (header.array) s.entries = s.rows * s.columns;
  s.mirrored = header.symmetry != Header::Symmetry::general;
  if (s.mirrored && s.rows != s.columns) file.refuse_line(at, "a symmetric matrix has as many rows as columns");
  const Index least = header.array ? 2 : header.field == Header::Field::pattern ? 4 : 6;  // bytes of an entry
  if (s.entries > (header.bytes - header.data + 1) / least)
    file.refuse_line(at, "promises " + std::to_string(s.entries) +
                             " entries, more than the file has room for; it is cut "
                             "short");
}

// Passes the data lines of this rank's share to take(words, line); returns how many there were on all ranks.
template <class Take>
Index each_line(const Communicator& comm, const Header& header, const Take& take) {
  const InputFile file(header.path);
  const Index bytes = header.bytes - header.data, parts = comm.size(), part = comm.rank();
  const auto bound = [&](Index p) { return header.data + bytes / parts * p + std::min(p, bytes % parts); };
  LineReader lines(file, bound(part), bound(part + 1));
  Index count = 0;
  std::string_view line;
  while (lines.next(line)) {
    Words words{line};
    const std::string_view first = words.next();
    if (first.empty() || first.front() == '%') continue;
    ++count;
    words.left = line;
    take(file, lines.at(), words, line);
  }
  return count;
}

// Every rank learns of a number of entries that is not what the header promises.
void check_count(const Communicator& comm, const Header& header, Index mine) {
  Index all = mine;
  comm.sum(std::span(&all, 1));
  if (all == header.shape.entries) return;
  const InputFile file(header.path);
  throw DeckError(header.path + ":" + std::to_string(file.line_of(header.data - 1)) + ": promises " +
                  std::to_string(header.shape.entries) + (header.array ? " values" : " entries") + ", the file has " +
                  std::to_string(all) + (all < header.shape.entries ? "; it is cut short" : ""));
}

double read_value(const InputFile& file, const Header& header, Index at, std::string_view word, std::string_view line) {
  double value = 0;
  if (const std::errc found = parsed(word, value); found != std::errc())
    file.refuse_line(at, shown(word) + " in " + shown(line) + " " + why_no_number(word, found));
  if (!std::isfinite(value)) file.refuse_line(at, "a value is not finite: " + shown(line));
  if (header.field == Header::Field::integer && value != std::floor(value))
    file.refuse_line(at, shown(word) + " is no whole number, in a file of field integer");
  return value;
}

}  // namespace

MatrixMarketHeader matrix_market_header(const std::string& path) {
  const InputFile file(path);
  Header header;
  header.path = path;
  header.bytes = file.size();
  if (file.text(0, 2) == "\x1f\x8b")
    throw DeckError(path + ": is compressed; unpack it first, since every rank reads a part of it: gunzip " + path);
  LineReader lines(file, 0, std::min(longest_head, file.size()));
  std::string_view line;
  if (!lines.next(line)) throw DeckError(path + ": is empty");
  read_banner(file, line, header);
  while (lines.next(line)) {
    Words words{line};
    const std::string_view first = words.next();
    if (first.empty() || first.front() == '%') continue;
    header.data = lines.behind();
    read_sizes(file, lines.at(), line, header);
    return header;
  }
  throw DeckError(path + ": has no line of sizes; it is cut short");
}

Triplets read_matrix_market(const Communicator& comm, const MatrixMarketHeader& header) {
  Triplets mine;
  Index count = 0;
  const auto take = [&](const InputFile& file, Index at, Words& words, std::string_view line) {
    Index row = 0, col = 0;
    if (!parse(words.next(), row) || !parse(words.next(), col))
      file.refuse_line(at, "expected row and column, not " + shown(line));
    if (row < 1 || row > header.shape.rows || col < 1 || col > header.shape.columns)
      file.refuse_line(at, "entry (" + std::to_string(row) + ", " + std::to_string(col) + ") lies outside of " +
                               std::to_string(header.shape.rows) + " x " + std::to_string(header.shape.columns));
    const bool pattern = header.field == Header::Field::pattern;
    const double value = pattern ? 1 : read_value(file, header, at, words.next(), line);
    if (!words.next().empty()) file.refuse_line(at, "has more than an entry: " + shown(line));
    const auto add = [&mine](Index i, Index j, double v) {
      mine.row.push_back(i - 1);
      mine.col.push_back(j - 1);
      mine.value.push_back(v);
    };
    add(row, col, value);
    if (header.symmetry == Header::Symmetry::general) return;
    const bool skew = header.symmetry == Header::Symmetry::skew;
    if (row < col || (skew && row == col))
      file.refuse_line(at, "a " + std::string(skew ? "skew-symmetric" : "symmetric") +
                               " file has entries below the diagonal" + (skew ? "" : " and on it") + " alone, not " +
                               shown(line));
    if (row > col) add(col, row, skew ? -value : value);
  };
  on_all_ranks(comm, [&] { count = each_line(comm, header, take); });
  check_count(comm, header, count);
  return mine;
}

std::vector<ColumnPiece> read_matrix_market_array(const Communicator& comm, const MatrixMarketHeader& header) {
  std::vector<double> values;
  on_all_ranks(comm, [&] {
    each_line(comm, header, [&](const InputFile& file, Index at, Words& words, std::string_view line) {
      values.push_back(read_value(file, header, at, words.next(), line));
      if (!words.next().empty()) file.refuse_line(at, "has more than a value: " + shown(line));
    });
  });
  check_count(comm, header, static_cast<Index>(values.size()));
  std::vector<ColumnPiece> pieces;
  Index at = comm.exclusive_scan(static_cast<Index>(values.size()));
  for (std::size_t from = 0; from < values.size();) {
    const Index column = at / header.shape.rows, first = at % header.shape.rows;
    const auto count = std::min(values.size() - from, static_cast<std::size_t>(header.shape.rows - first));
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
    pieces.push_back({column, first, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
    from += count;
    at += static_cast<Index>(count);
  }
  return pieces;
}

}  // namespace halocline
