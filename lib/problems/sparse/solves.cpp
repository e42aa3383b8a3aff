#include "lib/problems/sparse/solves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/sparse/row_archive.hpp"

namespace halocline::sparse {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double unit_roundoff = 0x1p-53;

const char* name_of(Method method) {
  switch (method) {
    case Method::fcg:
      return "flexible CG";
    case Method::gmres:
      return "GMRES";
    case Method::bicgstab:
      return "BiCGSTAB";
    case Method::automatic:
    case Method::cg:
      break;
  }
  return "CG";
}

const char* name_of(FormatKind kind) {
  switch (kind) {
    case FormatKind::ell:
      return "rows as wide as the longest";
    case FormatKind::crs:
      return "compressed rows";
    case FormatKind::automatic:
    case FormatKind::four:
    case FormatKind::sell:
      break;
  }
  return "slices of 32 rows";
}

}  // namespace

Solves::Solves(const Context& context, const SparseOptions& options, const Formulation& formulation)
    : context_(context), options_(options), f_(formulation), step_(options.block.sequence.step) {
  make_matrix();
  method_ = choose_method(options_.block, findings(), asymmetry(rows(), *matrix_));
  make_solver();
  if (f_.rhs.file) columns_ = read_columns(rows(), *f_.rhs.file);
  prepare_solve();
}

void Solves::log_choices() const {
  const RowFindings& found = findings();
  Log& log = context_.log;
  log.info(formatted("{} rows, {} entries; {}, {:.3g} times the entries stored", rows().size(), entries_,
                     name_of(matrix_->format().kind), matrix_->format().fill));
  log.info(std::string(name_of(method_.method)) + ": " + method_.reason + "; preconditioner " +
           word_for(options_.block.preconditioner));
  if (found.zeros > 0) log.info(std::to_string(found.zeros) + " entries are given as zero, and kept");
  if (found.empty.count > 0)
    log.info(std::to_string(found.empty.count) + " rows without entries: their unknowns are 0");
  if (system_.sign < 0) log.info("all diagonals are negative: -A u = -f is solved");
  if (found.positive.count > 0 && found.negative.count > 0)
    log.warning(formatted("{} diagonals are positive and {} negative: the matrix is indefinite", found.positive.count,
                          found.negative.count));
}

void Solves::make_solver() {
  solver_ = make_krylov<double>(word_for(method_.method), matrix_->space(), krylov_options(options_.block.solver));
}

void Solves::make_matrix() {
  preconditioner_ = nullptr;
  matrix_ = nullptr;
  system_ = make_system(context_, f_, options_.block.zero_rows, time());
  const auto scope = context_.timers.scope("formats");
  matrix_ = std::make_unique<DistMatrix>(*system_.A, storage_of(options_.block.storage));
  preconditioner_ = make_preconditioner(options_.block, system_, *matrix_);
  entries_ = system_.A->entries();
  if (!options_.block.rhs || *options_.block.rhs != RhsWord::natural) system_.natural.clear();
  system_.A = nullptr;  // its memory is worth more than a second making
}

void Solves::begin() {
  log_choices();
  begin_solve();
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
    made = random_values(rows(), block.rhs_values.random);
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
  if (bad >= 0) throw DeckError("sparse.rhs: is not finite in row " + std::to_string(bad) + " (counted from 0)");
  check_empty_rows(system_, made);
  return made;
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
    const PartValues values = f_.start.file ? std::move(read_columns(rows(), *f_.start.file).front())
                                            : box_values(rows(), f_.box->model().layout, *f_.start.formula, time());
    const Index bad = first_not_finite(rows(), values);
    if (bad >= 0) throw DeckError("sparse.start: is not finite in row " + std::to_string(bad) + " (counted from 0)");
    matrix_->enter(values, *x_);
  }
  if (!start_) start_ = std::make_unique<Vector<double>>(matrix_->space());
  copy(*x_, *start_);
}

void Solves::prepare_solve() {
  seconds_ = 0;
  if (number_ > 0 && f_.source && f_.source->matrix_depends_on_time()) {
    const PartValues kept = solution();
    make_matrix();
    make_solver();
    b_ = nullptr;
    start_ = nullptr;
    x_ = std::make_unique<Vector<double>>(matrix_->space());
    matrix_->enter(kept, *x_);
  }
  if (!b_) b_ = std::make_unique<Vector<double>>(matrix_->space());
  if (!x_) x_ = std::make_unique<Vector<double>>(matrix_->space());
  matrix_->enter(make_rhs(), *b_);
  set_start();
}

void Solves::begin_solve() {
  solver_->begin(*matrix_, preconditioner_.get(), *b_, *x_);
  if (solver_->report().finished()) end_solve();
}

Index Solves::iterate(Index n) {
  if (finished_) return 0;
  const int before = solver_->report().iterations;
  const auto start = Clock::now();
  const bool ended = solver_->iterate(static_cast<int>(std::min<Index>(n, 1 << 30)));
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  const Index done = solver_->report().iterations - before;
  if (ended) end_solve();
  return done;
}

