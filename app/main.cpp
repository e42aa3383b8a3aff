// Lifetime of MPI, and how errors end the program: one message and one exit code, whichever ranks saw the error.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "app/commands.hpp"
#include "app/keep_libraries.hpp"
#include "app/run/signals.hpp"
#include "app/start_alone.hpp"
#include "app/trial/trial.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/printable.hpp"

namespace {

using halocline::ExitCode;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{2000};  // for other ranks to report the same failure

constexpr const char* defect = "halocline: a defect, please report it: ";
constexpr const char* out_of_memory = "halocline: out of memory";

struct Failure {
  int code;
  std::string message;
};

// What operator new has found, in case that nobody can be told any more.
std::atomic<bool> memory_has_ended{false};
// Whether the program ends by its own will.
bool ends_in_order = false;

void note_end_of_memory() {
  memory_has_ended = true;
  throw std::bad_alloc();
}

[[noreturn]] void end_at_once(ExitCode code, const char* message) {
  for (const char* text : {message, "\n"}) {
    [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, text, std::strlen(text));
  }
  std::_Exit(static_cast<int>(code));  // without MPI_Finalize, which ends the other ranks
}

// An exception that nobody may catch, where something is given back or in a library. Needs no memory.
[[noreturn]] void end_uncaught() {
  if (memory_has_ended) end_at_once(ExitCode::machine, out_of_memory);
  try {
    if (std::current_exception()) throw;
  } catch (const halocline::MachineError& error) {
    end_at_once(ExitCode::machine, (std::string("halocline: ") + error.what()).c_str());
  } catch (...) {
  }
  std::abort();
}

// The OpenMP library ends a program by exit(1) where it gets no threads.
void end_by_others() {
  if (!ends_in_order)
    end_at_once(ExitCode::machine, "halocline: a library has ended the program; what it lacked is said above");
}

// Called in a catch block.
Failure describe_failure() {
  try {
    throw;
  } catch (const halocline::DeckError& error) {
    return {static_cast<int>(error.code()), error.what()};
  } catch (const halocline::Error& error) {
    const char* kind = error.code() == ExitCode::numerical ? "halocline: numerical failure: "
                       : error.code() == ExitCode::machine ? "halocline: "
                                                           : defect;
    return {static_cast<int>(error.code()), kind + std::string(error.what())};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(ExitCode::machine), out_of_memory};
  } catch (const std::system_error& error) {  // of threads and folders
    return {static_cast<int>(ExitCode::machine), "halocline: the system refuses: " + std::string(error.what())};
  } catch (const std::exception& error) {
    return {static_cast<int>(ExitCode::defect), defect + std::string(error.what())};
  }
}

// Errors that all ranks meet (faults of the deck, files that cannot be written) end the program in order, with the
// message of rank 0. When only some ranks fail the others wait somewhere in a message and the job is aborted.
int end_with_failure(const Failure& failure) {
  const MPI_Comm failures = MPI_COMM_WORLD;  // which nothing else uses: no rank waits for another there
  int rank = 0, code = failure.code, worst = 0, all_failed = 0;
  MPI_Comm_rank(failures, &rank);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, failures, &request);
  const Clock::time_point deadline = Clock::now() + patience;
  while (all_failed == 0 && Clock::now() < deadline) {
    MPI_Test(&request, &all_failed, MPI_STATUS_IGNORE);
    if (all_failed == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (all_failed != 0) {
    if (rank == 0) std::fprintf(stderr, "%s\n", halocline::printable(failure.message).c_str());
    return worst;
  }
  // Of several ranks that fail at once, the lowest is to speak.
  std::this_thread::sleep_for(std::chrono::milliseconds(20 * std::min(rank, 50)));
  std::fprintf(stderr, "%s (on rank %d)\n", halocline::printable(failure.message).c_str(), rank);
  std::fflush(stderr);
  ends_in_order = true;
  MPI_Abort(MPI_COMM_WORLD, failure.code);
  return failure.code;
}

// False on a processor without the instructions this file was compiled for.
bool processor_fits() {
#if defined(__x86_64__) && defined(__AVX2__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

std::string mpi_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, ' ');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

}  // namespace

int main(int argc, char** argv) {
  if (!processor_fits()) {
    std::fprintf(stderr, "halocline: this processor lacks AVX2 and FMA; build with -DHALOCLINE_ARCH=x86-64\n");
    return static_cast<int>(ExitCode::machine);
  }
  if (const std::optional<int> code = halocline::serve_trial(argc, argv)) return *code;
  if (const char* const lack = halocline::lack_for_mpi()) end_at_once(ExitCode::machine, lack);
  std::set_new_handler(note_end_of_memory);
  std::set_terminate(end_uncaught);
  std::atexit(end_by_others);
  halocline::start_alone();
  halocline::let_signals_end(std::quick_exit);
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "halocline: MPI cannot be started with threads\n");
    ends_in_order = true;
    return static_cast<int>(ExitCode::machine);
  }
  int code = 0;
  {
    const halocline::Communicator comm(MPI_COMM_WORLD);
    try {
      code = halocline::run_command_line(argc, argv, comm, mpi_library());
    } catch (...) {
      code = end_with_failure(describe_failure());
    }
  }
  halocline::leave_signals();
  halocline::keep_loaded_libraries();
  MPI_Finalize();
  ends_in_order = true;
  return code;
}
