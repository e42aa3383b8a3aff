#include "lib/krylov/report.hpp"

namespace halocline {

const char* words(SolveStatus status) {
  switch (status) {
    case SolveStatus::running:
      return "has not ended";
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::zero_rhs:
      return "converged at once, since the right-hand side is zero";
    case SolveStatus::max_iterations:
      return "did not converge";
    case SolveStatus::not_finite:
      return "came to infinite or undefined numbers";
    case SolveStatus::indefinite_matrix:
      return "found that the matrix is not positive definite";
    case SolveStatus::indefinite_preconditioner:
      return "found that the preconditioner is not positive definite";
    case SolveStatus::diverged:
      return "diverged";
    case SolveStatus::stagnated:
      return "stagnated";
    case SolveStatus::breakdown:
      break;
  }
  return "broke down";
}

namespace {

void archive_count(StateArchive& state, const char* name, int& count) {
  Index value = count;
  state.scalar(name, value);
  count = static_cast<int>(value);
}

}  // namespace

// Rank 0 writes them and hands them on when they were read.
void archive_values(const Communicator& comm, StateArchive& state, const char* name, std::span<double> values) {
  const ExecutorPtr host = make_omp_executor(1);
  const auto length = static_cast<Index>(values.size());
  const Index own = comm.rank() == 0 ? length : 0;
  state.block(name, length, 1, {{length - own}, {length}}, View<double, 1>(values.data(), own), *host);
  if (state.restoring()) comm.broadcast(values);
}

void archive_report(const Communicator& comm, StateArchive& state, SolveReport& report) {
  archive_count(state, "krylov_iterations", report.iterations);
  archive_count(state, "krylov_restarts", report.restarts);
  auto status = static_cast<int>(report.status);
  archive_count(state, "krylov_status", status);
  report.status = static_cast<SolveStatus>(status);
  if (state.restoring() && report.status == SolveStatus::max_iterations) report.status = SolveStatus::running;
  state.scalar("krylov_residual", report.residual);
  auto length = static_cast<Index>(report.history.size());
  state.scalar("krylov_history_length", length);
  report.history.resize(static_cast<std::size_t>(length));
  archive_values(comm, state, "krylov_history", report.history);
}

}  // namespace halocline
