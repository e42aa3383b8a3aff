#include "lib/problems/sparse/formulation.hpp"

#include "lib/expression/formula_reader.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

namespace halocline::sparse {

namespace {

constexpr double ventricle_entries = 14.6;  // a row
// Boxes in 3D of so many rows are for many parts, whose planes would grow.
constexpr Index least_bisected = Index{1} << 26;

class Builder {
 public:
  Builder(const SparseOptions& options, Faults& faults)
      : options_(options), block_(options.block), reader_(variables, options.block.names, faults) {}

  std::optional<Formulation> build() {
    if (options_.verify.exact.given()) f_.exact = reader_.parse(options_.verify.exact);
    make_source();
    if (reader_.count() > 0) return std::nullopt;
    if (f_.rows < 1) reader_.at("sparse.matrix", "has no rows");
    check_rows();
    check_rhs();
    check_start();
    check_solver();
    check_sequence();
    check_verify();
    return reader_.count() == 0 ? std::optional(f_) : std::nullopt;
  }

 private:
  // What is told of rows beside the matrix.
  void check_rows() {
    const bool given = block_.components != Components::one;
    const char* path = "sparse.components";
    if (given && block_.matrix.has_elastic_box)
      return reader_.at(path, "are known for matrix.elastic_box; leave it out");
    if (given && !f_.file) return reader_.at(path, "is for matrix.file; the other sources have one unknown a node");
    if (given && block_.preconditioner != Preconditioner::amg) reader_.at(path, "is for preconditioner amg");
    if (given && block_.components && f_.rows % static_cast<Index>(*block_.components) != 0)
      reader_.at(path,
                 word_for(*block_.components) + std::string(": the matrix has ") + std::to_string(f_.rows) +
                     " rows, which is no multiple of that; where rows are missing, give {file: ..} with the unknown "
                     "of every row");
    if (!block_.components) f_.components = open_given(block_.components_file, path, 1);
    const FileOptions& file = block_.matrix.file;
    if (!block_.matrix.has_file || !file.has_coordinates) return;
    path = "sparse.matrix.file.coordinates";
    if (block_.preconditioner != Preconditioner::amg) reader_.at(path, "is for preconditioner amg");
    f_.coordinates = open_given(file.coordinates, path, 0);
    const Index axes = f_.coordinates ? f_.coordinates->shape().columns : 3;
    if (axes != 2 && axes != 3)
      reader_.at(path, f_.coordinates->path() + ": has " + std::to_string(axes) +
                           " columns; expected x and y, or x, y and z, of every row");
  }

  std::optional<DataFile> open_given(const VectorFileOptions& options, const std::string& path, Index columns) {
    if (options.given()) return open_values(options, path, columns);
    reader_.at(path, "lacks `file`");
    return std::nullopt;
  }

  void make_source() {
    const MatrixOptions& m = block_.matrix;
    const int given = int{m.has_box} + int{m.has_ventricle} + int{m.has_elastic_box} + int{m.has_file};
    if (given != 1)
      return reader_.at("sparse.matrix", given == 0 ? "names no source: box, ventricle, elastic_box or file"
                                                    : "names several sources; give one");
    if (m.has_file) return open_file();
    check_order();
    f_.entries_known = true;
    if (m.has_box) {
      auto model = make_box_model(m.box, f_.exact, reader_);
      if (!model) return;
      set_order(model->layout);
      const auto box = std::make_shared<const BoxSource>(*model);
      f_.box = box.get();
      f_.entries = model->entries();
      f_.source = box;
    } else if (m.has_ventricle) {
      const auto model = make_ventricle_model(m.ventricle, reader_);
      if (!model) return;
      f_.source = std::make_shared<const VentricleSource>(*model);
      f_.entries = static_cast<Index>(ventricle_entries * static_cast<double>(f_.source->rows()));
      f_.entries_known = false;
    } else {
      const auto model = make_elastic_model(m.elastic_box, reader_);
      if (!model) return;
      f_.source = std::make_shared<const ElasticBoxSource>(*model);
      f_.entries = model->entries();
    }
    f_.rows = f_.source->rows();
  }

  void check_order() {
    if (block_.order == RowOrder::rcm) reader_.at("sparse.order", "rcm is for matrix.file");
    if (block_.order == RowOrder::bisection && !block_.matrix.has_box)
      reader_.at("sparse.order", "bisection is for matrix.box and matrix.file" +
                                     std::string(block_.matrix.has_ventricle ? "; give ventricle.numbering" : ""));
  }

