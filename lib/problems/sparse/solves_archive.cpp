// Solves saved and restored: what has ended, and the state of the solve under way in the order of the rows.
#include "lib/problems/sparse/row_archive.hpp"
#include "lib/problems/sparse/solves.hpp"

namespace halocline::sparse {

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

void Solves::archive_columns(StateArchive& state) {
  if (columns_.size() <= 1) return;
  if (state.restoring())
    while (solved_.size() < records_.size())
      solved_.push_back({constant_values(rows(), 0), constant_values(rows(), 0), constant_values(rows(), 0)});
  for (std::size_t n = 0; n < solved_.size(); ++n) {
    const auto block = [&](const char* what, PartValues& values) {
      const std::string name = std::string("solved_") + what + "_" + std::to_string(n + 1);
      for (std::size_t p = 0; p < values.size(); ++p)
        state.block(name.c_str(), rows().size(), 1, rows().own(static_cast<int>(p)), values[p].view(),
                    *values[p].executor());
    };
    block("u", solved_[n].u);
    block("f", solved_[n].f);
    block("residual", solved_[n].residual);
  }
}

// Of a run that was finished the last solve ends once more, perhaps later.
void Solves::reopen_last() {
  if (number_ >= f_.solves || static_cast<Index>(records_.size()) > f_.solves)
    throw DeckError("sparse.sequence: has " + std::to_string(f_.solves) + " solves, but the checkpoint is of solve " +
                    std::to_string(number_ + 1));
  if (static_cast<Index>(records_.size()) <= number_) return;
  before_ -= records_.back().iterations;
  records_.pop_back();
  reopened_ = true;
  if (solved_.size() > records_.size()) solved_.pop_back();
}

void Solves::archive(StateArchive& state) {
  state.scalar("solve", number_);
  state.scalar("solves_iterations", before_);
  state.scalar("solve_seconds", seconds_);
  archive_records(state);
  archive_columns(state);
  if (state.restoring()) reopen_last();
  state.scalar("hierarchy_set_up", age_.set_up);
  state.scalar("hierarchy_refreshed", age_.refreshed);
  Index from = start_ ? 1 : 0;
  state.scalar("solve_has_start", from);
  if (state.restoring()) {
    if (matrix_changes()) restore_matrix();
    make_solver();
    b_ = std::make_unique<Vector<double>>(matrix_->space());
    x_ = std::make_unique<Vector<double>>(matrix_->space());
    start_ = from == 1 ? std::make_unique<Vector<double>>(matrix_->space()) : nullptr;
    system_.natural.clear();
    set_rhs();
    log_choices();
  }
  const RowArchive vectors(state, rows(), *matrix_);
  if (start_) vectors.vector("start", *start_);
  if (state.restoring()) {
    fill(*x_, 0);
    if (start_) copy(*start_, *x_);
    solver_->begin(*matrix_, preconditioner(), *b_, *x_);
  }
  vectors.vector("x", *x_);
  solver_->archive(state, vectors);
}

}  // namespace halocline::sparse
