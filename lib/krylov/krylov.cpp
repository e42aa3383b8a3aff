#include "lib/krylov/krylov.hpp"

#include <string>

namespace halocline {

std::unique_ptr<KrylovSolver> make_krylov(std::string_view method, VectorSpacePtr space, const KrylovOptions& options) {
  if (method == "bicgstab") return make_bicgstab(std::move(space), options);
  if (method == "cg") return make_cg(std::move(space), options);
  throw InternalError("unknown Krylov method " + std::string(method));
}

namespace {

void archive_flag(StateArchive& state, const char* name, bool& flag) {
  Index value = flag ? 1 : 0;
  state.scalar(name, value);
  flag = value != 0;
}

void archive_count(StateArchive& state, const char* name, int& count) {
  Index value = count;
  state.scalar(name, value);
  count = static_cast<int>(value);
}

}  // namespace

void archive_report(const Communicator& comm, StateArchive& state, SolveReport& report) {
  archive_count(state, "krylov_iterations", report.iterations);
  archive_count(state, "krylov_restarts", report.restarts);
  archive_flag(state, "krylov_converged", report.converged);
  archive_flag(state, "krylov_broken_down", report.broken_down);
  state.scalar("krylov_residual", report.residual);
  auto length = static_cast<Index>(report.history.size());
  state.scalar("krylov_history_length", length);
  report.history.resize(static_cast<std::size_t>(length));
  // Every rank has the history; rank 0 writes it and hands it on when it was read.
  const ExecutorPtr host = make_omp_executor(1);
  const Index own = comm.rank() == 0 ? length : 0;
  state.block("krylov_history", length, 1, {{comm.rank() == 0 ? 0 : length}, {length}},
              View<double, 1>(report.history.data(), own), *host);
  if (state.restoring()) comm.broadcast(std::span<double>(report.history));
}

}  // namespace halocline