  // Chosen by the matrix, never by the number of parts, on which no result may depend.
  void set_order(BoxLayout& layout) {
    const bool large = layout.dimensions == 3 && layout.rows() >= least_bisected;
    if (block_.order == RowOrder::bisection || (block_.order == RowOrder::automatic && large))
      f_.order = RowOrder::bisection;
    layout.bisected = f_.order == RowOrder::bisection;
  }

  void open_file() {
    if (block_.order != RowOrder::automatic) f_.order = block_.order;
    try {
      f_.file = open_matrix(block_.matrix.file);
    } catch (const DeckError& error) {
      return reader_.at("sparse.matrix.file", error.what());
    }
    const DataShape& shape = f_.file->shape();
    f_.rows = shape.rows;
    f_.entries = shape.mirrored ? 2 * shape.entries : shape.entries;
    if (shape.rows != shape.columns)
      reader_.at("sparse.matrix.file", f_.file->path() + ": is not square: " + std::to_string(shape.rows) + " x " +
                                           std::to_string(shape.columns));
  }

  // `columns`: how many there may be; 0: any number.
  std::optional<DataFile> open_values(const VectorFileOptions& options, const std::string& path, Index columns) {
    try {
      const DataFile file = open_vectors(options);
      const DataShape& shape = file.shape();
      if (shape.rows != f_.rows)
        reader_.at(
            path, file.path() + ": has " + std::to_string(shape.rows) + " rows, the matrix " + std::to_string(f_.rows));
      if (shape.columns < 1 || (columns > 0 && shape.columns != columns))
        reader_.at(path, file.path() + ": has " + std::to_string(shape.columns) + " columns; expected " +
                             (columns > 0 ? std::to_string(columns) : "one or more"));
      return file;
    } catch (const DeckError& error) {
      reader_.at(path, error.what());
      return std::nullopt;
    }
  }

  void read_values(const ValuesOptions& given, const std::string& path, Index columns, GivenValues& to) {
    const int ways = int{given.random_given} + int{given.formula.given()} + int{given.file.given()};
    if (ways != 1)
      return reader_.at(path, std::string(ways == 0 ? "gives nothing" : "gives several") + ": one of " +
                                  (given.with_random ? "random, " : "") + "formula and file");
    if (!given.file.given() && (given.file.dataset_given || given.file.object_given))
      reader_.at(path, "has `dataset` or `object` without `file`");
    if (given.formula.given()) {
      if (f_.box == nullptr) reader_.at(path + ".formula", "is for matrix.box, which has places");
      to.formula = reader_.parse(given.formula);
    }
    if (given.file.given()) to.file = open_values(given.file, path, columns);
  }

  void check_rhs() {
    if (!block_.rhs) return read_values(block_.rhs_values, "sparse.rhs", 0, f_.rhs);
    if (*block_.rhs == RhsWord::natural && f_.file)
      reader_.at("sparse.rhs",
                 "natural: a file has no right side of its own; give ones, row_sums, {random: seed} or "
                 "{file: ..}");
  }

  void check_start() {
    if (!block_.start) read_values(block_.start_values, "sparse.start", 1, f_.start);
  }

  void check_solver() {
    const SolverOptions& s = block_.solver;
    if (s.restart != SolverOptions{}.restart && s.method != Method::automatic && s.method != Method::gmres)
      reader_.at("sparse.solver.restart", "is for method gmres");
    if (s.project_rhs && s.null_space == NullSpaceUse::none)
      reader_.at("sparse.solver.project_rhs", "means nothing with null_space: none");
    if (block_.degree != BlockOptions{}.degree && block_.preconditioner != Preconditioner::chebyshev)
      reader_.at("sparse.degree", "is for preconditioner chebyshev");
    check_multigrid();
    const StorageOptions& f = block_.storage;
    const bool slices = f.kind == Storage::sell || f.kind == Storage::automatic;
    if (f.sigma_given && !slices) reader_.at("sparse.matrix_format.sigma", "is for slices, kind sell");
    if (f.sigma_given && f.sigma != 1 && (f.sigma % 32 != 0 || 1024 % f.sigma != 0))
      reader_.at("sparse.matrix_format.sigma", "must be 1, 32, 64, 128, 256, 512 or 1024");
  }

