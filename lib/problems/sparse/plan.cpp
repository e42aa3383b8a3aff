#include "lib/problems/sparse/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/base/option_texts.hpp"
#include "lib/problems/sparse/formulation.hpp"
#include "lib/problems/sparse/output/publish.hpp"
#include "lib/problems/sparse/system.hpp"

namespace halocline::sparse {

namespace {

constexpr double tetrahedra_per_node = 5.6;  // of a ventricle

// Everything that decides what is solved and how, but where it ends.
std::string identity_text(const SparseOptions& options, const Formulation& f) {
  SparseOptions copy = options;
  BlockOptions& b = copy.block;
  std::string text = std::to_string(int{b.matrix.has_box} + 2 * int{b.matrix.has_ventricle} +
                                    4 * int{b.matrix.has_elastic_box} + 8 * int{b.matrix.has_file});
  text += word_for(b.solver.method) + std::string(" ") + std::to_string(b.solver.restart) + " " +
          word_for(b.solver.null_space) + (b.solver.project_rhs ? " projected " : " ") + word_for(b.preconditioner) +
          " " + std::to_string(b.degree) + " " + word_for(b.storage.kind) + " " + std::to_string(b.storage.sigma) +
          (f.solves > 1 ? " several " : " 1 ") + exact_text(b.sequence.step) + " " + word_for(b.sequence.start) + " " +
          word_for(b.sequence.reuse) + " " + word_for(b.zero_rows) + " " + word_for(f.order) + "\n";
  text += b.rhs ? word_for(*b.rhs) : texts_of_options(b.rhs_values);
  text += b.components ? word_for(*b.components) : texts_of_options(b.components_file);
  text += b.start ? word_for(*b.start) : texts_of_options(b.start_values);
  for (const auto& [name, formula] : b.names.constants) text += name + " = " + formula.text + "\n";
  for (const Formula& formula : b.names.definitions) text += formula.text + "\n";
  if (b.matrix.box.manufactured()) text += copy.verify.exact.text;
  text += texts_of_options(b.matrix);
  if (b.preconditioner == Preconditioner::amg) text += texts_of_options(b.amg);
  return digest(text);
}

// Whether the method will be GMRES, as far as the deck tells.
bool keeps_many_vectors(const BlockOptions& block) {
  const bool convection = block.matrix.has_box && !block.matrix.box.velocity.empty();
  return block.solver.method == Method::gmres || (block.solver.method == Method::automatic && convection);
}

// Vectors that levels of aggregation show; each widens the rows of interpolations and their products.
double near_null_vectors(const BlockOptions& block, const Formulation& f) {
  if (!block.amg.aggregates()) return 1;
  if (f.near_null) return static_cast<double>(f.near_null->shape().columns);
  if (block.amg.near_null_space == NearNullSpace::constants) return static_cast<double>(unknowns_of_node(block));
  return f.coordinates && f.coordinates->shape().columns == 2 ? 3 : 6;
}

// Bytes a row of multigrid, by entries a row. `held`: by its levels. `set_up`: at the peak of the set-up, the matrix
// included, whose factors were fitted to measured peaks (docs/sparse.md): the matrix is there three times, with global
// and local columns and in the precision of the cycle, and each coarse entry passes through two products and a format.
// `kept`: for new values.
struct MultigridBytes {
  double held, set_up, kept;
};
MultigridBytes multigrid_bytes(const BlockOptions& block, const Formulation& f, double entries) {
  const auto [all_entries, all_rows] = expected_complexities(block);
  const double bytes = block.amg.precision == amg::Precision::fp32 ? 4 : 8;
  const double held =
      bytes * entries + 8 * (bytes + 4) + 64 + 1.1 * (bytes + 4) * (all_entries - 1) * entries + 80 * (all_rows - 1);
  const double products = 12 * (2 * 4 + 3 * entries) + 24;
  const double wide = 22 * entries * std::max(0.0, near_null_vectors(block, f) - 3);
  const double set_up =
      12 * entries * (3.45 + 3 * std::min(all_entries - 1, 2.3)) + (bytes - 4) * all_entries * entries + wide + 60;
  return {held, set_up, all_rows * products + 12 * (all_entries - 1) * entries};
}

// Of a process without rows, and what the set-up of multigrid needs whatever the rows are: tables of products, coarse
// levels that are inverted.
constexpr double process_bytes = 37e6, set_up_bytes = 45e6;

// Bytes at the peak, of so many rows: while rows with global columns (16 an entry) become rows with local ones (12),
// with their right sides, or while a system is solved.
double bytes_of(const SparseOptions& options, const Formulation& f, double rows) {
  constexpr double fill = 1.1, beside = 70;
  const double entries = static_cast<double>(f.entries) / static_cast<double>(f.rows);
  const auto restart = static_cast<double>(options.block.solver.restart);
  const double bases = options.block.preconditioner == Preconditioner::none ? 1 : 2;  // GMRES keeps what M gives
  const auto columns = static_cast<double>(f.rhs.file ? f.rhs.file->shape().columns : 1);
  const double of_columns = columns > 1 ? 4 * columns : 0;  // the right sides, and what their solves have left
  const double vectors = 12 + of_columns + (keeps_many_vectors(options.block) ? bases * restart : 0);
  const double making = 28 * entries + beside, solving = 12 * fill * entries + 8 * vectors;
  if (options.block.preconditioner != Preconditioner::amg) return process_bytes + std::max(making, solving) * rows;
  const MultigridBytes multigrid = multigrid_bytes(options.block, f, entries);
  const Reuse reuse = options.block.sequence.reuse;
  const bool changes = f.solves > 1 && f.source && f.source->matrix_depends_on_time();
  const double refreshing = changes && (reuse == Reuse::pattern || reuse == Reuse::automatic)
                                ? making + solving + multigrid.held + multigrid.kept
                                : 0;
  return process_bytes + set_up_bytes +
         std::max({making, multigrid.set_up, solving + multigrid.held, refreshing}) * rows;
}

void share_out(const Formulation& f, const Shape& shape, Plan& plan, Faults& faults) {
  plan.partition = Partition(f.rows, rows_per_chunk, shape.weights, 0);
  Index most = 0, empty = 0;
  for (int p = 0; p < plan.partition.parts(); ++p) {
    const Index own = plan.partition.block(p).size();
    most = std::max(most, own);
    empty += own == 0 ? 1 : 0;
  }
  if (most > std::numeric_limits<LocalIndex>::max() / 2)
    faults.at("sparse.matrix",
              "gives a part " + std::to_string(most) + " rows, more than it can number; use more ranks or devices");
  if (empty > 0)
    plan.notes.push_back(formatted("{} of {} parts have no rows: {} rows are shared out in pieces of {}", empty,
                                   plan.partition.parts(), f.rows, rows_per_chunk));
  if (f.file && plan.partition.parts() > 1)
    plan.notes.push_back("parts are shown with equal rows; the run cuts the file by its entries");
}

// Fields on the grid of a box; columns of other sources, and values on their meshes.
void tell_results(const Formulation& f, const MatrixOptions& matrix, Plan& plan) {
  plan.on_grid = f.box != nullptr;
  plan.fields = {"u", "f", "residual"};
  if (f.box != nullptr) {
    if (f.box->model().stencil == Stencil::fv) plan.fields.push_back("k");
    plan.grid = output_grid(f.box->model().layout);
    return;
  }
  double bytes_per_row = 24 * static_cast<double>(f.rhs.file ? f.rhs.file->shape().columns : 1);
  if (!f.file) plan.fields.push_back("part");
  if (matrix.has_elastic_box) bytes_per_row += 24 + (24 + 8 + 73) / 3.0;  // a cube a node
  if (matrix.has_ventricle) {
    plan.fields.insert(plan.fields.end(), {"fiber_angle", "sigma"});
    bytes_per_row += 24 + 24 + 8 + tetrahedra_per_node * (41 + 8 + 48);
  }
  plan.table_bytes = bytes_per_row * static_cast<double>(f.rows);
}

}  // namespace

Complexities expected_complexities(const BlockOptions& block) {
  const MatrixOptions& matrix = block.matrix;
  if (block.amg.aggregates()) {
    if (matrix.has_elastic_box) return {1.22, 1.08};
    if (matrix.has_box && matrix.box.stencil == Stencil::hpcg) return {1.05, 1.03};
    return {1.8, 1.3};
  }
  if (matrix.has_box && !matrix.box.velocity.empty()) return {5, 2};
  if (matrix.has_box && matrix.box.stencil == Stencil::hpcg) return {1.25, 1.1};
  if (matrix.has_box) return {2.85, 1.4};
  if (matrix.has_ventricle) return {2.1, 1.3};
  if (matrix.has_elastic_box) return {1.5, 1.4};
  return {3, 1.5};
}

double ghosts_of(const Formulation& f, Index rows) {
  if (f.box != nullptr) {
    const BoxLayout& layout = f.box->model().layout;
    if (!layout.bisected) return 2.0 * static_cast<double>(layout.stride(layout.dimensions - 1));
    return layout.dimensions == 3 ? 6 * std::pow(static_cast<double>(rows), 2.0 / 3)
                                  : 4 * std::sqrt(static_cast<double>(rows));
  }
  return 5 * std::pow(static_cast<double>(rows), 2.0 / 3);
}

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto& options = static_cast<const SparseOptions&>(base);
  const auto f = formulate(options, faults);
  if (!f) return plan;
  share_out(*f, shape, plan, faults);
  Index most = 0;
  for (int p = 0; p < plan.partition.parts(); ++p) most = std::max(most, plan.partition.block(p).size());
  plan.unknowns = f->rows;
  plan.archived_bytes = static_cast<std::size_t>(most) * sizeof(double);
  plan.bytes_per_part = static_cast<std::size_t>(bytes_of(options, *f, static_cast<double>(most)));
  // Of the marks that find ghosts among nearly all columns, and what those of ghosts take.
  constexpr Index columns_of_byte = 4096;
  constexpr double ghost_bytes = 8;
  if (plan.partition.parts() > 1 && f->order == RowOrder::bisection)
    plan.bytes_per_part += static_cast<std::size_t>(f->rows / columns_of_byte) +
                           static_cast<std::size_t>(ghost_bytes * ghosts_of(*f, most));
  if (plan.partition.parts() > 1) plan.message_bytes = static_cast<std::size_t>(8 * ghosts_of(*f, most));
  plan.work = 2.0 * static_cast<double>(f->entries) + 14.0 * static_cast<double>(f->rows);
  plan.shape = formatted("{} rows, {}{} entries", f->rows, f->entries_known ? "" : "about ", f->entries);
  plan.formulas = identity_text(options, *f);
  tell_results(*f, options.block.matrix, plan);
  return plan;
}

}  // namespace halocline::sparse
