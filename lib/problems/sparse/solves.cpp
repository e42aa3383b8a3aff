#include "lib/problems/sparse/solves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lib/base/format.hpp"

namespace halocline::sparse {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

double mean_rate(std::span<const SolveRecord> records) {
  double sum = 0;
  Index count = 0;
  for (const SolveRecord& r : records) {
    if (r.iterations == 0 || !(r.history.front() > 0)) continue;
    sum += std::pow(r.relative / r.history.front(), 1 / static_cast<double>(r.iterations));
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

Solves::Solves(const Context& context, const SparseOptions& options, const Formulation& formulation)
    : context_(context), options_(options), f_(formulation), step_(options.block.sequence.step) {
  make_matrix();
  method_ = choose_method(options_.block, findings(), asymmetry(rows(), *matrix_));
  make_solver();
  if (f_.rhs.file) columns_ = from_file(*f_.rhs.file);
  prepare_solve();
}

void Solves::make_solver() {
  solver_ = make_krylov<double>(word_for(method_.method), matrix_->space(), krylov_options(options_.block.solver));
}

void Solves::begin() {
  log_choices();
  begin_solve();
}

void Solves::refuse_row(Index row, const char* what) const {
  if (row >= 0) throw DeckError(formatted("{}: is not finite in row {} (counted from 0)", what, named(system_, row)));
}

PartValues Solves::make_rhs() {
  const BlockOptions& block = options_.block;
  PartValues made;
  double factor = system_.sign;
  if (f_.rhs.file) {
    made = copy_of(columns_[columns_.size() == 1 ? 0 : static_cast<std::size_t>(number_)]);
  } else if (f_.rhs.formula) {
    const BoxLayout& layout = f_.box->model().layout;
    made = box_values(rows(), layout, *f_.rhs.formula, time());
    for (int axis = 0; axis < layout.dimensions; ++axis) factor *= layout.spacing[axis];
  } else if (!block.rhs) {
    made = in_row_order(random_values(rows(), block.rhs_values.random));
  } else if (*block.rhs == RhsWord::ones) {
    made = constant_values(rows(), 1);
  } else if (*block.rhs == RhsWord::row_sums) {
    Vector<double> one(matrix_->space()), sums(matrix_->space());
    made = constant_values(rows(), 1);
    matrix_->enter(made, one);
    matrix_->apply(one, sums);
    matrix_->leave(sums, made);
    factor = 1;  // the matrix has the sign already
  } else {
    made = system_.natural.empty() ? natural_rhs(rows(), *f_.source, system_.sign, time()) : std::move(system_.natural);
    system_.natural.clear();
    factor = 1;
  }
  scale(made, factor);
  const Index bad = first_not_finite(rows(), made);
  refuse_row(bad, "sparse.rhs");
  check_empty_rows(system_, made);
  return made;
}

void Solves::set_rhs() {
  matrix_->enter(make_rhs(), *b_);
  if (null_.space) removed_ = project_rhs(*null_.space, options_.block.solver.project_rhs, *b_);
}

void Solves::set_start() {
  const bool first = number_ == 0;
  if (!first && options_.block.sequence.start == SequenceStart::zero) {
    start_ = nullptr;
    fill(*x_, 0);
    return;
  }
  if (first) {
    if (!f_.start.formula && !f_.start.file) return fill(*x_, 0);
    const PartValues values = f_.start.file ? std::move(from_file(*f_.start.file).front())
                                            : box_values(rows(), f_.box->model().layout, *f_.start.formula, time());
    const Index bad = first_not_finite(rows(), values);
    refuse_row(bad, "sparse.start");
    matrix_->enter(values, *x_);
  }
  if (!start_) start_ = std::make_unique<Vector<double>>(matrix_->space());
  copy(*x_, *start_);
}

void Solves::prepare_solve() {
  seconds_ = 0;
  if (number_ > 0 && matrix_changes()) next_matrix();
  if (!b_) b_ = std::make_unique<Vector<double>>(matrix_->space());
  if (!x_) x_ = std::make_unique<Vector<double>>(matrix_->space());
  set_rhs();
  set_start();
}

void Solves::begin_solve() {
  solver_->begin(*matrix_, preconditioner(), *b_, *x_);
  if (solver_->report().finished()) end_solve();
}

Index Solves::iterate(Index n) {
  if (finished_) return 0;
  const int before = solver_->report().iterations;
  const auto start = Clock::now();
  const bool ended = solver_->iterate(static_cast<int>(std::min<Index>(n, 1 << 30)));
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  const Index done = solver_->report().iterations - before;
  if (done > 0) reopened_ = false;
  if (ended) end_solve();
  return done;
}

void Solves::end_solve() {
  const SolveReport& report = solver_->report();
  SolveRecord record{report.iterations, report.residual, 0, seconds_, report.history};
  if (null_.space && !reopened_) null_.space->project(*x_);
  reopened_ = false;
  Vector<double> r(matrix_->space());
  matrix_->residual(*b_, *x_, r);
  const double size = norm(*b_);
  record.residual = size > 0 ? norm(r) / size : norm(r);
  records_.push_back(record);
  context_.log.info(formatted("solve {}: {} iterations, residual {:.3g}, recurrence {:.3g}", number_ + 1,
                              record.iterations, record.residual, record.relative));
  if (columns_.size() > 1) solved_.push_back(solved_column());
  before_ += report.iterations;
  if (!report.converged()) failure_ = reason();
  finished_ = !failure_.empty() || number_ + 1 >= f_.solves;
  if (finished_) return log_advice();
  ++number_;
  prepare_solve();
  begin_solve();
}

// Of CG: a product, which reads x and writes y, with three vectors in its sums and scalings; updates of four vectors.
double Solves::bytes_of_iteration() const {
  const Preconditioner kind = options_.block.preconditioner;
  if (method_.method != Method::cg || kind == Preconditioner::chebyshev) return 0;
  double stored = 0, own = 0;
  for (int p = 0; p < context_.team.parts(); ++p) {
    stored += static_cast<double>(matrix_->rows().pattern().part(p).stored_with_longs());
    own += static_cast<double>(rows().own_size(p));
  }
  constexpr double of_product = 24, of_updates = 88, of_jacobi = 24;
  double bytes = (sizeof(double) + sizeof(LocalIndex)) * stored + (of_product + of_updates) * own;
  if (multigrid() != nullptr) bytes += multigrid()->bytes();
  if (kind == Preconditioner::jacobi || kind == Preconditioner::l1_jacobi) bytes += of_jacobi * own;
  double all = 0;
  for (const double part : context_.comm.gather(bytes)) all += part;
  return all;
}

std::vector<PartValues> Solves::from_file(const DataFile& file) const {
  std::vector<PartValues> made;
  for (PartValues& column : read_columns(rows(), file)) made.push_back(in_row_order(std::move(column)));
  return made;
}

PartValues Solves::in_row_order(PartValues values) const {
  return moved(rows(), system_.numbers.here, std::move(values));
}

PartValues Solves::in_input_order(PartValues values) const {
  return moved(rows(), system_.numbers.input, std::move(values));
}

PartValues Solves::solution() const {
  PartValues made = constant_values(rows(), 0);
  matrix_->leave(*x_, made);
  return made;
}

std::vector<SolvedColumn> Solves::solved_columns() const {
  std::vector<SolvedColumn> made;
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    if (n < solved_.size()) {
      const SolvedColumn& column = solved_[n];
      made.push_back({copy_of(column.u), copy_of(column.f), copy_of(column.residual)});
    } else {
      made.push_back({constant_values(rows(), 0), constant_values(rows(), 0), constant_values(rows(), 0)});
    }
  }
  return made;
}

PartValues Solves::right_side() const {
  PartValues made = constant_values(rows(), 0);
  matrix_->leave(*b_, made);
  scale(made, system_.sign);
  return made;
}

PartValues Solves::residual() const {
  Vector<double> r(matrix_->space());
  matrix_->residual(*b_, *x_, r);
  PartValues made = constant_values(rows(), 0);
  matrix_->leave(r, made);
  scale(made, system_.sign);
  return made;
}

}  // namespace halocline::sparse