  void check_multigrid() {
    if (block_.amg_given && block_.preconditioner != Preconditioner::amg)
      reader_.at("sparse.amg", "is for preconditioner amg");
    if (block_.amg.degree != MultigridOptions{}.degree && block_.amg.smoother != amg::SmootherKind::chebyshev)
      reader_.at("sparse.amg.degree", "is for smoother chebyshev");
    check_aggregation();
    if (!block_.amg.bound_is_known()) reader_.at("sparse.amg.bound", "must be a positive number or none");
    if (!options_.verify.operator_complexity.empty() && block_.preconditioner != Preconditioner::amg)
      reader_.at("verify.operator_complexity", "is for preconditioner amg");
  }

  void check_aggregation() {
    const MultigridOptions &amg = block_.amg, defaults;
    const char* path = "sparse.amg.near_null_space";
    if (!amg.aggregates()) {
      if (amg.near_null_space != defaults.near_null_space) reader_.at(path, "is for type aggregation");
      return;
    }
    if (amg.interpolation != defaults.interpolation) reader_.at("sparse.amg.interpolation", "is for type classical");
    if (amg.entries != defaults.entries) reader_.at("sparse.amg.entries", "is for type classical");
    const bool by_nodes = amg.near_null_space != NearNullSpace::constants || block_.matrix.has_elastic_box ||
                          block_.components != Components::one;
    if (by_nodes && amg.theta != defaults.theta)
      reader_.at("sparse.amg.theta", "is for rows one by one; nodes are coupled strongly by more than 0.08");
    if (!amg.near_null_space) {
      f_.near_null = open_given(amg.near_null_file, path, 0);
      if (f_.near_null && f_.near_null->shape().columns > amg::most_near_null_vectors)
        reader_.at(path, f_.near_null->path() + ": has " + std::to_string(f_.near_null->shape().columns) +
                             " columns; expected " + std::to_string(amg::most_near_null_vectors) + " at most");
    } else if (*amg.near_null_space == NearNullSpace::rigid_body && !block_.matrix.has_elastic_box) {
      const bool told = f_.coordinates && block_.components != Components::one;
      if (!told)
        reader_.at(path, "rigid_body is for matrix.elastic_box, or a matrix.file with `coordinates` and `components`");
    }
  }

  void check_sequence() {
    const SequenceOptions& s = block_.sequence;
    f_.solves = s.solves;
    const Index columns = f_.rhs.file ? f_.rhs.file->shape().columns : 1;
    if (columns > 1 && s.solves > 1)
      reader_.at("sparse.sequence.solves", "must be left out: the file of right sides has " + std::to_string(columns) +
                                               ", which are solved one after the other");
    if (columns > 1) f_.solves = columns;
    if (s.solves == 1 && s.step != 0) reader_.at("sparse.sequence.step", "needs sequence.solves above 1");
    if (f_.solves == 1 && s.start_given) reader_.at("sparse.sequence.start", "needs several solves");
    if (f_.solves == 1 && s.reuse_given) reader_.at("sparse.sequence.reuse", "needs several solves");
    if (s.reuse_given && block_.preconditioner != Preconditioner::amg)
      reader_.at("sparse.sequence.reuse", "is for preconditioner amg");
  }

  void check_verify() {
    const VerifyOptions& v = options_.verify;
    if (v.exact.given() && f_.box == nullptr) reader_.at("verify.exact", "is for matrix.box, which has places");
    if (v.exact.given() && v.has_reference) reader_.at("verify.reference", "contradicts verify.exact; give one");
    if (v.has_reference) f_.reference = open_given(v.reference, "verify.reference", 1);
    const bool known = v.exact.given() || v.has_reference;
    if (!known && v.max_error > 0) reader_.at("verify.max_error", "needs verify.exact or verify.reference");
    if (!known && v.rms_error > 0) reader_.at("verify.rms_error", "needs verify.exact or verify.reference");
    if (!v.iterations.empty() && (v.iterations.size() != 2 || v.iterations[0] > v.iterations[1]))
      reader_.at("verify.iterations", "must be two numbers, [low, high], the smaller one first");
    const std::vector<double>& range = v.operator_complexity;
    if (!range.empty() && (range.size() != 2 || range[0] > range[1]))
      reader_.at("verify.operator_complexity", "must be two numbers, [low, high], the smaller one first");
  }

  const SparseOptions& options_;
  const BlockOptions& block_;
  FormulaReader reader_;
  Formulation f_;
};

}  // namespace

std::optional<Formulation> formulate(const SparseOptions& options, Faults& faults) {
  return Builder(options, faults).build();
}

Formulation formulate(const SparseOptions& options) {
  ThrownFaults faults;
  return *formulate(options, faults);
}

}  // namespace halocline::sparse
