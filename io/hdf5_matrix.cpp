#include "io/hdf5_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "io/collective.hpp"
#include "io/h5/as_deck_error.hpp"
#include "io/h5/h5.hpp"
#include "io/input_file.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& name, const std::string& message) {
  throw DeckError(path + ": " + name + ": " + message);
}

std::string absolute(const std::string& name) {
  std::string made = name.starts_with("/") ? name : "/" + name;
  while (made.size() > 1 && made.back() == '/') made.pop_back();
  return made;
}

std::string member(const std::string& group, const char* name) { return (group == "/" ? "" : group) + "/" + name; }

// HDF5 would cut fractions, and convert what it can.
template <class T>
void check_type(const h5::File& file, const std::string& path, const std::string& name) {
  if (file.holds_integers(name) || (std::is_same_v<T, double> && file.holds_reals(name))) return;
  if (file.holds_reals(name)) refuse(path, name, "has floating-point numbers; expected whole ones");
  refuse(path, name, "has no real numbers: complex ones and other types are not read");
}

template <class T>
std::vector<T> values(const h5::File& file, const std::string& name, Index first, Index count) {
  constexpr h5::Type type = std::is_same_v<T, double> ? h5::Type::float64 : h5::Type::int64;
  std::vector<T> made(static_cast<std::size_t>(count));
  const h5::Target box{{first}, {count}, reinterpret_cast<std::byte*>(made.data())};
  if (count > 0) file.read(name, type, file.extent(name), std::span(&box, 1));
  return made;
}

Index length(const h5::File& file, const std::string& path, const std::string& name) {
  if (!file.contains(name)) refuse(path, name, "there is no such dataset");
  const h5::Extent extent = file.extent(name);
  if (extent.size() != 1) refuse(path, name, "has " + std::to_string(extent.size()) + " indices; expected one");
  return extent.front();
}

std::vector<Index> shape_of(const h5::File& file, const std::string& path, const std::string& group) {
  const std::string name = member(group, "shape");
  if (file.contains(name)) {
    check_type<Index>(file, path, name);
    return values<Index>(file, name, 0, length(file, path, name));
  }
  if (file.has_attribute(group, "shape")) return file.integers_attribute(group, "shape");
  refuse(path, group, "has no `shape`, neither as a dataset nor as an attribute");
}

Range<1> block_of(const Communicator& comm, Index rows) {
  const Index parts = comm.size(), part = comm.rank();
  const auto bound = [&](Index p) { return rows / parts * p + std::min(p, rows % parts); };
  return {{bound(part)}, {bound(part + 1)}};
}

std::string entry_text(Index row, std::size_t n) {
  return "row " + std::to_string(row) + ", entry " + std::to_string(n);
}

}  // namespace

Hdf5Header hdf5_matrix_header(const std::string& path, const std::string& group) {
  const InputFile exists(path);
  return as_deck_error([&] {
    const h5::File file(path, h5::File::Mode::read);
    Hdf5Header h{path, absolute(group), true, false, {}};
    if (h.name != "/" && !file.contains(h.name)) refuse(path, h.name, "there is no such group");
    const Index pointers = length(file, path, member(h.name, "indptr"));
    const Index entries = length(file, path, member(h.name, "data"));
    if (length(file, path, member(h.name, "indices")) != entries)
      refuse(path, h.name, "`indices` and `data` differ in length");
    check_type<Index>(file, path, member(h.name, "indptr"));
    check_type<Index>(file, path, member(h.name, "indices"));
    check_type<double>(file, path, member(h.name, "data"));
    const std::vector<Index> shape = shape_of(file, path, h.name);
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) refuse(path, h.name, "`shape` is not two numbers");
    h.shape = {shape[0], shape[1], entries};
    if (pointers != shape[0] + 1)
      refuse(path, h.name,
             "`indptr` has " + std::to_string(pointers) + " numbers for " + std::to_string(shape[0]) +
                 " rows; compressed rows have one more than rows");
    return h;
  });
}

Hdf5Header hdf5_vector_header(const std::string& path, const std::string& dataset) {
  const InputFile exists(path);
  return as_deck_error([&] {
    const h5::File file(path, h5::File::Mode::read);
    Hdf5Header h{path, absolute(dataset), false, false, {}};
    if (h.name == "/" || !file.contains(h.name)) refuse(path, h.name, "there is no such dataset");
    check_type<double>(file, path, h.name);
    const h5::Extent extent = file.extent(h.name);
    if (extent.empty() || extent.size() > 2)
      refuse(path, h.name, "has " + std::to_string(extent.size()) + " indices; a vector has one, several have two");
    h.columns = extent.size() == 2;
    const Index columns = h.columns ? extent[1] : 1;
    h.shape = {extent[0], columns, extent[0] * columns};
    return h;
  });
}

