#include "lib/problems/sparse/sources/file/data_file.hpp"

#include <algorithm>

#include "mpi/parcels.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::sparse {

namespace {

FileFormat format_of(const std::string& path, FileFormat given) {
  if (given != FileFormat::by_ending) return given;
  for (const auto& [ending, format] :
       {std::pair{".mtx", FileFormat::matrix_market}, std::pair{".petsc", FileFormat::petsc},
        std::pair{".h5", FileFormat::hdf5}, std::pair{".hdf5", FileFormat::hdf5}})
    if (path.ends_with(ending)) return format;
  if (path.ends_with(".gz"))
    throw DeckError(path + ": is compressed; unpack it first, since every rank reads a part of it");
  throw DeckError(path + ": its ending is none of .mtx, .petsc and .h5; name the format");
}

void refuse_unless(bool known, const std::string& path, const char* key, const char* whose) {
  if (!known) throw DeckError(path + ": `" + key + "` means nothing here; it is for " + whose);
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

struct Value {
  Index column, row;
  double value;
};

}  // namespace

const DataShape& DataFile::shape() const {
  return std::visit([](const auto& h) -> const DataShape& { return h.shape; }, header);
}

const std::string& DataFile::path() const {
  return std::visit([](const auto& h) -> const std::string& { return h.path; }, header);
}

DataFile open_matrix(const FileOptions& options) {
  const std::string path = path_of(options.name);
  const FileFormat format = format_of(path, options.format);
  refuse_unless(format == FileFormat::hdf5 || !options.group_given, path, "group", "HDF5");
  refuse_unless(format == FileFormat::petsc || !options.object_given, path, "object", "PETSc's binary files");
  if (format == FileFormat::hdf5) return {hdf5_matrix_header(path, options.group)};
  if (format == FileFormat::petsc) {
    const PetscHeader header = petsc_header(path, options.object);
    if (!header.matrix)
      throw DeckError(path + ": object " + std::to_string(options.object) + " is a vector, no matrix");
    return {header};
  }
  const MatrixMarketHeader header = matrix_market_header(path);
  if (header.array) throw DeckError(path + ": is an array, which holds vectors; a matrix has format coordinate");
  return {header};
}

DataFile open_vectors(const VectorFileOptions& options) {
  const std::string path = path_of(options.file);
  const FileFormat format = format_of(path, FileFormat::by_ending);
  refuse_unless(format == FileFormat::hdf5 || !options.dataset_given, path, "dataset", "HDF5");
  refuse_unless(format == FileFormat::petsc || !options.object_given, path, "object", "PETSc's binary files");
  if (format == FileFormat::hdf5) {
    if (!options.dataset_given) throw DeckError(path + ": lacks `dataset`, the path of the values in the file");
    return {hdf5_vector_header(path, options.dataset)};
  }
  if (format == FileFormat::petsc) {
    const PetscHeader header = petsc_header(path, options.object);
    if (header.matrix) throw DeckError(path + ": object " + std::to_string(options.object) + " is a matrix, no vector");
    return {header};
  }
  const MatrixMarketHeader header = matrix_market_header(path);
  if (!header.array) throw DeckError(path + ": is a matrix; vectors have format array");
  return {header};
}

Triplets read_matrix(const Communicator& comm, const DataFile& file) {
  return std::visit(Overloaded{[&](const MatrixMarketHeader& h) { return read_matrix_market(comm, h); },
                               [&](const PetscHeader& h) { return read_petsc_matrix(comm, h); },
                               [&](const Hdf5Header& h) { return read_hdf5_matrix(comm, h); }},
                    file.header);
}

std::vector<PartValues> read_columns(const RowSpace& rows, const DataFile& file) {
  const Communicator& comm = rows.comm();
  const Team& team = rows.team();
  const auto pieces =
      std::visit(Overloaded{[&](const MatrixMarketHeader& h) { return read_matrix_market_array(comm, h); },
                            [&](const PetscHeader& h) { return read_petsc_vector(comm, h); },
                            [&](const Hdf5Header& h) { return read_hdf5_vector(comm, h); }},
                 file.header);
  const PartRanks ranks(comm, team);
  Parcels<Value> parcels;
  for (const ColumnPiece& piece : pieces)
    for (std::size_t n = 0; n < piece.values.size(); ++n) {
      const Index row = piece.first + static_cast<Index>(n);
      parcels.to(ranks.rank_of(rows.owner(row))).push_back({piece.column, row, piece.values[n]});
    }
  const auto columns = static_cast<std::size_t>(file.shape().columns);
  const auto parts = static_cast<std::size_t>(team.parts());
  std::vector<std::vector<std::vector<double>>> host(columns, std::vector<std::vector<double>>(parts));
  for (auto& column : host)
    for (std::size_t p = 0; p < parts; ++p)
      column[p].resize(static_cast<std::size_t>(rows.own_size(static_cast<int>(p))));
  for (const Parcel<Value>& parcel : parcels.send(comm))
    for (const Value& v : parcel.values) {
      const auto p = static_cast<std::size_t>(rows.owner(v.row) - team.first_part());
      host[static_cast<std::size_t>(v.column)][p]
          [static_cast<std::size_t>(v.row - rows.own(static_cast<int>(p)).lo[0])] = v.value;
    }
  std::vector<PartValues> made(columns);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t p = 0; p < parts; ++p)
      made[c].push_back(make_array(team.executor(static_cast<int>(p)), host[c][p]));
  return made;
}

Partition partition_by_entries(const Communicator& comm, Index rows, const Triplets& mine, Index chunk,
                               const std::vector<double>& weights) {
  std::vector<Index> counts(static_cast<std::size_t>((rows + chunk - 1) / chunk), 0);
  for (const Index row : mine.row) ++counts[static_cast<std::size_t>(row / chunk)];
  comm.sum(std::span<Index>(counts));
  double all = 0, weight = 0;
  for (const double w : weights) weight += w;
  for (Index& count : counts) all += static_cast<double>(count += chunk);  // rows cost as well
  std::vector<Index> starts{0};
  std::size_t at = 0;
  double before = 0, wanted = 0;
  for (std::size_t part = 0; part + 1 < weights.size(); ++part) {
    wanted += weights[part] / weight * all;
    while (at < counts.size() && before + static_cast<double>(counts[at]) / 2 <= wanted)
      before += static_cast<double>(counts[at++]);
    starts.push_back(std::min(rows, static_cast<Index>(at) * chunk));
  }
  starts.push_back(rows);
  return Partition::from_starts(starts);
}

}  // namespace halocline::sparse