void Solves::end_solve() {
  const SolveReport& report = solver_->report();
  SolveRecord record{report.iterations, report.residual, 0, seconds_, report.history};
  Vector<double> r(matrix_->space());
  matrix_->residual(*b_, *x_, r);
  const double size = norm(*b_);
  record.residual = size > 0 ? norm(r) / size : norm(r);
  records_.push_back(record);
  context_.log.info(formatted("solve {}: {} iterations, residual {:.3g}, recurrence {:.3g}", number_ + 1,
                              record.iterations, record.residual, record.relative));
  before_ += report.iterations;
  if (!report.converged()) failure_ = reason();
  finished_ = !failure_.empty() || number_ + 1 >= f_.solves;
  if (finished_) return;
  ++number_;
  prepare_solve();
  begin_solve();
}

std::string Solves::reason() const {
  const SolveReport& report = solver_->report();
  std::string text = formatted("{} {} after {} iterations; the residual is {:.3g} of the right side, tol is {:.3g}",
                               name_of(method_.method), words(report.status), report.iterations,
                               records_.back().residual, options_.block.solver.tolerance);
  if (report.status == SolveStatus::stagnated) {
    const double floor = attainable();
    text += formatted("; rounding keeps it above about {:.2g}", floor);
    if (options_.block.solver.tolerance < floor) text += ", and tol lies below that";
  }
  if (report.status == SolveStatus::indefinite_matrix && options_.block.solver.method != Method::gmres)
    text += "; method gmres solves indefinite systems";
  return text;
}

// What fp64 attains: 2^-53 norm(|A| |x|) / norm(f). The matrix is made once more.
double Solves::attainable() const {
  const System again = make_system(context_, f_, options_.block.zero_rows, time());
  for (int p = 0; p < context_.team.parts(); ++p) {
    std::vector<double> values(static_cast<std::size_t>(again.A->values(p).size()));
    const Executor& executor = *context_.team.executor(p);
    if (values.empty()) continue;
    executor.copy_out(values.data(), again.A->values(p).data, values.size() * sizeof(double));
    for (double& value : values) value = std::abs(value);
    executor.copy_in(again.A->values(p).data, values.data(), values.size() * sizeof(double));
  }
  const DistMatrix sizes(*again.A, storage_of(options_.block.storage));
  PartValues x = solution();
  take_magnitudes(x);
  Vector<double> in(sizes.space()), out(sizes.space());
  sizes.enter(x, in);
  sizes.apply(in, out);
  return unit_roundoff * norm(out) / norm(*b_);
}

PartValues Solves::solution() const {
  PartValues made = constant_values(rows(), 0);
  matrix_->leave(*x_, made);
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

void Solves::archive_records(StateArchive& state) {
  auto count = static_cast<Index>(records_.size());
  state.scalar("solves_ended", count);
  records_.resize(static_cast<std::size_t>(count));
  std::vector<double> numbers;
  for (const SolveRecord& r : records_)
    numbers.insert(numbers.end(), {static_cast<double>(r.iterations), r.relative, r.residual, r.seconds,
                                   static_cast<double>(r.history.size())});
  numbers.resize(static_cast<std::size_t>(5 * count));
  archive_values(context_.comm, state, "solves_records", numbers);
  std::vector<double> histories;
  for (std::size_t n = 0; n < records_.size(); ++n) {
    const double* r = numbers.data() + 5 * n;
    if (state.restoring()) records_[n] = {static_cast<Index>(r[0]), r[1], r[2], r[3], {}};
    records_[n].history.resize(static_cast<std::size_t>(r[4]));
    histories.insert(histories.end(), records_[n].history.begin(), records_[n].history.end());
  }
  archive_values(context_.comm, state, "solves_histories", histories);
  std::size_t at = 0;
  for (SolveRecord& r : records_)
    for (double& value : r.history) value = histories[at++];
}

void Solves::archive(StateArchive& state) {
  state.scalar("solve", number_);
  state.scalar("solves_iterations", before_);
  state.scalar("solve_seconds", seconds_);
  archive_records(state);
  Index from = start_ ? 1 : 0;
  state.scalar("solve_has_start", from);
  if (state.restoring()) {
    if (number_ > 0 && f_.source && f_.source->matrix_depends_on_time()) make_matrix();
    make_solver();
    b_ = std::make_unique<Vector<double>>(matrix_->space());
    x_ = std::make_unique<Vector<double>>(matrix_->space());
    start_ = from == 1 ? std::make_unique<Vector<double>>(matrix_->space()) : nullptr;
    system_.natural.clear();
    matrix_->enter(make_rhs(), *b_);
    log_choices();
  }
  const RowArchive vectors(state, rows(), *matrix_);
  if (start_) vectors.vector("start", *start_);
  if (state.restoring()) {
    fill(*x_, 0);
    if (start_) copy(*start_, *x_);
    solver_->begin(*matrix_, preconditioner_.get(), *b_, *x_);
  }
  vectors.vector("x", *x_);
  solver_->archive(state, vectors);
}

}  // namespace halocline::sparse
