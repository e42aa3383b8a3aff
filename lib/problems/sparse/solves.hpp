// Solves: the systems of a run, one after the other, in slices; what was found in each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/krylov/krylov.hpp"
#include "lib/linalg/sparse/matrix_digest.hpp"
#include "lib/problems/sparse/measure.hpp"
#include "lib/problems/sparse/method.hpp"
#include "lib/problems/sparse/null_spaces.hpp"
#include "lib/problems/sparse/reuse.hpp"
#include "lib/problems/sparse/system.hpp"
#include "lib/problems/sparse/values.hpp"

namespace halocline::sparse {

// How one solve has gone.
struct SolveRecord {
  Index iterations = 0;
  double relative = 0;  // residual of the recurrence over the right side
  double residual = 0;  // of the solution itself
  double seconds = 0;
  std::vector<double> history;
};

// Of the residual, what an iteration leaves: the mean of all solves that took any; 0 without them.
double mean_rate(std::span<const SolveRecord> records);

// What a solve has left, by rows.
struct SolvedColumn {
  PartValues u, f, residual;
};

class Solves {
 public:
  // All arguments outlive it. Makes matrix, preconditioner and the first right side, so that what is wrong with them
  // shows before anything is written. Collective, as all calls are.
  Solves(const Context& context, const SparseOptions& options, const Formulation& formulation);

  // Begins the first solve.
  void begin();
  // At most n iterations of the solve under way, and its end, and the begin of the next one, when it has finished;
  // returns how many there were.
  Index iterate(Index n);
  bool finished() const { return finished_; }
  // What the method has failed with; empty while it has not.
  const std::string& failure() const { return failure_; }

  Index iterations() const { return before_ + (finished_ ? 0 : solver_->report().iterations); }  // of all solves
  Index number() const { return number_; }  // of the solve under way, from 0
  const SolveReport& report() const { return solver_->report(); }
  const std::vector<SolveRecord>& records() const { return records_; }  // of solves that have ended
  double time() const { return static_cast<double>(number_) * step_; }

  const RowSpace& rows() const { return *system_.rows; }
  const RowSpacePtr& rows_pointer() const { return system_.rows; }
  const RowFindings& findings() const { return system_.findings; }
  Index entries() const { return entries_; }
  const amg::Amg* multigrid() const { return preconditioner_.multigrid; }  // null: another preconditioner
  // Times of what an iteration consists of. Collective.
  Measured measure(Index times) const { return measure_kernels(context_, *matrix_, preconditioner(), times); }
  // Bytes that all ranks must move in an iteration at least; 0 for methods and preconditioners whose are not known.
  // Collective.
  double bytes_of_iteration() const;
  // By rows, as they are numbered here.
  PartValues solution() const;
  PartValues right_side() const;
  PartValues residual() const;
  // Of every right side of a file that has several; zero where its solve has not ended. Collective.
  std::vector<SolvedColumn> solved_columns() const;
  // From that order to that of the input, where the rows of a file were renumbered; all columns of a file in that
  // order.
  PartValues in_input_order(PartValues values) const;
  std::vector<PartValues> from_file(const DataFile& file) const;

  void archive(StateArchive& state);
  Traffic traffic() const { return matrix_->sent(); }

 private:
  bool matrix_changes() const;  // from solve to solve
  bool may_refresh() const;     // whether a hierarchy keeps what that needs
  FoundNullSpace null_space() const;
  void make_matrix();
  void release();
  void set_up();  // of the system that is there
  void make_preconditioner();
  void drop_rows();
  Renewal wanted_renewal() const;
  // The matrix of solve number_ in place of the one before; says why that cannot be: then nothing but the system is
  // new.
  std::string take_values(Renewal renewal);
  void next_matrix();
  void restore_matrix();  // after number_ and age_
  void make_solver();
  void log_choices() const;
  Index suggested_components() const;
  void log_advice() const;
  void prepare_solve();
  void begin_solve();
  PartValues in_row_order(PartValues values) const;
  PartValues make_rhs();
  void refuse_row(Index row, const char* what) const;  // none where it is negative
  void set_rhs();
  // What the method is given: projected where the matrix is singular.
  const Operator<double>* preconditioner() const {
    return projected_ ? projected_.get() : preconditioner_.applied.get();
  }
  void set_start();
  void end_solve();
  std::string reason() const;
  double attainable() const;
  void archive_records(StateArchive& state);
  void reopen_last();
  SolvedColumn solved_column() const { return {solution(), right_side(), residual()}; }
  void archive_columns(StateArchive& state);

  const Context& context_;
  const SparseOptions& options_;
  const Formulation& f_;
  double step_;
  System system_;
  Index entries_ = 0;
  ChosenMethod method_;
  MatrixDigest digest_, digest_of_hierarchy_;  // of sequences whose matrix changes
  HierarchyAge age_;
  std::unique_ptr<DistMatrix> matrix_;
  MadePreconditioner preconditioner_;
  FoundNullSpace null_;
  std::unique_ptr<Operator<double>> projected_;
  double removed_ = 0;  // of the right side by projection, relative to its norm
  std::unique_ptr<KrylovSolver<double>> solver_;
  std::unique_ptr<Vector<double>> b_, x_, start_;  // start_: where the solve began, if not at zero
  std::vector<PartValues> columns_;                // right sides of a file
  std::vector<SolvedColumn> solved_;               // of these, where there are several and solves have ended
  Index number_ = 0, before_ = 0;                  // iterations of solves before
  double seconds_ = 0;                             // of the solve under way
  bool reopened_ = false;                          // the solution restored is that of an end already
  bool finished_ = false;
  std::string failure_;
  std::vector<SolveRecord> records_;
};

}  // namespace halocline::sparse