Triplets read_hdf5_rows(const Hdf5Header& header, const Range<1>& own) {
  const DataShape& s = header.shape;
  Triplets made;
  as_deck_error([&] {
    const h5::File file(header.path, h5::File::Mode::read);
    const std::string indptr = member(header.name, "indptr");
    const auto starts = values<Index>(file, indptr, own.lo[0], own.size() + 1);
    if (own.lo[0] == 0 && starts.front() != 0) refuse(header.path, indptr, "does not begin with 0");
    if (own.hi[0] == s.rows && starts.back() != s.entries)
      refuse(header.path, indptr,
             "ends with " + std::to_string(starts.back()) + ", there are " + std::to_string(s.entries) + " entries");
    for (std::size_t n = 0; n + 1 < starts.size(); ++n)
      if (starts[n] < 0 || starts[n + 1] < starts[n] || starts[n + 1] > s.entries)
        refuse(header.path, indptr,
               "falls, or leaves the entries, at row " + std::to_string(own.lo[0] + static_cast<Index>(n)));
    const Index first = starts.front(), count = starts.back() - starts.front();
    made.col = values<Index>(file, member(header.name, "indices"), first, count);
    made.value = values<double>(file, member(header.name, "data"), first, count);
    for (std::size_t n = 0; n + 1 < starts.size(); ++n)
      made.row.insert(made.row.end(), static_cast<std::size_t>(starts[n + 1] - starts[n]),
                      own.lo[0] + static_cast<Index>(n));
    for (std::size_t n = 0; n < made.col.size(); ++n) {
      const std::size_t entry = static_cast<std::size_t>(first) + n;
      if (made.col[n] < 0 || made.col[n] >= s.columns)
        refuse(header.path, member(header.name, "indices"),
               entry_text(made.row[n], entry) + ": column " + std::to_string(made.col[n]) + " lies outside of " +
                   std::to_string(s.rows) + " x " + std::to_string(s.columns));
      if (!std::isfinite(made.value[n]))
        refuse(header.path, member(header.name, "data"), entry_text(made.row[n], entry) + ": is not finite");
    }
  });
  return made;
}

Triplets read_hdf5_matrix(const Communicator& comm, const Hdf5Header& header) {
  require(header.matrix, "read_hdf5_matrix: the header is a vector's");
  const Range<1> own = block_of(comm, header.shape.rows);
  Triplets made;
  on_all_ranks(comm, [&] { made = read_hdf5_rows(header, own); });
  return made;
}

std::vector<ColumnPiece> read_hdf5_columns(const Hdf5Header& header, const Range<1>& own) {
  std::vector<ColumnPiece> made;
  as_deck_error([&] {
    const h5::File file(header.path, h5::File::Mode::read);
    for (Index column = 0; column < header.shape.columns; ++column) {
      ColumnPiece& piece = made.emplace_back(ColumnPiece{column, own.lo[0], {}});
      piece.values.resize(static_cast<std::size_t>(own.size()));
      auto* to = reinterpret_cast<std::byte*>(piece.values.data());
      const h5::Target box = header.columns ? h5::Target{{own.lo[0], column}, {own.size(), 1}, to}
                                            : h5::Target{{own.lo[0]}, {own.size()}, to};
      if (own.size() > 0) file.read(header.name, h5::Type::float64, file.extent(header.name), std::span(&box, 1));
      for (std::size_t n = 0; n < piece.values.size(); ++n)
        if (!std::isfinite(piece.values[n]))
          refuse(header.path, header.name,
                 "row " + std::to_string(own.lo[0] + static_cast<Index>(n)) + ": is not finite");
    }
  });
  return made;
}

std::vector<ColumnPiece> read_hdf5_vector(const Communicator& comm, const Hdf5Header& header) {
  require(!header.matrix, "read_hdf5_vector: the header is a matrix's");
  const Range<1> own = block_of(comm, header.shape.rows);
  std::vector<ColumnPiece> made;
  on_all_ranks(comm, [&] { made = read_hdf5_columns(header, own); });
  return made;
}

}  // namespace halocline
